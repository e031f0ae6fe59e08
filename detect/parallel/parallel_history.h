// ParallelHistory: an access history exact to the byte that any number of workers tell at once.
// Paper:      Raman, Zhao, Sarkar, Vechev, Yahav (SPD3), PLDI 2012, section 5.4.
// Idea:       a cell stands for bytes that agree: a writer and two readers (cell_rules.h) that
//             change together. Eight neighbours share a version (versioned_line.h), and where they
//             agree they are visited at once. An access that changes nothing writes nothing. A cell
//             of which a part is told something else becomes several smaller ones:
//   closed    a page of 4 KiB is one cell; opened, a line of eight blocks (shadow_directory.h).
//   block     512 bytes; opened, lines of cells of 8 or 4 bytes.
//   split     such a cell becomes two of half the size, and so on (split_cells.h).
//   by kind   where atomics or locks come in, a byte gets a list (kind_lists.h).
// Invariant:  a cell changes its state plain -> open, split or by kind, and from split back to
//             plain only when all of it is forgotten; the list of a byte only grows. So whoever has
//             found a cell may use it without asking again: what is forgotten meanwhile was told
//             before.
// Thread rule: any thread, each with a Cursor of its own, which lives as long as the history.
// Cost:       a range costs a step per closed page or line of cells that agree, else a step per
//             run of cells that do, be they blocks or smaller. Constant space: 16 bytes a cell, at
//             most 30 bytes for each byte of a split one; 80 bytes a byte and lock set where
//             atomics and locks are.
// Tested by:  test/oracle/parallel_orders_test.cc, parallel_threads_test.cc,
//             test/detect/parallel_worker_test.cc
#pragma once

#include <algorithm>

#include "detect/ds/cell_bits.h"
#include "detect/parallel/kind_lists.h"
#include "detect/parallel/known_changes.h"
#include "detect/parallel/shadow_directory.h"
#include "detect/parallel/split_cells.h"

namespace taskrace {

class ParallelHistory {
  using Words = VersionedWords::Words;
  using Snapshot = VersionedWords::Snapshot;

 public:
  // What a worker has of the history, and what it has done to it.
  struct Cursor {
    explicit Cursor(Epochs& epochs) : parts(epochs) {}
    ShadowDirectory::Cursor pages = {};
    SplitCells::Cursor parts;
    KindLists::Cursor lists = {};
    KnownChanges changes = {};
    CellCounts counts = {};
    // Where single words are followed by parts of them, as the members of a struct, half words are better.
    size_t opened_by_words = 0;
    size_t split_words = 0;

    // The cells of a block that suit the access that opens it.
    unsigned ShiftFor(uintptr_t first, uintptr_t end) {
      constexpr unsigned kWord = ShadowDirectory::kWordShift;
      constexpr unsigned kHalf = ShadowDirectory::kHalfWordShift;
      if ((first | end) % 8 != 0) return (first | end) % 4 == 0 ? kHalf : kWord;
      if (end - first > 8) return kWord;
      return split_words > opened_by_words++ ? kHalf : kWord;
    }
  };

  constexpr ParallelHistory() = default;

  // Checks the access against what is remembered, and remembers it.
  template <HistoryContext C>
  void Access(Cursor& cursor, uintptr_t first, size_t size, C& c) {
    const uintptr_t end = End(first, size);
    while (first < end) {
      const ShadowDirectory::Found open = pages_.FindOpen(cursor.pages, first);
      if (open.block.lines != nullptr) [[likely]] {
        const uintptr_t to = std::min(end, EndOf<Cells>(first));
        AccessCells(cursor, open.block, first, to, &kNoChange, c);
        first = to;
      } else {
        first = AccessPages(cursor, open.page, first, end, c);
      }
    }
  }

