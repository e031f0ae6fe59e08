// VersionedLine: eight cells of three 32-bit words and a tag each, under one version, in 128 bytes.
//
// Idea:       as VersionedWords, with one version for neighbours: a range of memory that was touched
//             alike is read, compared and changed eight cells at a time, for one CAS. As long as all
//             cells agree, the words stand once, beside the version: half of the line is not looked
//             at. Else eight equal cells are twelve loads.
// Invariant:  if the version does not say that cells differ, their tags are equal.
// Thread rule: any thread. Not wait-free: a writer that is interrupted while busy holds others up.
//             Who changes different cells of a line at the same time tries again. Where the cells
//             stand for a cache line of the program the two fight for that anyway; where they stand
//             for a page, a change is for 512 bytes at least.
// Cost:       a read of a cell is four loads, a change one CAS and three stores; of all cells that
//             agree the same. The version has 38 bits.
// Tested by:  test/detect/parallel_words_test.cc
#pragma once

#include <bit>
#include <optional>

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
      const Words words = WordsOf(before, cell);
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

  // What became of cells that were to change.
  struct Changed {
    uint64_t done;     // those that say what they were to say
    bool has_written;  // one of them, at least, says something else
  };
  // Changes some cells at once. `cells` has bits for their first bytes (cell_bits.h), and so has `marked` for
  // some of them. after(is_marked, what a cell says) returns what it says then, with the same tag; or nothing, if
  // it stays and is not done. It is asked once for cells that say the same, one after the other, and again if
  // somebody else has changed the line meanwhile.
  template <class After>
  [[gnu::always_inline]] Changed Change(uint64_t cells, uint64_t marked, unsigned shift,
                                        After after) {
    struct {
      Words before{.tag = kNoTag};
      Words after{};
      bool is_done = false;
      bool changes = false;
    } last[2];
    for (unsigned tries = 0;; ++tries) {
      const uint64_t version = version_.load(std::memory_order_acquire);
      Words changed_to[kCells];
      uint64_t done = 0, changed = 0;
      bool is_whole = (version & kBusy) == 0;
      for (uint64_t left = cells; is_whole && left != 0; left &= left - 1) {
        const unsigned at = static_cast<unsigned>(std::countr_zero(left));
        const bool is_marked = (marked >> at & 1) != 0;
        const Words words = WordsOf(version, at >> shift);
        auto& known = last[is_marked];
        if (!(words == known.before)) {
          is_whole = version_.load(std::memory_order_relaxed) == version;
          if (!is_whole) break;
          const std::optional<Words> wanted = after(is_marked, words);
          known = {words, wanted.value_or(words), wanted.has_value(),
                   wanted.has_value() && !(*wanted == words)};
        }
        changed_to[at >> shift] = known.after;
        done |= uint64_t{known.is_done} << at;
        changed |= uint64_t{known.changes} << at;
      }
      if (is_whole && changed == 0) {
        if (version_.load(std::memory_order_relaxed) == version) return {done, false};
      } else if (is_whole && Begin(version)) {
        BeginToDiffer(version);
        for (; changed != 0; changed &= changed - 1) {
          const unsigned cell = static_cast<unsigned>(std::countr_zero(changed)) >> shift;
          SetCell(cell, changed_to[cell]);
        }
        End(version, (version & kTags) | kDiffer);
        return {done, true};
      }
      VersionedWords::Wait(tries);
    }
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
  static constexpr uint32_t kNoTag = VersionedWords::kTags;
  static_assert(kTag == (1 << kTagBits) - 1);

  // If the cells agree, the words of the first one are those of all.
  [[gnu::always_inline]] uint64_t Pair(unsigned cell) const {
    return pairs_[cell].load(std::memory_order_acquire);
  }
  [[gnu::always_inline]] uint32_t Third(unsigned cell) const {
    return static_cast<uint32_t>(thirds_[cell / 2].load(std::memory_order_acquire) >>
                                 cell % 2 * 32);
  }
  // What the cell says, if nobody has changed the line since it had this version.
  [[gnu::always_inline]] Words WordsOf(uint64_t version, unsigned cell) const {
    const unsigned place = (version & kDiffer) == 0 ? 0 : cell;
    const uint64_t pair = Pair(place);
    return {.first = static_cast<uint32_t>(pair),
            .second = static_cast<uint32_t>(pair >> 32),
            .third = Third(place),
            .tag = TagOf(version, cell)};
  }
  // Requires of these: this thread is the one that is busy.
  [[gnu::always_inline]] void SetCell(unsigned cell, const Words& words) {
    pairs_[cell].store(PairOf(words), std::memory_order_release);
    std::atomic<uint64_t>& both = thirds_[cell / 2];
    const unsigned shift = cell % 2 * 32;
    const uint64_t other = both.load(std::memory_order_relaxed) & ~(uint64_t{0xFFFFFFFF} << shift);
    both.store(other | uint64_t{words.third} << shift, std::memory_order_release);
  }
  // Changes the cells first to end - 1, and is not busy any more.
  [[gnu::always_inline]] void SetSome(uint64_t before, unsigned first, unsigned end,
                                      const Words& words) {
    BeginToDiffer(before);
    for (unsigned cell = first; cell < end; ++cell) SetCell(cell, words);
    EndOfSome(before, first, end, words.tag);
  }
  void BeginToDiffer(uint64_t before) {
    if ((before & kDiffer) != 0) return;
    const uint64_t pair = pairs_[0].load(std::memory_order_relaxed);
    const uint64_t thirds = Both(static_cast<uint32_t>(thirds_[0].load(std::memory_order_relaxed)));
    for (std::atomic<uint64_t>& other : pairs_) other.store(pair, std::memory_order_release);
    for (std::atomic<uint64_t>& others : thirds_) others.store(thirds, std::memory_order_release);
  }
  void EndOfSome(uint64_t before, unsigned first, unsigned end, uint32_t tag) {
    const uint64_t changed = TagsOf(first, end);
    End(before, (before & kTags & ~changed) | (tag * kEveryTag & changed) | kDiffer);
  }
  void SetAll(const Words& words) {
    pairs_[0].store(PairOf(words), std::memory_order_release);
    thirds_[0].store(words.third, std::memory_order_release);
  }
  static constexpr uint64_t PairOf(const Words& words) {
    return uint64_t{words.second} << 32 | words.first;
  }
  static constexpr uint64_t Both(uint32_t third) { return uint64_t{third} << 32 | third; }
  // The bits of the tags of the cells first to end - 1.
  static constexpr uint64_t TagsOf(unsigned first, unsigned end) {
    return (uint64_t{1} << end * kTagBits) - (uint64_t{1} << first * kTagBits);
  }
  static uint32_t TagOf(uint64_t version, unsigned cell) {
    return static_cast<uint32_t>(version >> cell * kTagBits & kTag);
  }

  [[gnu::always_inline]] bool SayAt(uint64_t version, const Words& words) const {
    if ((version & (kTags | kBusy)) != words.tag * kEveryTag) return false;
    return (version & kDiffer) == 0 ? Says(0, words) : AllSay(words);
  }
  [[gnu::always_inline]] bool SayAt(uint64_t version, unsigned first, unsigned end,
                                    const Words& words) const {
    const uint64_t tags = TagsOf(first, end);
    if ((version & (tags | kBusy)) != (words.tag * kEveryTag & tags)) return false;
    if ((version & kDiffer) == 0) return Says(0, words);
    while (first < end && Says(first, words)) ++first;
    return first == end;
  }
  // The words of the cell's place, not its tag.
  [[gnu::always_inline]] bool Says(unsigned cell, const Words& words) const {
    return ((Pair(cell) ^ PairOf(words)) | (Third(cell) ^ words.third)) == 0;
  }
  // The same of all places.
  [[gnu::always_inline]] bool AllSay(const Words& words) const {
    uint64_t differs = 0;
    for (const std::atomic<uint64_t>& pair : pairs_) {
      differs |= pair.load(std::memory_order_acquire) ^ PairOf(words);
    }
    for (const std::atomic<uint64_t>& thirds : thirds_) {
      differs |= thirds.load(std::memory_order_acquire) ^ Both(words.third);
    }
    return differs == 0;
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
  std::atomic<uint64_t> thirds_[kCells / 2] = {};  // of two cells each
  std::atomic<uint64_t> pairs_[kCells] = {};       // the first two words of a cell
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
