// ShadowPages: from an address to what is remembered of it. A two-level directory over 48-bit
// addresses, whose entries are the pages of 4 KiB (shadow_page.h).
//
// A page is sparse until it would have too many steps, and again when all of it is written at
// once, or agrees after an access to all of it.
//
// Invariant:  neighbouring steps differ; extended cells lie only in pages with `has_lists`, and each
//             has a list of its own.
// Thread rule: one thread.
// Cost:       4 KiB of program memory cost 16 bytes and a block: of 16 to 256 bytes for
//             steps, of 4 KiB (cells of 8 bytes), 8 KiB (of 4) or 32 KiB (of 1). A page is found in three loads, or
//             two if it was used recently.
// Tested by:  test/detect/shadow_test.cc
#pragma once

#include <string.h>

#include <algorithm>

#include "detect/ds/block_pool.h"
#include "detect/history/shadow_page.h"

namespace taskrace {

class ShadowPages {
 public:
  static constexpr unsigned kAddressBits = 48;

  constexpr ShadowPages() = default;
  ShadowPages(const ShadowPages&) = delete;
  ShadowPages& operator=(const ShadowPages&) = delete;
  ~ShadowPages() {
    for (size_t i = 0; i < used_leaves_.Size(); ++i) {
      Unmap(directory_[used_leaves_[i]], kLeafPages * sizeof(ShadowPage));
    }
    if (directory_ != nullptr) Unmap(directory_, kLeaves * sizeof(ShadowPage*));
  }

  // The page if it was used recently, else perhaps null.
  ShadowPage* FindRecent(uintptr_t address) const {
    const Recent& recent = recent_[SlotOf(address >> kPageShift)];
    return recent.number == address >> kPageShift ? recent.page : nullptr;
  }

  // The page of the directory, or null if nothing is known of it. Requires:
  // address < 2^kAddressBits.
  ShadowPage* Find(uintptr_t address) {
    ShadowPage* leaf = directory_ == nullptr ? nullptr : directory_[LeafOf(address)];
    if (leaf == nullptr) return nullptr;
    ShadowPage& page = leaf[PageInLeaf(address)];
    return page.cells == nullptr ? nullptr : &page;
  }

