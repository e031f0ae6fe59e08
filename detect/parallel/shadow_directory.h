// ShadowDirectory: what is known of the program's memory, by pages of 4 KiB and blocks of 512 bytes.
//
// Idea:       a page is closed while all of its bytes agree: then it is one cell. Opened, it is a
//             line of eight cells, one for each of its blocks; and a block, opened in its turn, has
//             a cell for each 8 bytes, or for each 4 if the access that opens it wants that. So a
//             border between rows opens one block, and the others are still visited at once.
//             The cells are made aside, saying what the page or the block says, and put in by
//             changing its own cell: who comes second takes the other's. Pages are found in a table
//             of two levels.
// Invariant:  an open page or block stays open, and its cells stay where they are: a pointer to them
//             stays good.
// Thread rule: any thread, each with a Cursor of its own, which owns the cells that it has made and
//             lives as long as the directory.
// Cost:       a search for open cells is a look into the worker's cache, or some loads; 16 bytes a
//             closed page, 128 an open one, and 1 or 2 KiB an open block.
// Tested by:  test/detect/parallel_tables_test.cc
#pragma once

#include <atomic>
#include <utility>

#include "detect/ds/versioned_line.h"
#include "detect/ds/zero_blocks.h"

namespace taskrace {

class ShadowDirectory {
  using Words = VersionedWords::Words;

 public:
  static constexpr unsigned kPageShift = 12;
  static constexpr uintptr_t kPageBytes = uintptr_t{1} << kPageShift;
  static constexpr unsigned kBlockShift = 9;
  static constexpr uintptr_t kBlockBytes = uintptr_t{1} << kBlockShift;
  static constexpr unsigned kAddressBits = 48;
  static constexpr unsigned kWordShift = 3;
  static constexpr unsigned kHalfWordShift = 2;

  // The tag of a cell of a page or a block that is open.
  static constexpr uint32_t kOpen = VersionedWords::kTags - 1;

  // The blocks of an open page. No lines: the page is closed.
  struct Blocks {
    static constexpr uintptr_t kBytes = kPageBytes;
    static constexpr unsigned shift = kBlockShift;
    VersionedLine* lines = nullptr;
  };
  // The cells of an open block; a cell stands for 2^shift bytes. No lines: the block is not open.
  struct Cells {
    static constexpr uintptr_t kBytes = kBlockBytes;
    VersionedLine* lines = nullptr;
    unsigned shift = 0;
  };
  // Of a page or a block: the line with the cell of the address, and how many lines there are.
  template <class Cells>
  static VersionedLine& LineOf(const Cells& cells, uintptr_t address) {
    return cells.lines[(address % Cells::kBytes >> cells.shift) / VersionedLine::kCells];
  }
  template <class Cells>
  static size_t LineCount(const Cells& cells) {
    return (Cells::kBytes >> cells.shift) / VersionedLine::kCells;
  }

  // Calls visit(Blocks or Cells): what the cell of an open page or block leads to.
  template <class Visit>
  static auto VisitOpen(const Words& open, Visit visit) {
    return open.third == kBlockShift ? visit(Blocks{LinesOf(open)})
                                     : visit(Cells{LinesOf(open), open.third});
  }

  // A worker's pools, and the pages that it used last.
  class Cursor {
   public:
    size_t BytesUsed() const {
      return pages_.BytesUsed() + words_.BytesUsed() + half_words_.BytesUsed();
    }

   private:
    friend ShadowDirectory;
    static constexpr size_t kBlocks = kPageBytes / kBlockBytes;
    static constexpr size_t kCached = 128;
    // Of an open page what is known to be open: the lines, and the shift in their lowest bits.
    struct Cached {
      uintptr_t number;
      VersionedLine* lines;
      uintptr_t blocks[kBlocks];
    };
    template <unsigned kShift, uintptr_t kBytes>
    using Pool = ZeroBlocks<(kBytes >> kShift) / VersionedLine::kCells * sizeof(VersionedLine)>;