  // Plain accesses to some bytes of an aligned line of 64, by a bit for each byte that is touched, and that is
  // written. Does what it can without a race and by whole cells; returns the bits of the rest. Requires: the
  // contexts are those of a write and a read of the strand.
  template <HistoryContext C>
  [[gnu::noinline]] uint64_t AccessLine(Cursor& cursor, uint64_t touched, uint64_t written,
                                        uintptr_t address, C& write, C& read) {
    const Cells block = pages_.FindOpen(cursor.pages, address).block;
    if (block.lines == nullptr || !IsPlain(write)) return touched;
    VersionedLine* const line = &ShadowDirectory::LineOf(block, address);
    const uint64_t writes = WholeCells(written, block.shift);
    const uint64_t cells = writes | WholeCells(touched & ~written, block.shift);
    const auto access = [&](VersionedLine& line, uint64_t cells, uint64_t writes) {
      return cells == 0 ? 0 : AccessSome(cursor, line, cells, writes, block.shift, write, read);
    };
    if (block.shift == ShadowDirectory::kWordShift) {
      return touched & ~BytesOfCells(access(line[0], cells, writes), block.shift);
    }
    const uint64_t done = access(line[0], cells & kLowerHalf, writes) |
                          access(line[1], cells >> 32, writes >> 32) << 32;
    return touched & ~BytesOfCells(done, block.shift);
  }

  // Forgets the bytes. Requires: nobody will tell an access to them that is older (quarantine.h).
  void Clear(Cursor& cursor, uintptr_t first, size_t size) {
    const uintptr_t end = End(first, size);
    while ((first = pages_.SkipMissing(first, end)) < end) {
      const ShadowDirectory::Found open = pages_.FindOpen(cursor.pages, first);
      uintptr_t to;
      if (open.block.lines != nullptr) {
        to = std::min(end, EndOf<Cells>(first));
        ClearCells(cursor, open.block, first, to);
      } else {
        to = std::min(end, EndOf<Blocks>(first));
        const uintptr_t page = PageOf(first);
        ClearCell(cursor, pages_.FindOrMake(first), ShadowDirectory::kPageShift, page,
                  PartOf(page, first, to));
      }
      first = to;
    }
  }

  // Calls visit(id) for all records that were in a cell when that was looked at, and perhaps kNobody;
  // returns the bytes of open pages and blocks.
  template <class Visit>
  size_t ForEachRecord(Visit visit) const {
    size_t bytes = 0;
    pages_.ForEach(
        [&](const VersionedWords& page) { bytes += ForEachRecordOf(page.Load().words, visit); });
    return bytes;
  }

  size_t BytesUsed() const { return parts_.BytesUsed() + lists_.BytesUsed(); }

 private:
  enum Tag : uint32_t { kPlain, kSplit, kByKind };
  static constexpr size_t kLine = VersionedLine::kCells;
  static constexpr uint64_t kLowerHalf = 0xFFFF'FFFF;
  using Blocks = ShadowDirectory::Blocks;
  using Cells = ShadowDirectory::Cells;
  using Part = SplitCells::Part;
  using Change = KnownChanges::Change;

  // Before the first cell: no plain cell says this.
  static constexpr Change kNoChange{
      .before = {.tag = kByKind}, .after = {.tag = kByKind}, .racing = kWriter};

  static uintptr_t End(uintptr_t first, size_t size) {
    constexpr uintptr_t kEnd = uintptr_t{1} << ShadowDirectory::kAddressBits;
    return first >= kEnd ? first : std::min(kEnd - first, size) + first;
  }
  // Where the page ends, or the block.
  template <class Cells>
  static uintptr_t EndOf(uintptr_t address) {
    return (address | (Cells::kBytes - 1)) + 1;
  }
  static uintptr_t PageOf(uintptr_t address) {
    return address & ~(ShadowDirectory::kPageBytes - 1);
  }
  // What of the page at `page` is in [first, end).
  static Part PartOf(uintptr_t page, uintptr_t first, uintptr_t end) {
    return {static_cast<unsigned>(first - page), static_cast<unsigned>(end - page)};
  }