  // The page, made empty if it is not there.
  ShadowPage& FindOrMake(uintptr_t address) {
    if (directory_ == nullptr) [[unlikely]]
      MakeDirectory();
    ShadowPage*& leaf = directory_[LeafOf(address)];
    if (leaf == nullptr) [[unlikely]]
      MakeLeaf(address);
    ShadowPage& page = leaf[PageInLeaf(address)];
    if (page.cells == nullptr) [[unlikely]]
      page = MakePage(kSparse, 0);
    recent_[SlotOf(address >> kPageShift)] = {address >> kPageShift, &page};
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

  // Whatever is said of the bytes [first, end) of a sparse page is changed by become(cell, from, to),
  // called once for each part [from, to) of a step, in order. Requires: MakeRoom.
  template <class Become>
  void UpdateSteps(uintptr_t first, uintptr_t end, ShadowPage& page, Become become) {
    const uintptr_t base = first & ~(kPageBytes - 1);
    const size_t from = first - base, to = end - base;
    size_t step = page.StepWith(from);
    // From the step before on, which may go on with what comes, to the one after.
    const size_t replaced = step == 0 ? 0 : step - 1;
    Steps made;
    if (step != 0) made.Add(*this, page.BeginOf(replaced), page.cells[replaced]);
    if (page.BeginOf(step) < from) made.Add(*this, page.BeginOf(step), page.cells[step]);
    for (size_t at = from;; ++step) {
      const size_t step_end = page.EndOf(step);
      const bool is_whole = page.BeginOf(step) == at && step_end <= to;
      ShadowCell cell = is_whole ? page.cells[step] : CopyOf(page.cells[step]);
      become(cell, base + at, base + std::min(step_end, to));
      made.Add(*this, at, cell);
      if (step_end < to) {
        at = step_end;
        continue;
      }
      if (step_end > to) {
        const bool is_split = page.BeginOf(step) < from;
        made.Add(*this, to, is_split ? CopyOf(page.cells[step]) : page.cells[step]);
      } else if (step_end < kPageBytes) {
        ++step;
        made.Add(*this, page.BeginOf(step), page.cells[step]);
      }
      break;
    }
    Replace(page, replaced, step + 1, made);
  }

  // Nothing is known of the bytes [first, end) of a sparse page any more. Requires: MakeRoom.
  void ClearSteps(uintptr_t first, uintptr_t end, ShadowPage& page) {
    const size_t from = first % kPageBytes, to = from + (end - first);
    const size_t first_step = page.StepWith(from), last_step = page.StepWith(to - 1);
    const bool keeps_left = page.BeginOf(first_step) < from;
    const bool keeps_right = page.EndOf(last_step) > to;
    const size_t replaced = keeps_left ? first_step + 1 : first_step;
    Steps made;
    if (replaced == 0 || !page.cells[replaced - 1].IsEmpty()) made.Append(from, {});
    size_t after = last_step + 1;
    if (keeps_right) {
      const ShadowCell right = page.cells[last_step];
      const bool is_split = keeps_left && first_step == last_step;
      if (!right.IsEmpty()) made.Append(to, is_split ? CopyOf(right) : right);
    } else if (after < page.steps && page.cells[after].IsEmpty()) {
      ++after;
    }
    for (size_t i = replaced; i + (keeps_right ? 1 : 0) <= last_step; ++i) {
      FreeListOf(page.cells[i]);
    }
    Replace(page, replaced, after, made);
  }

  // Makes room for two more steps in a sparse page; if it has too many already, it is dense
  // afterwards.
  void MakeRoom(ShadowPage& page) {
    if (page.steps + 2u <= kStepRooms[page.room]) return;
    if (page.room + 1u == std::size(kStepRooms)) {
      return ToDense(page);
    }
    ShadowPage larger = MakePage(kSparse, page.room + 1u);
    std::copy_n(page.cells, page.steps, larger.cells);
    std::copy_n(page.Begins(), page.steps, larger.Begins());
    larger.steps = page.steps;
    larger.has_lists = page.has_lists;
    larger.splits = page.splits;
    FreeCells(page);
    page = larger;
  }

  // A sparse page gets a cell for each word.
  void ToDense(ShadowPage& page) {
    const size_t halves = static_cast<size_t>(std::count_if(
        page.Begins(), page.Begins() + page.steps, [](int16_t begin) { return begin % 8 == 4; }));
    ToDense(page, halves > kMostHalves ? kHalfWordShift : kWordShift);
  }
  // The same, with cells of 2^shift bytes.
  [[gnu::noinline]] void ToDense(ShadowPage& page, unsigned shift) {
    ShadowPage dense = MakePage(shift);
    dense.has_lists = page.has_lists;
    const size_t cell_bytes = size_t{1} << dense.shift;
    size_t step = 0;
    for (size_t i = 0; i < dense.CellCount(); ++i) {
      const size_t begin = i * cell_bytes, end = begin + cell_bytes;
      if (page.EndOf(step) >= end) {
        dense.cells[i] = page.cells[step].IsExtended()
                             ? PartOf(page.cells[step].List(), 0, dense.AllBytes())
                             : page.cells[step];
      } else {
        dense.cells[i] = FromSteps(page, step, begin, end, dense.AllBytes());
        dense.has_lists = true;
        while (page.EndOf(step) < end) ++step;
      }
      if (page.EndOf(step) == end && step + 1 < page.steps) ++step;
    }
    FreeLists(page);
    FreeCells(page);
    page = dense;
  }

  // The cells of a dense page become smaller ones, of 2^shift bytes.
  [[gnu::noinline]] void Divide(ShadowPage& page, unsigned shift) {
    ShadowPage fine = MakePage(shift);
    const unsigned parts = 1u << (page.shift - shift);
    for (size_t i = 0; i < page.CellCount(); ++i) {
      const ShadowCell& cell = page.cells[i];
      for (unsigned part = 0; part < parts; ++part) {
        ShadowCell& made = fine.cells[parts * i + part];
        made = cell.IsExtended() ? PartOf(cell.List(), part << shift, fine.AllBytes()) : cell;
        fine.has_lists |= made.IsExtended();
      }
      FreeListOf(cell);
    }
    FreeCells(page);
    page = fine;
  }

  // The page says one thing from now on. Requires: no cell is extended.
  void MakeUniform(ShadowPage& page, const ShadowCell& cell) {
    FreeCells(page);
    page = MakePage(kSparse, 0);
    page.cells[0] = cell;
  }

  // If all cells of a dense page agree, one step says it.
  void MakeSparseIfUniform(ShadowPage& page) {
    const ShadowCell cell = page.cells[0];
    if (cell.IsExtended()) return;
    const ShadowCell* const end = page.cells + page.CellCount();
    if (std::all_of(static_cast<const ShadowCell*>(page.cells), end,
                    [&](const ShadowCell& c) { return c == cell; })) {
      MakeUniform(page, cell);
    }
  }

  // Forgets the page; its memory is used again.
  void Drop(ShadowPage& page) {
    FreeLists(page);
    FreeCells(page);
    page = {};
  }

  // The cell that says what the list says, which is the cell's, or free. `all`: the cell's bytes.
  ShadowCell CellOf(ShadowLists::List list, uint8_t all) {
    if (!IsCompact(lists_[list], all)) return ShadowCell::Extended(list);
    ShadowCell cell{};
    for (const ShadowEntry& e : lists_[list]) {
      if (IsWrite(e.kind)) {
        cell.writer = e.strand;
      } else {
        cell.SetReaders(readers_.Append(cell.GetReaders(), e.strand));
      }
    }
    lists_.Free(list);
    return cell;
  }
  // The list, with one entry more.
  ShadowLists::List AddEntry(const ShadowEntry& entry, ShadowLists::List list) {
    for (ShadowEntry& e : lists_[list]) {
      if (e.SameAccess(entry)) {
        e.bytes |= entry.bytes;
        return list;
      }
    }
    return lists_.Append(list, entry);
  }
  // Calls visit(entry) for what a cell says; `bytes` are those of a compact one. Visit may make lists.
  template <class Visit>
  void ForEachEntry(const ShadowCell& cell, Visit visit, uint8_t bytes = 0xFF) const {
    if (cell.IsExtended()) {
      for (size_t i = 0; i < lists_[cell.List()].size(); ++i) visit(lists_[cell.List()][i]);
      return;
    }
    if (cell.writer != kNoStrand) visit(cell.WriterEntry(bytes));
    readers_.All(cell.GetReaders(), [&](StrandId reader) {
      visit(ShadowEntry{reader, kNoLocks, AccessKind::kRead, bytes});
      return true;
    });
  }

  // Do two steps say the same?
  bool Agree(const ShadowCell& a, const ShadowCell& b) const {
    if (!a.IsExtended() || !b.IsExtended()) return a == b;
    const std::span<const ShadowEntry> x = lists_[a.List()], y = lists_[b.List()];
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
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

  size_t PageCount() const { return pages_; }
  size_t BytesUsed() const {
    return steps1_.BytesUsed() + steps6_.BytesUsed() + steps12_.BytesUsed() + steps25_.BytesUsed() +
           words_.BytesUsed() + half_words_.BytesUsed() + bytes_.BytesUsed() + lists_.BytesUsed() +
           readers_.BytesUsed() + PageCount() * sizeof(ShadowPage);
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
  static constexpr size_t kRecent = 512;
  // So many steps that begin in the middle of a word, and a dense page has half words.
  static constexpr size_t kMostHalves = 8;

  static constexpr uintptr_t LeafOf(uintptr_t address) {
    return address >> (kPageShift + kLeafBits);
  }
  static constexpr uintptr_t PageInLeaf(uintptr_t address) {
    return (address >> kPageShift) % kLeafPages;
  }
  // Folded, so that arrays whose distance is a power of two do not fight for one slot.
  static constexpr uintptr_t SlotOf(uintptr_t number) { return (number ^ (number >> 9)) % kRecent; }

  struct Recent {
    uintptr_t number;  // of the page: its address >> kPageShift
    ShadowPage* page;  // null: none
  };

  // Steps that are being made: equal neighbours are one.
  struct Steps {
    void Add(ShadowPages& pages, size_t begin, const ShadowCell& cell) {
      if (count != 0 && pages.Agree(cells[count - 1], cell)) return pages.FreeListOf(cell);
      Append(begin, cell);
    }
    void Append(size_t begin, const ShadowCell& cell) {
      cells[count] = cell;
      begins[count++] = static_cast<int16_t>(begin);
    }

    size_t count = 0;
    ShadowCell cells[kMostSteps + 4];
    int16_t begins[kMostSteps + 4];
  };

  // The steps [from, to) of the page become those.
  static void Replace(ShadowPage& page, size_t from, size_t to, const Steps& made) {
    int16_t* const begins = page.Begins();
    if (made.count != to - from) {
      const size_t after = page.steps - to;
      memmove(page.cells + from + made.count, page.cells + to, after * sizeof(ShadowCell));
      memmove(begins + from + made.count, begins + to, after * sizeof(int16_t));
      page.steps = static_cast<uint8_t>(from + made.count + after);
    }
    std::copy_n(made.cells, made.count, page.cells + from);
    std::copy_n(made.begins, made.count, begins + from);
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

  // A page that says nothing; `room` is for a sparse one.
  ShadowPage MakePage(unsigned shift, unsigned room = 0) {
    ShadowPage page{};
    page.shift = static_cast<uint8_t>(shift);
    page.room = static_cast<uint8_t>(room);
    page.cells =
        static_cast<ShadowCell*>(WithPoolOf(page, [](auto& pool) { return pool.AllocateZero(); }));
    page.steps = shift == kSparse ? 1 : 0;
    ++pages_;
    return page;
  }
  void FreeCells(ShadowPage& page) {
    WithPoolOf(page, [&](auto& pool) {
      pool.Free(page.cells);
      return nullptr;
    });
    --pages_;
  }
  template <class Use>
  void* WithPoolOf(const ShadowPage& page, Use use) {
    if (page.shift == kWordShift) return use(words_);
    if (page.shift == kHalfWordShift) return use(half_words_);
    if (page.shift == kByteShift) return use(bytes_);
    switch (page.room) {
      case 0:
        return use(steps1_);
      case 1:
        return use(steps6_);
      case 2:
        return use(steps12_);
      default:
        return use(steps25_);
    }
  }
  void FreeLists(ShadowPage& page) {
    if (!page.has_lists) return;
    for (size_t i = 0; i < page.CellCount(); ++i) FreeListOf(page.cells[i]);
  }
  void FreeListOf(const ShadowCell& cell) {
    if (cell.IsExtended()) lists_.Free(cell.List());
  }

  // Another step that says the same.
  ShadowCell CopyOf(const ShadowCell& cell) {
    return cell.IsExtended() ? PartOf(cell.List(), 0, 0xFF) : cell;
  }

  // A cell for the bytes [begin, end) of a sparse page, the first of which is in the step.
  ShadowCell FromSteps(const ShadowPage& page, size_t step, size_t begin, size_t end, uint8_t all) {
    ShadowLists::List list = lists_.Make();
    for (; step < page.steps && page.BeginOf(step) < end; ++step) {
      const size_t from = std::max(page.BeginOf(step), begin) - begin;
      const size_t to = std::min(page.EndOf(step), end) - begin;
      const uint8_t bytes = static_cast<uint8_t>((1u << to) - (1u << from));
      ForEachEntry(page.cells[step], [&](ShadowEntry entry) {
        entry.bytes = bytes;
        list = AddEntry(entry, list);
      });
    }
    return CellOf(list, all);
  }
  // A cell for the bytes first_byte, first_byte + 1, ... of the entries in the list.
  ShadowCell PartOf(ShadowLists::List list, unsigned first_byte, uint8_t all) {
    ShadowLists::List part = lists_.Make();
    for (size_t i = 0; i < lists_[list].size(); ++i) {
      ShadowEntry entry = lists_[list][i];
      entry.bytes = static_cast<uint8_t>(entry.bytes >> first_byte) & all;
      if (entry.bytes != 0) part = lists_.Append(part, entry);
    }
    return CellOf(part, all);
  }

  Recent recent_[kRecent] = {};
  ShadowPage** directory_ = nullptr;
  MappedArray<uint32_t> used_leaves_{"the page directory"};
  size_t pages_ = 0;
  BlockPool<16> steps1_{"shadow cells"};
  BlockPool<64> steps6_{"shadow cells"};
  BlockPool<128> steps12_{"shadow cells"};
  BlockPool<256> steps25_{"shadow cells"};
  BlockPool<(kPageBytes >> kWordShift) * sizeof(ShadowCell)> words_{"shadow cells"};
  BlockPool<(kPageBytes >> kHalfWordShift) * sizeof(ShadowCell)> half_words_{"shadow cells"};
  BlockPool<(kPageBytes >> kByteShift) * sizeof(ShadowCell)> bytes_{"shadow cells"};
  ShadowLists lists_{"shadow cells"};
  ReaderLists readers_;
};

}  // namespace taskrace