    Pool<kBlockShift, kPageBytes> pages_{"shadow cells"};
    Pool<kWordShift, kBlockBytes> words_{"shadow cells"};
    Pool<kHalfWordShift, kBlockBytes> half_words_{"shadow cells"};
    Cached cache_[kCached] = {};
  };
  // What is open at an address.
  struct Found {
    Blocks page;
    Cells block;
  };

  constexpr ShadowDirectory() = default;
  ShadowDirectory(const ShadowDirectory&) = delete;
  ShadowDirectory& operator=(const ShadowDirectory&) = delete;
  ~ShadowDirectory() {
    for (Leaf* leaf = newest_.load(); leaf != nullptr;)
      Unmap(std::exchange(leaf, leaf->older), kLeafBytes);
    if (Leaf** leaves = leaves_.load()) Unmap(leaves, kLeaves * sizeof(Leaf*));
  }

  // The cells of the address's page and block, as far as they are open.
  [[gnu::always_inline]] Found FindOpen(Cursor& cursor, uintptr_t address) const {
    const uintptr_t number = address >> kPageShift;
    Cursor::Cached& cached = cursor.cache_[SlotOf(number)];
    uintptr_t block = cached.blocks[BlockOf(address)];
    if (cached.number != number || block == 0) [[unlikely]]
      block = LookUp(cached, address);
    return {{cached.lines},
            {reinterpret_cast<VersionedLine*>(block & ~kShiftBits),
             static_cast<unsigned>(block & kShiftBits)}};
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

  // What the cell of a page or a block says when it is open. Its cells are for 2^shift bytes each, and
  // say `all`, as it did.
  Words Make(Cursor& cursor, const Words& all, unsigned shift) {
    const uintptr_t place = reinterpret_cast<uintptr_t>(Allocate(cursor, shift));
    const Words open{.first = static_cast<uint32_t>(place),
                     .second = static_cast<uint32_t>(place >> 32),
                     .third = shift,
                     .tag = kOpen};
    if (!(all == Words{})) Fill(open, all);
    return open;
  }
  // Nobody has seen this.
  void GiveBack(Cursor& cursor, const Words& open) {
    Fill(open, {});
    VersionedLine* const lines = LinesOf(open);
    switch (open.third) {
      case kBlockShift:
        return cursor.pages_.GiveBack(lines);
      case kWordShift:
        return cursor.words_.GiveBack(lines);
      default:
        return cursor.half_words_.GiveBack(lines);
    }
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

  static constexpr uintptr_t kShiftBits = alignof(VersionedLine) - 1;

  static VersionedLine* LinesOf(const Words& open) {
    return reinterpret_cast<VersionedLine*>(uintptr_t{open.second} << 32 | open.first);
  }
  static void* Allocate(Cursor& cursor, unsigned shift) {
    switch (shift) {
      case kBlockShift:
        return cursor.pages_.Allocate();
      case kWordShift:
        return cursor.words_.Allocate();
      default:
        return cursor.half_words_.Allocate();
    }
  }
  static void Fill(const Words& open, const Words& all) {
    VisitOpen(open, [&](const auto& cells) {
      for (size_t i = 0; i < LineCount(cells); ++i) new (&cells.lines[i]) VersionedLine(all);
    });
  }

  static constexpr uintptr_t SlotOf(uintptr_t number) {
    return (number ^ (number >> 7)) % Cursor::kCached;
  }
  static constexpr size_t BlockOf(uintptr_t address) { return address % kPageBytes / kBlockBytes; }

  // The cache does not know the block to be open. Returns what it says of it then.
  [[gnu::noinline]] uintptr_t LookUp(Cursor::Cached& cached, uintptr_t address) const {
    const uintptr_t number = address >> kPageShift;
    if (cached.number != number) cached = {.number = number, .lines = nullptr, .blocks = {}};
    if (cached.lines == nullptr) {
      const VersionedWords* const page = Find(address);
      if (page == nullptr) return 0;
      const Words words = page->Load().words;
      if (words.tag != kOpen) return 0;
      cached.lines = LinesOf(words);
    }
    const Words words = cached.lines->Load(BlockOf(address)).words;
    if (words.tag != kOpen) return 0;
    return cached.blocks[BlockOf(address)] =
               reinterpret_cast<uintptr_t>(LinesOf(words)) | words.third;
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