  // Returns the bytes of the open cells among these.
  template <class Visit>
  size_t ForEachRecordOf(const Words& words, Visit& visit) const {
    if (words.tag == ShadowDirectory::kOpen) {
      return ShadowDirectory::VisitOpen(
          words, [&](const auto& cells) { return ForEachRecordIn(cells, visit); });
    }
    if (words.tag == kSplit) {
      const VersionedWords* const cells = parts_.Of(words.first);
      for (unsigned i : {0, 1}) ForEachRecordOf(cells[i].Load().words, visit);
    } else if (words.tag == kByKind) {
      lists_.ForEachRecord(words.first, visit);
    } else {
      for (const RecordId id : {words.first, words.second, words.third}) visit(id);
    }
    return 0;
  }
  template <class Cells, class Visit>
  size_t ForEachRecordIn(const Cells& cells, Visit& visit) const {
    const size_t lines = ShadowDirectory::LineCount(cells);
    size_t bytes = lines * sizeof(VersionedLine);
    for (size_t i = 0; i < lines; ++i) {
      const Words first = cells.lines[i].Load(0).words;
      bytes += ForEachRecordOf(first, visit);
      if (cells.lines[i].Say(first)) continue;
      for (unsigned cell = 1; cell < kLine; ++cell) {
        bytes += ForEachRecordOf(cells.lines[i].Load(cell).words, visit);
      }
    }
    return bytes;
  }

  // The n-th cell of a page or a block.
  template <class Cells>
  static CellOfLine CellOf(const Cells& cells, size_t n) {
    return {cells.lines[n / kLine], static_cast<unsigned>(n % kLine)};
  }
  // Calls visit(cell, its address, the part of it in [first, end)).
  template <class Cells, class Visit>
  static void ForEachCell(Cells cells, uintptr_t first, uintptr_t end, Visit visit) {
    const uintptr_t cell_bytes = uintptr_t{1} << cells.shift;
    size_t cell = first % Cells::kBytes >> cells.shift;
    for (uintptr_t at = first & ~(cell_bytes - 1); at < end; at += cell_bytes, ++cell) {
      visit(CellOf(cells, cell), at,
            Part{static_cast<unsigned>(std::max(first, at) - at),
                 static_cast<unsigned>(std::min(end, at + cell_bytes) - at)});
    }
  }

  // An access to a page or a part of it, and to the whole pages after that. Returns where they end.
  template <HistoryContext C>
  [[gnu::noinline]] uintptr_t AccessPages(Cursor& cursor, Blocks open, uintptr_t first,
                                          uintptr_t end, C& c) {
    const Change* last = &kNoChange;
    uintptr_t to = std::min(end, EndOf<Blocks>(first));
    if (open.lines != nullptr) {
      AccessCells(cursor, open, first, to, last, c);
    } else {
      const uintptr_t page = PageOf(first);
      AccessPart(cursor, pages_.FindOrMake(page), ShadowDirectory::kPageShift, page,
                 PartOf(page, first, to), last, c);
    }
    if (!IsPlain(c)) return to;
    for (; end - to >= Blocks::kBytes; to += Blocks::kBytes) {
      ++cursor.counts.cells;
      AccessWhole(cursor, pages_.FindOrMake(to), ShadowDirectory::kPageShift, to, last, c);
    }
    return to;
  }

  // An access to cells of a page or a block, and parts of them.
  template <class Cells, HistoryContext C>
  void AccessCells(Cursor& cursor, Cells cells, uintptr_t first, uintptr_t end, const Change* last,
                   C& c) {
    const uintptr_t cell_bytes = uintptr_t{1} << cells.shift;
    const uintptr_t whole_first = (first + cell_bytes - 1) & ~(cell_bytes - 1);
    const uintptr_t whole_end = end & ~(cell_bytes - 1);
    if (!IsPlain(c) || whole_first >= whole_end) {
      return AccessParts(cursor, cells, first, end, last, c);
    }
    // One cell, as where elements are read at strides.
    if (end - first == cell_bytes && first == whole_first) {
      CellOfLine one = CellOf(cells, first % Cells::kBytes >> cells.shift);
      ++cursor.counts.cells;
      return AccessWhole(cursor, one, cells.shift, first, last, c);
    }
    if (first < whole_first) AccessParts(cursor, cells, first, whole_first, last, c);
    AccessWholeCells(cursor, cells, whole_first, whole_end, last, c);
    if (whole_end < end) AccessParts(cursor, cells, whole_end, end, last, c);
  }

