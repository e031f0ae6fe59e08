// VersionedLine: eight cells of three 32-bit words and a tag each, under one version, in 128 bytes.
//
// Idea:       as VersionedWords, with one version for neighbours: a range of memory that was touched
//             alike is read, compared and changed eight cells at a time, for one CAS. As long as all
//             cells agree, the words stand once, beside the version: half of the line is not looked
//             at. Else each word has an array of its own, so that eight equal cells are twelve loads.
// Invariant:  if the version does not say that cells differ, their tags are equal.
// Thread rule: any thread. Not wait-free: a writer that is interrupted while busy holds others up.
//             Who changes different cells of a line at the same time tries again. Where the cells
//             stand for a cache line of the program the two fight for that anyway; where they stand
//             for a page, a change is for 512 bytes at least.
// Cost:       a read of a cell is five loads, a change one CAS and four stores; of all cells that
//             agree four loads, or one CAS and three stores; of a run of them that does, one CAS and
//             three stores for each two cells. The version has 38 bits.
// Tested by:  test/detect/parallel_words_test.cc
#pragma once

#include <bit>

#include "detect/ds/versioned_words.h"

namespace taskrace {

class alignas(64) VersionedLine {
 public:
  static constexpr unsigned kCells = 8;
  using Words = VersionedWords::Words;
  using Snapshot = VersionedWords::Snapshot;

  constexpr VersionedLine() = default;
  // All cells say this. Requires: nobody else knows this object yet.
  explicit VersionedLine(const Words& all) : version_(all.tag * kEveryTag) { SetAll(all); }

  [[gnu::always_inline]] Snapshot Load(unsigned cell) const {
    for (unsigned tries = 0;; ++tries) {
      const uint64_t before = version_.load(std::memory_order_acquire);
      Words words{.tag = TagOf(before, cell)};
      if ((before & kDiffer) == 0) [[likely]] {
        words.first = Word(firsts_, kFirstOfAll);
        words.second = Word(firsts_, kSecondOfAll);
        words.third = Word(firsts_, kThirdOfAll);
      } else {
        words.first = Word(firsts_, cell);
        words.second = Word(seconds_, cell);
        words.third = Word(thirds_, cell);
      }
      const uint64_t after = version_.load(std::memory_order_relaxed);
      if (before == after && (before & kBusy) == 0) [[likely]]
        return {words, before};
      VersionedWords::Wait(tries);
    }
  }

  // Changes a cell if nobody has changed the line since the snapshot; says whether it did.
  bool Replace(unsigned cell, const Snapshot& seen, const Words& words) {
    if (!Begin(seen.version_half)) return false;
    BeginToDiffer(seen.version_half);
    SetCell(cell, words);
    EndOfSome(seen.version_half, cell, cell + 1, words.tag);
    return true;
  }
  // The same of the cells first to end - 1.
  [[gnu::always_inline]] bool Replace(unsigned first, unsigned end, const Snapshot& seen,
                                      const Words& words) {
    if (!Begin(seen.version_half)) return false;
    SetSome(seen.version_half, first, end, words);
    return true;
  }
  // How many cells from `first` on, before `end`, said what that one said, in the version of the
  // snapshot; 1 if nobody knows any more. Requires: the snapshot is of the first.
  [[gnu::always_inline]] unsigned Alike(const Snapshot& seen, unsigned first, unsigned end) const {
    if ((seen.version_half & kDiffer) == 0) return end - first;
    const uint64_t other_tags =
        (seen.version_half ^ seen.words.tag * kEveryTag) & TagsOf(first, end);
    if (other_tags != 0) end = static_cast<unsigned>(std::countr_zero(other_tags)) / kTagBits;
    unsigned cell = first + 1;
    while (cell < end && Says(cell, seen.words)) ++cell;
    return version_.load(std::memory_order_relaxed) == seen.version_half ? cell - first : 1;
  }

  // Do all cells say this?
  [[gnu::always_inline]] bool Say(const Words& words) const {
    const uint64_t before = version_.load(std::memory_order_acquire);
    return SayAt(before, words) && version_.load(std::memory_order_relaxed) == before;
  }

