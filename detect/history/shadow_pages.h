// ShadowPages: from an address to its cell. A two-level directory over 48-bit addresses; each page
// of 4 KiB of the program has cells of one size.
//
// Cells of a page cover 2^shift bytes: 12, one for the whole page (uniform: what memset,
// calloc and big copies leave); 3; or 2, for pages that are used by 4-byte words. A page is
// refined when an access touches a part of a cell, never the other way round, except by
// becoming uniform as a whole.
//
// Invariant:  a cached page is a copy of the directory's; extended cells lie only in
//             pages with `has_lists`.
// Thread rule: one thread.
// Cost:       4 KiB of program memory cost 16 + 16 bytes (uniform), 4 KiB (shift 3) or 8 KiB
//             (shift 2). A page is found in three loads, or two through the cache.
// Tested by:  test/detect/shadow_test.cc
#pragma once

#include <algorithm>

#include "detect/ds/block_pool.h"
#include "detect/history/shadow_cell.h"

namespace taskrace {

inline constexpr unsigned kPageShift = 12;
inline constexpr size_t kPageBytes = size_t{1} << kPageShift;
inline constexpr unsigned kUniform = kPageShift;
inline constexpr unsigned kWordShift = 3;
inline constexpr unsigned kHalfWordShift = 2;

struct ShadowPage {
  ShadowCell* cells;  // null: nothing is known of the page
  uint8_t shift;      // bytes of a cell: 2^shift
  bool has_lists;     // some cell may be extended
  uint16_t splits;    // how often half of a cell was kept apart from the other

  size_t CellCount() const { return kPageBytes >> shift; }
  // All bytes of a cell, as the bits of ShadowEntry::bytes; a uniform page has
  // one bit set for many.
  uint8_t AllBytes() const { return shift == kHalfWordShift ? 0x0F : 0xFF; }
};
static_assert(sizeof(ShadowPage) == 16);

class ShadowPages {
 public:
  static constexpr unsigned kAddressBits = 48;

  // What the fast path needs of a page.
  struct Cached {
    uintptr_t number;  // address >> kPageShift
    ShadowCell* cells;
    uintptr_t shift;
  };

  constexpr ShadowPages() { cache_[0].number = EmptyNumber(0); }
  ShadowPages(const ShadowPages&) = delete;
  ShadowPages& operator=(const ShadowPages&) = delete;
  ~ShadowPages() {
    for (size_t i = 0; i < used_leaves_.Size(); ++i) {
      Unmap(directory_[used_leaves_[i]], kLeafPages * sizeof(ShadowPage));
    }
    if (directory_ != nullptr) Unmap(directory_, kLeaves * sizeof(ShadowPage*));
  }

  // The cache slot for a page; holds it iff the numbers agree.
  const Cached& CacheSlot(uintptr_t number) const { return cache_[SlotOf(number)]; }

  // The page of the directory, or null if nothing is known of it. Requires:
  // address < 2^kAddressBits.
  ShadowPage* Find(uintptr_t address) {
    ShadowPage* leaf = directory_ == nullptr ? nullptr : directory_[LeafOf(address)];
    if (leaf == nullptr) return nullptr;
    ShadowPage& page = leaf[PageInLeaf(address)];
    return page.cells == nullptr ? nullptr : &page;
  }

  // The page, made empty if it is not there: with cells that suit an access to [first, end).
  ShadowPage& FindOrMake(uintptr_t first, uintptr_t end) {
    if (directory_ == nullptr) [[unlikely]]
      MakeDirectory();
    ShadowPage*& leaf = directory_[LeafOf(first)];
    if (leaf == nullptr) [[unlikely]]
      MakeLeaf(first);
    ShadowPage& page = leaf[PageInLeaf(first)];
    if (page.cells == nullptr) [[unlikely]]
      MakePage(page, ShiftFor(first, end));
    Cache(first, page);
    return page;
  }

  // Where Find may next return a page, from the address on; skips what the directory
  // lacks, at most to `end`.
  uintptr_t SkipMissing(uintptr_t address, uintptr_t end) const {
    constexpr uintptr_t kLeafBytes = kLeafPages << kPageShift;
    if (directory_ == nullptr) return end;
    while (address < end && directory_[LeafOf(address)] == nullptr) {
      address = (address | (kLeafBytes - 1)) + 1;
    }
    return address;
  }