  template <class Cells, HistoryContext C>
  [[gnu::noinline]] void AccessParts(Cursor& cursor, Cells cells, uintptr_t first, uintptr_t end,
                                     const Change* last, C& c) {
    ForEachCell(cells, first, end, [&](CellOfLine cell, uintptr_t at, Part part) {
      AccessPart(cursor, cell, cells.shift, at, part, last, c);
    });
  }

  // Plain accesses. Most cells of a long range are like their neighbours: nothing to do, or the same
  // change as before, a line or a run at a time.
  template <class Cells, HistoryContext C>
  void AccessWholeCells(Cursor& cursor, Cells cells, uintptr_t first, uintptr_t end,
                        const Change* last, C& c) {
    size_t cell = first % Cells::kBytes >> cells.shift;
    const size_t cells_end = cell + ((end - first) >> cells.shift);
    const uintptr_t base = first - (cell << cells.shift);
    cursor.counts.cells += cells_end - cell;
    while (cell < cells_end) {
      const size_t lines = cell % kLine == 0 ? (cells_end - cell) / kLine : 0;
      cell += kLine * AccessLines(cursor, &cells.lines[cell / kLine], lines, last, c);
      if (cell == cells_end) return;
      const size_t line_end = std::min(cells_end, (cell | (kLine - 1)) + 1);
      while (cell < line_end) {
        cell +=
            AccessRun(cursor, cells.lines[cell / kLine], cell % kLine, (line_end - 1) % kLine + 1,
                      cells.shift, base + (cell << cells.shift), last, c);
      }
    }
  }

  // A plain access to the cells `from` to `end` - 1 of a line, as far as they agree. Returns how many
  // are done: none if somebody else was faster.
  template <HistoryContext C>
  [[gnu::always_inline]] size_t AccessRun(Cursor& cursor, VersionedLine& line, unsigned from,
                                          unsigned end, unsigned shift, uintptr_t address,
                                          const Change*& last, C& c) {
    const Snapshot seen = line.Load(from);
    if (!(seen.words == last->before)) {
      if (seen.words.tag != kPlain) [[unlikely]] {
        CellOfLine one(line, from);
        return AccessOther(cursor, one, seen, shift, address, {0, 1u << shift}, last, c);
      }
      last = &cursor.changes.Of(seen.words, c);
    }
    const unsigned alike = line.Alike(seen, from, end);
    RunOfLine run(line, from, from + alike);
    if (!cursor.counts.Replace(run, seen, last->after)) [[unlikely]]
      return 0;
    if (last->racing != kNone) [[unlikely]]
      ReportPlain(seen.words, last->racing, address, size_t{alike} << shift, c);
    return alike;
  }
  // Plain accesses to some cells of a line: writes, and reads of the others. Returns those that are done, without
  // a race; as all of them, by the bits of their first bytes.
  template <HistoryContext C>
  [[gnu::always_inline]] static uint64_t AccessSome(Cursor& cursor, VersionedLine& line,
                                                    uint64_t cells, uint64_t writes, unsigned shift,
                                                    C& write, C& read) {
    const auto after = [&](bool is_write, const Words& words) -> std::optional<Words> {
      if (words.tag != kPlain) return {};
      const Change& change = cursor.changes.Of(words, is_write ? write : read);
      if (change.racing != kNone) return {};
      return change.after;
    };
    const VersionedLine::Changed changed = line.Change(cells, writes, shift, after);
    cursor.counts.cells += static_cast<uint64_t>(std::popcount(cells));
    cursor.counts.changes += changed.has_written;
    return changed.done;
  }
  // A plain access to all cells of some lines. Returns how many are done: then comes one whose cells
  // differ or race.
  template <HistoryContext C>
  [[gnu::always_inline]] size_t AccessLines(Cursor& cursor, VersionedLine* lines, size_t count,
                                            const Change*& last, C& c) {
    size_t done = 0;
    for (;;) {
      done += ChangeLines(cursor, lines + done, count - done, *last);
      if (done == count) return done;
      const Words words = lines[done].Load(0).words;
      if (words == last->before || words.tag != kPlain) return done;
      last = &cursor.changes.Of(words, c);
    }
  }
  // Returns how many of the lines say what is to be changed.
  [[gnu::always_inline]] static size_t ChangeLines(Cursor& cursor, VersionedLine* lines,
                                                   size_t count, const Change& change) {
    if (change.racing != kNone) return 0;
    size_t done = 0;
    if (change.after == change.before) {
      while (done < count && lines[done].Say(change.before)) ++done;
    } else {
      while (done < count && lines[done].Exchange(change.before, change.after)) ++done;
      cursor.counts.changes += done;
    }
    return done;
  }