  // Changes all cells from `from` to `to`; says whether it did.
  [[gnu::always_inline]] bool Exchange(const Words& from, const Words& to) {
    const uint64_t before = version_.load(std::memory_order_acquire);
    if (!SayAt(before, from) || !Begin(before)) return false;
    SetAll(to);
    End(before, to.tag * kEveryTag);
    return true;
  }

  // Makes cells say nothing, whatever they say, if their tags are 0; says whether it did.
  bool Clear(unsigned first, unsigned end) {
    const uint64_t before = version_.load(std::memory_order_acquire);
    if ((before & (TagsOf(first, end) | kBusy)) != 0) return false;
    if (end - first == kCells ? SayAt(before, {}) : SayAt(before, first, end, {})) {
      return version_.load(std::memory_order_relaxed) == before;
    }
    if (!Begin(before)) return false;
    if (end - first == kCells) {
      SetAll({});
      End(before, 0);
    } else {
      SetSome(before, first, end, {});
    }
    return true;
  }

 private:
  // The version's word: tags of the cells, whether cells differ, busy, version.
  static constexpr unsigned kTagBits = 3;
  static constexpr uint64_t kTag = VersionedWords::kTags - 1;
  static constexpr uint64_t kTags = (uint64_t{1} << kTagBits * kCells) - 1;
  static constexpr uint64_t kEveryTag = kTags / kTag;  // a one in each
  static constexpr uint64_t kDiffer = kTags + 1;
  static constexpr uint64_t kBusy = 2 * kDiffer;
  static constexpr uint64_t kVersion = 2 * kBusy;
  static_assert(kTag == (1 << kTagBits) - 1);

  // A word of each cell, two in one. If the cells agree, the first array has their words.
  using Array = std::atomic<uint64_t>[kCells / 2];
  static constexpr unsigned kFirstOfAll = 0, kSecondOfAll = 1, kThirdOfAll = 2;

  static uint32_t Word(const Array& array, unsigned cell) {
    return static_cast<uint32_t>(array[cell / 2].load(std::memory_order_acquire) >> cell % 2 * 32);
  }
  // Requires of these: this thread is the one that is busy.
  static void SetWord(Array& array, unsigned cell, uint32_t word) {
    const unsigned shift = cell % 2 * 32;
    const uint64_t both = array[cell / 2].load(std::memory_order_relaxed);
    const uint64_t others = both & ~(uint64_t{0xFFFFFFFF} << shift);
    array[cell / 2].store(others | uint64_t{word} << shift, std::memory_order_release);
  }
  void SetCell(unsigned cell, const Words& words) {
    SetWord(firsts_, cell, words.first);
    SetWord(seconds_, cell, words.second);
    SetWord(thirds_, cell, words.third);
  }
  // Changes the cells first to end - 1, and is not busy any more.
  [[gnu::always_inline]] void SetSome(uint64_t before, unsigned first, unsigned end,
                                      const Words& words) {
    BeginToDiffer(before);
    unsigned cell = first;
    if (cell % 2 != 0) SetCell(cell++, words);
    for (; cell + 1 < end; cell += 2) {
      firsts_[cell / 2].store(Both(words.first, words.first), std::memory_order_release);
      seconds_[cell / 2].store(Both(words.second, words.second), std::memory_order_release);
      thirds_[cell / 2].store(Both(words.third, words.third), std::memory_order_release);
    }
    if (cell < end) SetCell(cell, words);
    EndOfSome(before, first, end, words.tag);
  }
  void BeginToDiffer(uint64_t before) {
    if ((before & kDiffer) != 0) return;
    const uint64_t both = firsts_[0].load(std::memory_order_relaxed);
    Fill(thirds_, static_cast<uint32_t>(firsts_[1].load(std::memory_order_relaxed)));
    Fill(seconds_, static_cast<uint32_t>(both >> 32));
    Fill(firsts_, static_cast<uint32_t>(both));
  }
  void EndOfSome(uint64_t before, unsigned first, unsigned end, uint32_t tag) {
    const uint64_t changed = TagsOf(first, end);
    End(before, (before & kTags & ~changed) | (tag * kEveryTag & changed) | kDiffer);
  }
  static void Fill(Array& array, uint32_t word) {
    for (std::atomic<uint64_t>& both : array)
      both.store(Both(word, word), std::memory_order_release);
  }
  void SetAll(const Words& words) {
    firsts_[0].store(Both(words.first, words.second), std::memory_order_release);
    firsts_[1].store(words.third, std::memory_order_release);
  }
  static constexpr uint64_t Both(uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; }
  // The bits of the tags of the cells first to end - 1.
  static constexpr uint64_t TagsOf(unsigned first, unsigned end) {
    return (uint64_t{1} << end * kTagBits) - (uint64_t{1} << first * kTagBits);
  }
  static uint32_t TagOf(uint64_t version, unsigned cell) {
    return static_cast<uint32_t>(version >> cell * kTagBits & kTag);
  }

