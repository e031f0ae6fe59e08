// ShadowDirectory: what is known of the program's memory, by pages of 4 KiB.
//
// Idea:       a page is closed while all of its bytes agree: then it is one cell. Opened, it has a cell for
//             each 8 bytes, or for each 4 if the access that opens it wants that. The cells are made
//             aside, saying what the page says, and put in by changing the page's own cell: who comes
//             second takes the other's. Closed pages are found in a table of two levels.
// Invariant:  an open page stays open, and its cells stay where they are: a pointer to them stays good.
// Thread rule: any thread, each with a Cursor of its own, which owns the cells that it has made and
//             lives as long as the directory.
// Cost:       a search for open cells is a look into the worker's cache, or some loads; 16 bytes a closed
//             page, 8 or 16 KiB an open one.
// Tested by:  test/detect/parallel_tables_test.cc
#pragma once

#include <atomic>
#include <utility>

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

  // The tag of a page that is open.
  static constexpr uint32_t kOpen = VersionedWords::kTags - 1;

  // The cells of an open page; a cell stands for 2^shift bytes. No lines: the page is closed.
  struct Page {
    VersionedLine* lines = nullptr;
    unsigned shift = 0;
    CellOfLine operator[](size_t cell) const {
      return {lines[cell / VersionedLine::kCells],
              static_cast<unsigned>(cell % VersionedLine::kCells)};
    }
  };
  // Of the words of the page's own cell.
  static Page CellsOf(const VersionedWords::Words& words) {
    if (words.tag != kOpen) return {};
    return {reinterpret_cast<VersionedLine*>(uintptr_t{words.second} << 32 | words.first),
            words.third};
  }

  // A worker's pools, and the pages that it used last.
  class Cursor {
   public:
    size_t BytesUsed() const { return words_.BytesUsed() + half_words_.BytesUsed(); }

   private:
    friend ShadowDirectory;
    struct Cached {
      uintptr_t number;
      Page page;
    };
    static constexpr size_t kCached = 128;

    PageBlocks<(kPageBytes >> kWordShift) * kBytesOfCell> words_{"shadow cells"};
    PageBlocks<(kPageBytes >> kHalfWordShift) * kBytesOfCell> half_words_{"shadow cells"};
    Cached cache_[kCached] = {};  // open pages
  };

  constexpr ShadowDirectory() = default;
  ShadowDirectory(const ShadowDirectory&) = delete;
  ShadowDirectory& operator=(const ShadowDirectory&) = delete;
  ~ShadowDirectory() {
    for (Leaf* leaf = newest_.load(); leaf != nullptr;)
      Unmap(std::exchange(leaf, leaf->older), kLeafBytes);
    if (Leaf** leaves = leaves_.load()) Unmap(leaves, kLeaves * sizeof(Leaf*));
  }

  // The cells of the address's page, if it is open.
  [[gnu::always_inline]] Page FindOpen(Cursor& cursor, uintptr_t address) const {
    const uintptr_t number = address >> kPageShift;
    Cursor::Cached& cached = cursor.cache_[SlotOf(number)];
    if (cached.number != number || cached.page.lines == nullptr) [[unlikely]] {
      const VersionedWords* words = Find(address);
      cached = {number, words == nullptr ? Page{} : CellsOf(words->Load().words)};
    }
    return cached.page;
  }

  // The page's own cell; null: nobody has ever asked for it.
  const VersionedWords* Find(uintptr_t address) const {
    Leaf** leaves = leaves_.load(std::memory_order_acquire);
    if (leaves == nullptr) return nullptr;
    const uintptr_t number = address >> kPageShift;
    Leaf* leaf = std::atomic_ref(leaves[number >> kLeafBits]).load(std::memory_order_acquire);
    return leaf == nullptr ? nullptr : &leaf->pages[number % kLeafPages];
  }
  VersionedWords& FindOrMake(uintptr_t address) {
    if (const VersionedWords* found = Find(address)) return const_cast<VersionedWords&>(*found);
    return MakeLeaf(address >> kPageShift);
  }

  // Opens the page, which was seen closed. No lines: somebody has changed it since.
  [[gnu::noinline]] Page Open(Cursor& cursor, uintptr_t address,
                              const VersionedWords::Snapshot& seen, unsigned shift) {
    const bool words = shift == kWordShift;
    void* memory = words ? cursor.words_.Allocate() : cursor.half_words_.Allocate();
    VersionedLine* lines = static_cast<VersionedLine*>(memory);
    const size_t count = (kPageBytes >> shift) / VersionedLine::kCells;
    const auto fill = [&](const VersionedWords::Words& all) {
      for (size_t i = 0; i < count; ++i) new (&lines[i]) VersionedLine(all);
    };
    const bool is_empty = seen.words == VersionedWords::Words{};
    if (!is_empty) fill(seen.words);
    const uintptr_t place = reinterpret_cast<uintptr_t>(lines);
    if (FindOrMake(address).Replace(seen, {.first = static_cast<uint32_t>(place),
                                           .second = static_cast<uint32_t>(place >> 32),
                                           .third = shift,
                                           .tag = kOpen})) {
      return {lines, shift};
    }
    if (!is_empty) fill({});
    words ? cursor.words_.GiveBack(memory) : cursor.half_words_.GiveBack(memory);
    return {};
  }

  // Calls visit(page's own cell) for all that may say something.
  template <class Visit>
  void ForEach(Visit visit) const {
    const Leaf* leaf = newest_.load(std::memory_order_acquire);
    for (; leaf != nullptr; leaf = leaf->older) {
      for (const VersionedWords& page : leaf->pages) visit(page);
    }
  }

  // The first address in [address, end) whose page may be there, or end.
  uintptr_t SkipMissing(uintptr_t address, uintptr_t end) const {
    while (address < end && Find(address) == nullptr) {
      address = (address | (kLeafPages * kPageBytes - 1)) + 1;
    }
    return address < end ? address : end;
  }

 private:
  static constexpr unsigned kLeafBits = 12;
  static constexpr size_t kLeafPages = size_t{1} << kLeafBits;
  static constexpr size_t kLeaves = size_t{1} << (kAddressBits - kPageShift - kLeafBits);
  struct Leaf {
    VersionedWords pages[kLeafPages];
    Leaf* older;  // of all leaves
  };
  static constexpr size_t kLeafBytes = RoundUpToMapping(sizeof(Leaf));

  static constexpr uintptr_t SlotOf(uintptr_t number) {
    return (number ^ (number >> 7)) % Cursor::kCached;
  }

  [[gnu::noinline]] VersionedWords& MakeLeaf(uintptr_t number) {
    if (leaves_.load(std::memory_order_acquire) == nullptr) {
      Install(leaves_, kLeaves * sizeof(Leaf*));
    }
    std::atomic_ref<Leaf*> leaf(leaves_.load(std::memory_order_acquire)[number >> kLeafBits]);
    if (leaf.load(std::memory_order_acquire) == nullptr && Install(leaf, kLeafBytes)) {
      Leaf* made = leaf.load(std::memory_order_acquire);
      made->older = newest_.load();
      while (!newest_.compare_exchange_weak(made->older, made)) continue;
    }
    return leaf.load(std::memory_order_acquire)->pages[number % kLeafPages];
  }

  // Puts a zero table where there is none; false: somebody else has.
  template <class Atomic>
  static bool Install(Atomic& place, size_t bytes) {
    using Pointer = typename Atomic::value_type;
    void* made = Map(bytes, "the page directory");
    Pointer nobodys = nullptr;
    if (place.compare_exchange_strong(nobodys, static_cast<Pointer>(made))) return true;
    Unmap(made, bytes);
    return false;
  }

  std::atomic<Leaf**> leaves_{nullptr};
  std::atomic<Leaf*> newest_{nullptr};
};

}  // namespace taskrace