  // Makes the cells small enough to suit an access to the part [first, end) of the page.
  void Refine(uintptr_t first, uintptr_t end, ShadowPage& page) {
    RefineTo(page.shift == kUniform ? ShiftFor(first, end) : kHalfWordShift, page);
    Cache(first, page);
  }

  // The page says one thing from now on. Requires: no cell is extended.
  void MakeUniform(uintptr_t address, ShadowPage& page, const ShadowCell& cell) {
    if (page.shift != kUniform) {
      FreeCells(page);
      MakePage(page, kUniform);
    }
    page.has_lists = false;
    page.splits = 0;
    page.cells[0] = cell;
    Cache(address, page);
  }

  // Forgets the page; its memory is used again.
  void Drop(uintptr_t address, ShadowPage& page) {
    FreeLists(page);
    FreeCells(page);
    page = {};
    Cached& slot = cache_[SlotOf(address >> kPageShift)];
    if (slot.number == address >> kPageShift) slot.number = EmptyNumber(SlotOf(slot.number));
  }

  // The cell that says what the entries say. Requires: IsCompact.
  ShadowCell ToCompact(std::span<const ShadowEntry> entries) {
    ShadowCell cell{};
    for (const ShadowEntry& e : entries) {
      if (IsWrite(e.kind)) {
        cell.writer = e.strand;
      } else {
        cell.SetReaders(readers_.Append(cell.GetReaders(), e.strand));
      }
    }
    return cell;
  }

  ReaderLists& Readers() { return readers_; }
  const ReaderLists& Readers() const { return readers_; }
  // Frees the lists of readers that no cell has any more.
  [[gnu::noinline]] void CollectReaders() {
    readers_.Collect([this](auto mark) {
      ForEachPage([&](uintptr_t, const ShadowPage& page) {
        for (size_t i = 0; i < page.CellCount(); ++i) {
          const ShadowCell& cell = page.cells[i];
          if (!cell.IsExtended() && cell.GetReaders().IsMany()) mark(cell.GetReaders().list());
        }
      });
    });
  }

  // Calls visit(strand) for every strand that is remembered, and perhaps for some others.
  template <class Visit>
  void ForEachStrand(Visit visit) const {
    readers_.ForEachStrand(visit);
    ForEachPage([&](uintptr_t, const ShadowPage& page) {
      for (size_t i = 0; i < page.CellCount(); ++i) {
        const ShadowCell& cell = page.cells[i];
        if (cell.IsExtended()) {
          for (const ShadowEntry& e : lists_[cell.List()]) visit(e.strand);
        } else {
          if (cell.writer != kNoStrand) visit(cell.writer);
          if (!cell.GetReaders().IsNone() && !cell.GetReaders().IsMany()) visit(cell.reader);
        }
      }
    });
  }

  ShadowLists& Lists() { return lists_; }
  const ShadowLists& Lists() const { return lists_; }

  size_t PageCount() const { return uniform_.Used() + words_.Used() + half_words_.Used(); }
  size_t BytesUsed() const {
    return uniform_.BytesUsed() + words_.BytesUsed() + half_words_.BytesUsed() +
           lists_.BytesUsed() + readers_.BytesUsed() + PageCount() * sizeof(ShadowPage);
  }

  // Calls visit(address of the page, page) for every page; for checks.
  template <class Visit>
  void ForEachPage(Visit visit) const {
    for (size_t i = 0; i < used_leaves_.Size(); ++i) {
      uintptr_t leaf = used_leaves_[i];
      for (size_t j = 0; j < kLeafPages; ++j) {
        const ShadowPage& page = directory_[leaf][j];
        if (page.cells != nullptr) visit(((leaf * kLeafPages) + j) << kPageShift, page);
      }
    }
  }

 private:
  static constexpr unsigned kLeafBits = 18;
  static constexpr size_t kLeafPages = size_t{1} << kLeafBits;
  static constexpr size_t kLeaves = size_t{1} << (kAddressBits - kPageShift - kLeafBits);
  static constexpr size_t kCacheSize = 128;

  static constexpr uintptr_t LeafOf(uintptr_t address) {
    return address >> (kPageShift + kLeafBits);
  }
  static constexpr uintptr_t PageInLeaf(uintptr_t address) {
    return (address >> kPageShift) % kLeafPages;
  }
  // Folded, so that arrays whose distance is a power of two do not fight for one slot.
  static constexpr uintptr_t SlotOf(uintptr_t number) {
    return (number ^ (number >> 7)) % kCacheSize;
  }