  // Of cells that agree.
  bool AllSay(const Words& words) const {
    return ((firsts_[0].load(std::memory_order_acquire) ^ Both(words.first, words.second)) |
            (firsts_[1].load(std::memory_order_acquire) ^ words.third)) == 0;
  }
  [[gnu::always_inline]] bool SayAt(uint64_t version, const Words& words) const {
    if ((version & (kTags | kBusy)) != words.tag * kEveryTag) return false;
    if ((version & kDiffer) == 0) [[likely]]
      return AllSay(words);
    return Differs(firsts_, words.first) + Differs(seconds_, words.second) +
               Differs(thirds_, words.third) ==
           0;
  }
  [[gnu::always_inline]] bool SayAt(uint64_t version, unsigned first, unsigned end,
                                    const Words& words) const {
    const uint64_t tags = TagsOf(first, end);
    if ((version & (tags | kBusy)) != (words.tag * kEveryTag & tags)) return false;
    if ((version & kDiffer) == 0) return AllSay(words);
    while (first < end && Says(first, words)) ++first;
    return first == end;
  }
  // Of a cell, where they differ: its words, not its tag.
  [[gnu::always_inline]] bool Says(unsigned cell, const Words& words) const {
    return ((Word(firsts_, cell) ^ words.first) | (Word(seconds_, cell) ^ words.second) |
            (Word(thirds_, cell) ^ words.third)) == 0;
  }
  // 0 if all words of the array are this one.
  [[gnu::always_inline]] static unsigned Differs(const Array& array, uint32_t word) {
    uint64_t differs = 0;
    for (const std::atomic<uint64_t>& both : array) {
      differs |= both.load(std::memory_order_acquire) ^ Both(word, word);
    }
    return differs != 0;
  }

  bool Begin(uint64_t version) {
    return version_.compare_exchange_strong(version, version | kBusy, std::memory_order_acq_rel,
                                            std::memory_order_relaxed);
  }
  // `state`: the tags, and whether cells differ.
  void End(uint64_t before, uint64_t state) {
    version_.store((before & ~(kTags | kDiffer)) + kVersion | state, std::memory_order_release);
  }

  std::atomic<uint64_t> version_{0};
  Array firsts_ = {};
  Array seconds_ = {};
  Array thirds_ = {};
};
static_assert(sizeof(VersionedLine) == 128);

// One cell of a line, as if it were words with a version of their own.
class CellOfLine {
 public:
  CellOfLine(VersionedLine& line, unsigned cell) : line_(line), cell_(cell) {}
  VersionedLine::Snapshot Load() const { return line_.Load(cell_); }
  bool Replace(const VersionedLine::Snapshot& seen, const VersionedLine::Words& words) {
    return line_.Replace(cell_, seen, words);
  }

 private:
  VersionedLine& line_;
  const unsigned cell_;
};

// Cells of a line that say the same.
class RunOfLine {
 public:
  RunOfLine(VersionedLine& line, unsigned first, unsigned end)
      : line_(line), first_(first), end_(end) {}
  bool Replace(const VersionedLine::Snapshot& seen, const VersionedLine::Words& words) {
    return line_.Replace(first_, end_, seen, words);
  }

 private:
  VersionedLine& line_;
  const unsigned first_;
  const unsigned end_;
};

}  // namespace taskrace
