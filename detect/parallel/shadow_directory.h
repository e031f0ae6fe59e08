// ShadowDirectory: the cells of the program's memory, a page of them for each page of 4 KiB, made by
// whoever touches it first.
//
// Idea:       two levels of pointers. A page has a cell for each 8 bytes, or for each 4 if its first
//             access wants that. It is made aside and put in by CAS; who comes second takes the
//             other's. Pages are never moved or given back, so that a pointer to cells stays good.
// Thread rule: any thread, each with a Cursor of its own, which owns the pages that it has made and
//             lives as long as the directory.
// Cost:       a search is a look into the worker's cache, or two loads; 8 or 16 KiB a page.
// Tested by:  test/detect/parallel_tables_test.cc
#pragma once

#include <atomic>

#include "detect/ds/page_blocks.h"
#include "detect/ds/versioned_line.h"

namespace taskrace {

class ShadowDirectory {
 public:
  static constexpr unsigned kPageShift = 12;
  static constexpr uintptr_t kPageBytes = uintptr_t{1} << kPageShift;
  static constexpr unsigned kAddressBits = 48;
  static constexpr unsigned kWordShift = 3;
  static constexpr unsigned kHalfWordShift = 2;
  static constexpr size_t kBytesOfCell = sizeof(VersionedLine) / VersionedLine::kCells;

  // The cells of a page; a cell stands for 2^shift bytes. No lines: the page is untouched.
  struct Page {
    VersionedLine* lines = nullptr;
    unsigned shift = 0;
    CellOfLine operator[](size_t cell) const {
      return {lines[cell / VersionedLine::kCells],
              static_cast<unsigned>(cell % VersionedLine::kCells)};
    }
  };

  // A worker's pools, and the pages that it used last.
  class Cursor {
   public:
    size_t BytesUsed() const { return words_.BytesUsed() + half_words_.BytesUsed(); }

   private:
    friend ShadowDirectory;
    struct Cached {
      uintptr_t number;
      uintptr_t entry;
    };
    static constexpr size_t kCached = 128;

    PageBlocks<(kPageBytes >> kWordShift) * kBytesOfCell> words_{"shadow cells"};
    PageBlocks<(kPageBytes >> kHalfWordShift) * kBytesOfCell> half_words_{"shadow cells"};
    Cached cache_[kCached] = {};  // an entry is never 0, so an empty slot matches nothing
  };

  constexpr ShadowDirectory() = default;
  ShadowDirectory(const ShadowDirectory&) = delete;
  ShadowDirectory& operator=(const ShadowDirectory&) = delete;
  ~ShadowDirectory() {
    Leaf** leaves = leaves_.load();
    if (leaves == nullptr) return;
    for (size_t i = 0; i < kLeaves; ++i) {
      if (leaves[i] != nullptr) Unmap(leaves[i], sizeof(Leaf));
    }
    Unmap(leaves, kLeaves * sizeof(Leaf*));
  }

  // The page of the address, made if need be with cells of 2^shift bytes.
  [[gnu::always_inline]] Page FindOrMake(Cursor& cursor, uintptr_t address, unsigned shift) {
    const uintptr_t number = address >> kPageShift;
    Cursor::Cached& cached = cursor.cache_[SlotOf(number)];
    if (cached.number != number || cached.entry == 0) [[unlikely]]
      cached = {number, EntryOf(cursor, number, shift)};
    return Decode(cached.entry);
  }

  // The page of the address, if there is one.
  Page Find(uintptr_t address) const {
    const std::atomic<uintptr_t>* entry = Search(address >> kPageShift);
    return entry == nullptr ? Page{} : Decode(entry->load(std::memory_order_acquire));
  }

  // The first address in [address, end) whose page may be there, or end.
  uintptr_t SkipMissing(uintptr_t address, uintptr_t end) const {
    while (address < end && Search(address >> kPageShift) == nullptr) {
      address = (address | (kLeafPages * kPageBytes - 1)) + 1;
    }
    return address < end ? address : end;
  }

 private:
  static constexpr unsigned kLeafBits = 18;
  static constexpr size_t kLeafPages = size_t{1} << kLeafBits;
  static constexpr size_t kLeaves = size_t{1} << (kAddressBits - kPageShift - kLeafBits);
  struct Leaf {
    std::atomic<uintptr_t> entries[kLeafPages];  // cells, and 1 if they stand for half words
  };

  static constexpr uintptr_t SlotOf(uintptr_t number) {
    return (number ^ (number >> 7)) % Cursor::kCached;
  }
  static Page Decode(uintptr_t entry) {
    if (entry == 0) return {};
    return {reinterpret_cast<VersionedLine*>(entry & ~uintptr_t{1}),
            (entry & 1) != 0 ? kHalfWordShift : kWordShift};
  }

  const std::atomic<uintptr_t>* Search(uintptr_t number) const {
    Leaf** leaves = leaves_.load(std::memory_order_acquire);
    if (leaves == nullptr) return nullptr;
    Leaf* leaf = std::atomic_ref(leaves[number >> kLeafBits]).load(std::memory_order_acquire);
    return leaf == nullptr ? nullptr : &leaf->entries[number % kLeafPages];
  }

  [[gnu::noinline]] uintptr_t EntryOf(Cursor& cursor, uintptr_t number, unsigned shift) {
    if (leaves_.load(std::memory_order_acquire) == nullptr) {
      Install(leaves_, kLeaves * sizeof(Leaf*));
    }
    std::atomic_ref<Leaf*> leaf(leaves_.load(std::memory_order_acquire)[number >> kLeafBits]);
    if (leaf.load(std::memory_order_acquire) == nullptr) Install(leaf, sizeof(Leaf));
    std::atomic<uintptr_t>& entry =
        leaf.load(std::memory_order_acquire)->entries[number % kLeafPages];
    uintptr_t found = entry.load(std::memory_order_acquire);
    if (found != 0) return found;
    const bool words = shift == kWordShift;
    void* cells = words ? cursor.words_.Allocate() : cursor.half_words_.Allocate();
    const uintptr_t made = reinterpret_cast<uintptr_t>(cells) | (words ? 0 : 1);
    if (entry.compare_exchange_strong(found, made, std::memory_order_acq_rel)) return made;
    words ? cursor.words_.GiveBack(cells) : cursor.half_words_.GiveBack(cells);
    return found;
  }

  // Puts a zero table where there is none.
  template <class Atomic>
  static void Install(Atomic& place, size_t bytes) {
    using Pointer = typename Atomic::value_type;
    void* made = Map(bytes, "the page directory");
    Pointer nobodys = nullptr;
    if (!place.compare_exchange_strong(nobodys, static_cast<Pointer>(made))) Unmap(made, bytes);
  }

  std::atomic<Leaf**> leaves_{nullptr};
};

}  // namespace taskrace