  // In an empty slot: a page that belongs into another slot. 0 for all slots but the first.
  static constexpr uintptr_t EmptyNumber(uintptr_t slot) { return slot == 0 ? 1 : 0; }

  static constexpr unsigned ShiftFor(uintptr_t first, uintptr_t end) {
    if (end - first == kPageBytes) return kUniform;
    if (end - first >= 8 && first % 8 == 0) return kWordShift;
    return first % 4 == 0 && end % 4 == 0 ? kHalfWordShift : kWordShift;
  }

  void Cache(uintptr_t address, const ShadowPage& page) {
    uintptr_t number = address >> kPageShift;
    cache_[SlotOf(number)] = {.number = number, .cells = page.cells, .shift = page.shift};
  }

  [[gnu::noinline]] void MakeDirectory() {
    directory_ =
        static_cast<ShadowPage**>(Map(kLeaves * sizeof(ShadowPage*), "the page directory"));
  }
  [[gnu::noinline]] void MakeLeaf(uintptr_t address) {
    directory_[LeafOf(address)] =
        static_cast<ShadowPage*>(Map(kLeafPages * sizeof(ShadowPage), "the page directory"));
    used_leaves_.Append(static_cast<uint32_t>(LeafOf(address)));
  }

  void MakePage(ShadowPage& page, unsigned shift) {
    void* cells = shift == kUniform     ? uniform_.AllocateZero()
                  : shift == kWordShift ? words_.AllocateZero()
                                        : half_words_.AllocateZero();
    page = {};
    page.cells = static_cast<ShadowCell*>(cells);
    page.shift = static_cast<uint8_t>(shift);
  }
  void FreeCells(ShadowPage& page) {
    if (page.shift == kUniform) return uniform_.Free(page.cells);
    if (page.shift == kWordShift) return words_.Free(page.cells);
    half_words_.Free(page.cells);
  }
  void FreeLists(ShadowPage& page) {
    if (!page.has_lists) return;
    for (size_t i = 0; i < page.CellCount(); ++i) {
      if (page.cells[i].IsExtended()) lists_.Free(page.cells[i].List());
    }
  }

  [[gnu::noinline]] void RefineTo(unsigned shift, ShadowPage& page) {
    ShadowPage fine{};
    MakePage(fine, shift);
    fine.has_lists = page.has_lists;
    const size_t parts = size_t{1} << (page.shift - shift);
    for (size_t i = 0; i < page.CellCount(); ++i) {
      const ShadowCell& cell = page.cells[i];
      for (size_t part = 0; part < parts; ++part) {
        ShadowCell& target = fine.cells[i * parts + part];
        if (cell.IsExtended()) {
          // Of a uniform page every part has all bytes; of a word, four bytes of its own.
          unsigned first_byte = page.shift == kUniform ? 0 : static_cast<unsigned>(part * 4);
          target = PartOf(cell.List(), first_byte, fine.AllBytes());
        } else {
          target = cell;
        }
      }
      if (cell.IsExtended()) lists_.Free(cell.List());
    }
    FreeCells(page);
    page = fine;
  }

  // A cell for the bytes first_byte, first_byte + 1, ... of the entries in the list.
  ShadowCell PartOf(ShadowLists::List list, unsigned first_byte, uint8_t all) {
    ShadowLists::List part = lists_.Make();
    for (size_t i = 0; i < lists_[list].size(); ++i) {
      ShadowEntry entry = lists_[list][i];
      entry.bytes = static_cast<uint8_t>(entry.bytes >> first_byte) & all;
      if (entry.bytes != 0) part = lists_.Append(part, entry);
    }
    if (!IsCompact(lists_[part], all)) return ShadowCell::Extended(part);
    const ShadowCell compact = ToCompact(lists_[part]);
    lists_.Free(part);
    return compact;
  }

  Cached cache_[kCacheSize] = {};
  ShadowPage** directory_ = nullptr;
  MappedArray<uint32_t> used_leaves_{"the page directory"};
  BlockPool<2 * sizeof(ShadowCell)> uniform_{"shadow cells"};
  BlockPool<(kPageBytes >> kWordShift) * sizeof(ShadowCell)> words_{"shadow cells"};
  BlockPool<(kPageBytes >> kHalfWordShift) * sizeof(ShadowCell)> half_words_{"shadow cells"};
  ShadowLists lists_{"shadow cells"};
  ReaderLists readers_;
};

}  // namespace taskrace
