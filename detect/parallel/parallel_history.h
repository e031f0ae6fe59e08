// ParallelHistory: an access history exact to the byte that any number of workers tell at once.
// Paper:      Raman, Zhao, Sarkar, Vechev, Yahav (SPD3), PLDI 2012, section 5.4.
// Idea:       a cell stands for 8 or 4 bytes while they agree: a writer and two readers
//             (cell_rules.h) that change together. Eight neighbours share a version
//             (versioned_line.h), and where they agree they are visited at once. An access that
//             changes nothing writes nothing.
//   closed    a page whose bytes all agree is one cell itself (shadow_directory.h).
//   split     a cell of which a part is touched becomes several (split_cells.h).
//   by kind   where atomics or locks come in, a byte gets a list (kind_lists.h).
// Invariant:  a cell changes its state plain -> split, or plain -> by kind, and from split back to plain
//             only when all of it is forgotten; the list of a byte only grows. So whoever has found a
//             cell may use it without asking again: what is forgotten meanwhile was told before.
// Thread rule: any thread, each with a Cursor of its own, which lives as long as the history.
// Cost:       a range costs a step per closed page or line of cells that agree, else a step per cell. Constant
//             space: 16 bytes a cell, at most 30 bytes for each byte of a split one; 80 bytes a byte
//             and lock set where atomics and locks are.
// Tested by:  test/oracle/parallel_orders_test.cc, parallel_threads_test.cc,
//             test/detect/parallel_worker_test.cc
#pragma once