  template <class Cell, HistoryContext C>
  [[gnu::always_inline]] void AccessWhole(Cursor& cursor, Cell& cell, unsigned shift,
                                          uintptr_t address, const Change*& last, C& c) {
    for (;;) {
      const Snapshot seen = cell.Load();
      if (!(seen.words == last->before)) {
        if (seen.words.tag != kPlain) [[unlikely]] {
          if (AccessOther(cursor, cell, seen, shift, address, {0, 1u << shift}, last, c)) return;
          continue;
        }
        last = &cursor.changes.Of(seen.words, c);
      }
      if (!cursor.counts.Replace(cell, seen, last->after)) [[unlikely]]
        continue;
      if (last->racing != kNone) [[unlikely]]
        ReportPlain(seen.words, last->racing, address, size_t{1} << shift, c);
      return;
    }
  }

  // Any access to a part of a cell, or to all of it.
  template <class Cell, HistoryContext C>
  [[gnu::noinline]] void AccessPart(Cursor& cursor, Cell& cell, unsigned shift, uintptr_t address,
                                    Part part, const Change* last, C& c) {
    ++cursor.counts.cells;
    const bool simple = part.end - part.from == 1u << shift && IsPlain(c);
    for (;;) {
      const Snapshot seen = cell.Load();
      if (simple && seen.words.tag == kPlain) {
        return AccessWhole(cursor, cell, shift, address, last, c);
      }
      if (AccessOther(cursor, cell, seen, shift, address, part, last, c)) return;
    }
  }

  // Everything but a plain access to all of a plain cell. False: somebody has changed the cell.
  template <class Cell, HistoryContext C>
  [[gnu::noinline]] bool AccessOther(Cursor& cursor, Cell& cell, const Snapshot& seen,
                                     unsigned shift, uintptr_t address, Part part,
                                     const Change* last, C& c) {
    const uintptr_t first = address + part.from;
    const uintptr_t end = address + part.end;
    if (seen.words.tag == ShadowDirectory::kOpen) {
      ShadowDirectory::VisitOpen(
          seen.words, [&](const auto& cells) { AccessCells(cursor, cells, first, end, last, c); });
      return true;
    }
    if (seen.words.tag == kSplit) {
      const auto access = [&](VersionedWords& child, unsigned child_shift, unsigned at, Part in) {
        AccessPart(cursor, child, child_shift, address + at, in, last, c);
      };
      parts_.ForEach(seen.words.first, shift, part, access);
      return true;
    }
    if (seen.words.tag == kByKind) {
      return lists_.Access(cursor.lists, cursor.counts, cell, seen, address, c);
    }
    // A write without locks of this strand says all that the strand can say.
    if (seen.words.first != kNobody && c.IsMine(seen.words.first)) return true;
    if (IsPlain(c)) {
      last = &cursor.changes.Of(seen.words, c);
      if (last->IsNone()) return true;
    }
    if (shift != 0) {
      Divide(cursor, cell, seen, shift, first, end);
    } else {
      MakeByKind(cursor, cell, seen);
    }
    return false;
  }

  template <HistoryContext C>
  static bool IsPlain(C& c) {
    return !IsAtomic(c.Kind()) && c.Locks() == kNoLocks;
  }