#include <algorithm>

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
  };

  constexpr ParallelHistory() = default;

  // Checks the access against what is remembered, and remembers it.
  template <HistoryContext C>
  void Access(Cursor& cursor, uintptr_t first, size_t size, C& c) {
    const uintptr_t end = End(first, size);
    const Change* last = &kNoChange;
    while (first < end) {
      const uintptr_t page_end = std::min(end, PageEnd(first));
      Page page = pages_.FindOpen(cursor.pages, first);
      if (page.lines == nullptr) page = AccessClosed(cursor, first, page_end, last, c);
      if (page.lines != nullptr) AccessPage(cursor, page, first, page_end, c);
      first = page_end;
    }
  }

  // Forgets the bytes. Requires: nobody will tell an access to them that is older (quarantine.h).
  void Clear(Cursor& cursor, uintptr_t first, size_t size) {
    const uintptr_t end = End(first, size);
    while ((first = pages_.SkipMissing(first, end)) < end) {
      const uintptr_t page_end = std::min(end, PageEnd(first));
      ClearPage(cursor, first, page_end);
      first = page_end;
    }
  }

  // Calls visit(id) for all records that were in a cell when that was looked at, and perhaps kNobody;
  // returns the bytes of open pages.
  template <class Visit>
  size_t ForEachRecord(Visit visit) const {
    size_t bytes = 0;
    pages_.ForEach([&](const VersionedWords& closed) {
      const Words words = closed.Load().words;
      const Page page = ShadowDirectory::CellsOf(words);
      if (page.lines == nullptr) return ForEachRecordOf(words, visit);
      const size_t lines = (ShadowDirectory::kPageBytes >> page.shift) / kLine;
      bytes += lines * sizeof(VersionedLine);
      for (size_t i = 0; i < lines; ++i) {
        const Words first = page.lines[i].Load(0).words;
        ForEachRecordOf(first, visit);
        if (page.lines[i].Say(first)) continue;
        for (unsigned cell = 1; cell < kLine; ++cell) {
          ForEachRecordOf(page.lines[i].Load(cell).words, visit);
        }
      }
    });
    return bytes;
  }

  size_t BytesUsed() const { return parts_.BytesUsed() + lists_.BytesUsed(); }

 private:
  enum Tag : uint32_t { kPlain, kSplit, kByKind };
  static constexpr size_t kLine = VersionedLine::kCells;
  static constexpr size_t kSeveral = 3;  // cells: worth a try at once
  using Page = ShadowDirectory::Page;
  using Part = SplitCells::Part;
  using Change = KnownChanges::Change;

  // Before the first cell: no plain cell says this.
  static constexpr Change kNoChange{
      .before = {.tag = kByKind}, .after = {.tag = kByKind}, .racing = kWriter};

  static uintptr_t End(uintptr_t first, size_t size) {
    constexpr uintptr_t kEnd = uintptr_t{1} << ShadowDirectory::kAddressBits;
    return first >= kEnd ? first : std::min(kEnd - first, size) + first;
  }
  // The cells that suit an access.
  static unsigned ShiftFor(uintptr_t first, uintptr_t end) {
    if (end - first >= 8 && first % 8 == 0) return ShadowDirectory::kWordShift;
    return first % 4 == 0 && end % 4 == 0 ? ShadowDirectory::kHalfWordShift
                                          : ShadowDirectory::kWordShift;
  }
  static uintptr_t PageEnd(uintptr_t address) {
    return (address | (ShadowDirectory::kPageBytes - 1)) + 1;
  }

  template <class Visit>
  void ForEachRecordOf(const Words& words, Visit& visit) const {
    if (words.tag == kSplit) {
      const VersionedWords* const cells = parts_.Of(words.first);
      for (unsigned i : {0, 1}) ForEachRecordOf(cells[i].Load().words, visit);
    } else if (words.tag == kByKind) {
      lists_.ForEachRecord(words.first, visit);
    } else {
      for (const RecordId id : {words.first, words.second, words.third}) visit(id);
    }
  }

  // Calls visit(cell, its address, the part of it in [first, end)).
  template <class Visit>
  static void ForEachCell(const Page& page, uintptr_t first, uintptr_t end, Visit visit) {
    const uintptr_t cell_bytes = uintptr_t{1} << page.shift;
    size_t cell = first % ShadowDirectory::kPageBytes >> page.shift;
    for (uintptr_t at = first & ~(cell_bytes - 1); at < end; at += cell_bytes, ++cell) {
      visit(page[cell], at,
            Part{static_cast<unsigned>(std::max(first, at) - at),
                 static_cast<unsigned>(std::min(end, at + cell_bytes) - at)});
    }
  }

  // An access to a page that was closed. Returns its cells if it is open now, and nothing is done.
  template <HistoryContext C>
  [[gnu::noinline]] Page AccessClosed(Cursor& cursor, uintptr_t first, uintptr_t end,
                                      const Change*& last, C& c) {
    VersionedWords& page = pages_.FindOrMake(first);
    for (;;) {
      const Snapshot seen = page.Load();
      if (seen.words.tag == ShadowDirectory::kOpen) return ShadowDirectory::CellsOf(seen.words);
      if (IsPlain(c)) {
        ++cursor.counts.cells;
        if (!(seen.words == last->before)) last = &cursor.changes.Of(seen.words, c);
        if (last->IsNone()) return {};
        if (end - first == ShadowDirectory::kPageBytes) {
          if (!cursor.counts.Replace(page, seen, last->after)) continue;
          if (last->racing != kNone) ReportPlain(seen.words, last->racing, first, end - first, c);
          return {};
        }
      }
      const Page opened = pages_.Open(cursor.pages, first, seen, ShiftFor(first, end));
      if (opened.lines != nullptr) return opened;
    }
  }

  template <HistoryContext C>
  void AccessPage(Cursor& cursor, const Page& page, uintptr_t first, uintptr_t end, C& c) {
    const uintptr_t cell_bytes = uintptr_t{1} << page.shift;
    const uintptr_t whole_first = (first + cell_bytes - 1) & ~(cell_bytes - 1);
    const uintptr_t whole_end = end & ~(cell_bytes - 1);
    if (!IsPlain(c) || whole_first >= whole_end) {
      return AccessParts(cursor, page, first, end, c);
    }
    // One cell, as where elements are read at strides.
    if (end - first == cell_bytes && first == whole_first) {
      const Change* last = &kNoChange;
      CellOfLine one = page[first % ShadowDirectory::kPageBytes >> page.shift];
      ++cursor.counts.cells;
      return AccessWhole(cursor, one, page.shift, first, last, c);
    }
    if (first < whole_first) AccessParts(cursor, page, first, whole_first, c);
    AccessWholeCells(cursor, page, whole_first, whole_end, c);
    if (whole_end < end) AccessParts(cursor, page, whole_end, end, c);
  }

  template <HistoryContext C>
  [[gnu::noinline]] void AccessParts(Cursor& cursor, const Page& page, uintptr_t first,
                                     uintptr_t end, C& c) {
    ForEachCell(page, first, end, [&](CellOfLine cell, uintptr_t at, Part part) {
      AccessPart(cursor, cell, page.shift, at, part, c);
    });
  }

  // Plain accesses. Most cells of a long range are like their neighbours: nothing to do, or the same
  // change as before, a line at a time.
  template <HistoryContext C>
  void AccessWholeCells(Cursor& cursor, const Page& page, uintptr_t first, uintptr_t end, C& c) {
    size_t cell = first % ShadowDirectory::kPageBytes >> page.shift;
    const size_t cells_end = cell + ((end - first) >> page.shift);
    const uintptr_t base = first - (cell << page.shift);
    cursor.counts.cells += cells_end - cell;
    const Change* last = &kNoChange;
    while (cell < cells_end) {
      const size_t lines = cell % kLine == 0 ? (cells_end - cell) / kLine : 0;
      cell += kLine * AccessLines(cursor, &page.lines[cell / kLine], lines, last, c);
      if (cell == cells_end) return;
      const size_t line_end = std::min(cells_end, (cell | (kLine - 1)) + 1);
      if (line_end - cell < kLine && line_end - cell >= kSeveral &&
          AccessSome(cursor, page, cell, line_end, last, c)) {
        cell = line_end;
      }
      for (; cell < line_end; ++cell) {
        CellOfLine one = page[cell];
        AccessWhole(cursor, one, page.shift, base + (cell << page.shift), last, c);
      }
    }
  }

  // A plain access to some cells of one line; false, and nothing done, if they differ or race.
  template <HistoryContext C>
  [[gnu::always_inline]] static bool AccessSome(Cursor& cursor, const Page& page, size_t cell,
                                                size_t end, const Change*& last, C& c) {
    VersionedLine& line = page.lines[cell / kLine];
    const unsigned from = static_cast<unsigned>(cell % kLine);
    const Snapshot seen = line.Load(from);
    if (!(seen.words == last->before)) {
      if (seen.words.tag != kPlain) return false;
      last = &cursor.changes.Of(seen.words, c);
    }
    if (last->racing != kNone) return false;
    if (!line.Exchange(seen, from, from + static_cast<unsigned>(end - cell), last->after))
      return false;
    cursor.counts.changes += !last->IsNone();
    return true;
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
        if (seen.words.tag != kPlain) [[unlikely]]
          return AccessPart(cursor, cell, shift, address, {0, 1u << shift}, c);
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
                                    Part part, C& c) {
    ++cursor.counts.cells;
    const bool simple = part.end - part.from == 1u << shift && IsPlain(c);
    for (;;) {
      const Snapshot seen = cell.Load();
      if (simple && seen.words.tag == kPlain) {
        const Change* last = &kNoChange;
        return AccessWhole(cursor, cell, shift, address, last, c);
      }
      if (AccessOther(cursor, cell, seen, shift, address, part, c)) return;
    }
  }

  // Everything but a plain access to all of a plain cell. False: somebody has changed the cell.
  template <class Cell, HistoryContext C>
  [[gnu::noinline]] bool AccessOther(Cursor& cursor, Cell& cell, const Snapshot& seen,
                                     unsigned shift, uintptr_t address, Part part, C& c) {
    if (seen.words.tag == kSplit) {
      const auto access = [&](VersionedWords& child, unsigned child_shift, unsigned at, Part in) {
        AccessPart(cursor, child, child_shift, address + at, in, c);
      };
      parts_.ForEach(seen.words.first, shift, part, access);
      return true;
    }
    if (seen.words.tag == kByKind) {
      return lists_.Access(cursor.lists, cursor.counts, cell, seen, address, c);
    }
    // A write without locks of this strand says all that the strand can say.
    if (seen.words.first != kNobody && c.IsMine(seen.words.first)) return true;
    if (shift != 0) {
      Split(cursor, cell, seen);
    } else {
      MakeByKind(cursor, cell, seen);
    }
    return false;
  }

  template <HistoryContext C>
  static bool IsPlain(C& c) {
    return !IsAtomic(c.Kind()) && c.Locks() == kNoLocks;
  }

  template <class Cell>
  void Split(Cursor& cursor, Cell& cell, const Snapshot& seen) {
    const uint32_t parts = parts_.Make(cursor.parts, seen.words);
    const Words split{.first = parts, .second = 0, .third = 0, .tag = kSplit};
    if (!cursor.counts.Replace(cell, seen, split)) parts_.GiveBack(cursor.parts, parts);
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

  void ClearPage(Cursor& cursor, uintptr_t first, uintptr_t end) {
    if (const Page open = pages_.FindOpen(cursor.pages, first); open.lines != nullptr) {
      return ClearCells(cursor, open, first, end);
    }
    VersionedWords& closed = pages_.FindOrMake(first);
    for (;;) {
      const Snapshot seen = closed.Load();
      if (seen.words == Words{}) return;
      Page page = ShadowDirectory::CellsOf(seen.words);
      if (page.lines == nullptr && end - first == ShadowDirectory::kPageBytes) {
        if (cursor.counts.Replace(closed, seen, {})) return;
        continue;
      }
      if (page.lines == nullptr) {
        page = pages_.Open(cursor.pages, first, seen, ShiftFor(first, end));
      }
      if (page.lines != nullptr) return ClearCells(cursor, page, first, end);
    }
  }
  void ClearCells(Cursor& cursor, const Page& page, uintptr_t first, uintptr_t end) {
    const uintptr_t cell_bytes = uintptr_t{1} << page.shift;
    const uintptr_t line_bytes = kLine * cell_bytes;
    while (first < end) {
      uintptr_t to = std::min(end, (first | (line_bytes - 1)) + 1);
      VersionedLine& line = page.lines[first % ShadowDirectory::kPageBytes / line_bytes];
      const auto cell_of = [&](uintptr_t address) {
        return static_cast<unsigned>(address % line_bytes >> page.shift);
      };
      // Whole cells of the line, or a part of one.
      const bool is_whole = first % cell_bytes == 0 && to - first >= cell_bytes;
      to = is_whole ? to & ~(cell_bytes - 1) : std::min(to, (first | (cell_bytes - 1)) + 1);
      if (!is_whole || !line.Clear(cell_of(first), cell_of(to - 1) + 1)) {
        ForEachCell(page, first, to, [&](CellOfLine cell, uintptr_t, Part part) {
          ClearCell(cursor, cell, page.shift, part);
        });
      }
      first = to;
    }
  }
  // Returns whether the cell is not split any more.
  template <class Cell>
  bool ClearCell(Cursor& cursor, Cell& cell, unsigned shift, Part part) {
    const bool is_whole = part.end - part.from == 1u << shift;
    for (;;) {
      const Snapshot seen = cell.Load();
      if (seen.words == Words{}) return true;
      if (seen.words.tag == kSplit) {
        bool are_whole = is_whole;
        parts_.ForEach(seen.words.first, shift, part,
                       [&](VersionedWords& child, unsigned child_shift, unsigned, Part in) {
                         are_whole &= ClearCell(cursor, child, child_shift, in);
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
        Split(cursor, cell, seen);
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