  // Makes several smaller cells of a plain one, as the bytes from `first` to `end` - 1 want them.
  template <class Cell>
  void Divide(Cursor& cursor, Cell& cell, const Snapshot& seen, unsigned shift, uintptr_t first,
              uintptr_t end) {
    if (shift > ShadowDirectory::kWordShift) {
      const unsigned smaller = shift == ShadowDirectory::kPageShift ? ShadowDirectory::kBlockShift
                                                                    : cursor.ShiftFor(first, end);
      const Words open = pages_.Make(cursor.pages, seen.words, smaller);
      if (!cursor.counts.Replace(cell, seen, open)) pages_.GiveBack(cursor.pages, open);
    } else {
      if (shift == ShadowDirectory::kWordShift) ++cursor.split_words;
      const uint32_t parts = parts_.Make(cursor.parts, seen.words);
      const Words split{.first = parts, .second = 0, .third = 0, .tag = kSplit};
      if (!cursor.counts.Replace(cell, seen, split)) parts_.GiveBack(cursor.parts, parts);
    }
  }
  template <class Cell>
  void MakeByKind(Cursor& cursor, Cell& cell, const Snapshot& seen) {
    const uint32_t list = lists_.Make(cursor.lists, seen.words);
    cursor.counts.Replace(cell, seen, {.first = list, .second = 0, .third = 0, .tag = kByKind});
  }

  template <HistoryContext C>
  [[gnu::noinline, gnu::cold]] static void ReportPlain(const Words& cell, unsigned racing,
                                                       uintptr_t first, size_t size, C& c) {
    const auto report = [&](unsigned who, RecordId id, AccessKind kind) {
      if ((racing & who) != 0) c.OnRace(id, kind, kNoLocks, first, size);
    };
    report(kWriter, cell.first, AccessKind::kWrite);
    report(kFirstReader, cell.second, AccessKind::kRead);
    report(kSecondReader, cell.third, AccessKind::kRead);
  }

  template <class Cells>
  void ClearCells(Cursor& cursor, Cells cells, uintptr_t first, uintptr_t end) {
    const uintptr_t cell_bytes = uintptr_t{1} << cells.shift;
    const uintptr_t line_bytes = kLine * cell_bytes;
    while (first < end) {
      uintptr_t to = std::min(end, (first | (line_bytes - 1)) + 1);
      const auto cell_of = [&](uintptr_t address) {
        return static_cast<unsigned>(address % line_bytes >> cells.shift);
      };
      // Whole cells of the line, or a part of one.
      const bool is_whole = first % cell_bytes == 0 && to - first >= cell_bytes;
      to = is_whole ? to & ~(cell_bytes - 1) : std::min(to, (first | (cell_bytes - 1)) + 1);
      VersionedLine& line = ShadowDirectory::LineOf(cells, first);
      if (!is_whole || !line.Clear(cell_of(first), cell_of(to - 1) + 1)) {
        ForEachCell(cells, first, to, [&](CellOfLine cell, uintptr_t at, Part part) {
          ClearCell(cursor, cell, cells.shift, at, part);
        });
      }
      first = to;
    }
  }
  // Returns whether the cell is plain now.
  template <class Cell>
  bool ClearCell(Cursor& cursor, Cell& cell, unsigned shift, uintptr_t address, Part part) {
    const bool is_whole = part.end - part.from == 1u << shift;
    const uintptr_t first = address + part.from;
    const uintptr_t end = address + part.end;
    for (;;) {
      const Snapshot seen = cell.Load();
      if (seen.words == Words{}) return true;
      if (seen.words.tag == ShadowDirectory::kOpen) {
        ShadowDirectory::VisitOpen(
            seen.words, [&](const auto& cells) { ClearCells(cursor, cells, first, end); });
        return false;
      }
      if (seen.words.tag == kSplit) {
        bool are_whole = is_whole;
        parts_.ForEach(seen.words.first, shift, part,
                       [&](VersionedWords& child, unsigned child_shift, unsigned at, Part in) {
                         are_whole &= ClearCell(cursor, child, child_shift, address + at, in);
                       });
        if (!are_whole) return false;
        if (!cursor.counts.Replace(cell, seen, {})) continue;
        parts_.GiveBack(cursor.parts, seen.words.first);
        return true;
      }
      if (seen.words.tag == kByKind) {
        lists_.Clear(cursor.counts, seen.words.first);
        return false;
      }
      if (!is_whole) {
        Divide(cursor, cell, seen, shift, first, end);
      } else if (cursor.counts.Replace(cell, seen, {})) {
        return true;
      }
    }
  }

  ShadowDirectory pages_;
  SplitCells parts_;
  KindLists lists_;
};

}  // namespace taskrace
