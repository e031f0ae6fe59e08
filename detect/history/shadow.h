// ShadowHistory: an access history exact to the byte, in cells beside the program's memory.
//
// Idea:       a cell stands for bytes that agree: any number of neighbours in a page that has few
//             such cells, else 4 or 8 of them; shadow_pages.h finds it. A cell that only knows plain
//             accesses without locks is compact: last writer, and one reader or a shared list of
//             them (reader_lists.h). Where atomics or locks come in, or of 8 bytes some
//             differ, a list of entries.
// Check:      a races with an entry e of one of its bytes iff they conflict, no lock orders
//             them, and e's strand does not precede.
// Remember:   "b later" is any access that comes after a. x covers y if y's conflicts are among
//             x's, and x's locks protect from nothing that y's do not (Subset(x.locks,
//             y.locks)).
//   drop e    if e precedes or is the strand of a, and a covers e. A b later that races with e
//             races with a: it conflicts, no lock orders it, and from a before b would follow e
//             before b.
//   skip a    if e is of the strand of a, and e covers a: for the same reason.
//   skip a    in one-reader classes, if e is parallel to a, and e covers a. There, e parallel
//             to a and a parallel to b give e parallel to b (Feng and Leiserson), so b races
//             with e if with a.
//   prune     of accesses that differ in their strand only, one of each ReaderClass: a strand
//             that comes after one of them comes after all.
//   skip a    if e is an iteration of the same parallel loop that is over and was no task, and e covers
//             a: only the loop's end comes after e, and that comes after a, too.
//   reset     a plain write without locks covers everything and conflicts with everything: what
//             precedes is dropped, and with what is parallel it races. A byte's history matters
//             up to its first race, so only the write remains. So in one-reader classes a byte
//             has at most one entry for each kind and lock set.
// Invariant:  entries of a list have bytes, and no list says what a compact cell can say.
// Thread rule: one thread.
// Cost:       a range costs a step per cell. Memory: shadow_pages.h.
// Tested by:  test/detect/shadow_test.cc, test/oracle/agreement_test.cc
#pragma once

#include <algorithm>
#include <bit>
#include <tuple>

#include "detect/ds/cell_bits.h"
#include "detect/history/access_history.h"
#include "detect/history/current_access.h"
#include "detect/history/shadow_pages.h"

namespace taskrace {

class ShadowHistory {
 public:
  static constexpr const char* kName = "shadow";

  constexpr ShadowHistory() = default;

  template <AccessContext C>
  [[gnu::always_inline]] void Access(AccessKind kind, uintptr_t first, size_t size, C& c) {
    if (!C::kOneReader && pages_.Readers().WantsCollection()) [[unlikely]]
      CollectReaders();
    if (!AccessRecent(kind, first, size, c)) AccessRange(kind, first, size, c);
  }

  // Plain accesses to some bytes of an aligned line of 64, by a bit for each byte that is touched, and
  // that is written. Does what it can without a race and by whole cells; returns the bits of the rest.
  template <AccessContext C>
  [[gnu::noinline]] uint64_t AccessLine(uint64_t touched, uint64_t written, uintptr_t line, C& c) {
    const ShadowPage* const page = pages_.FindRecent(line);
    if (page == nullptr || page->cells == nullptr || page->IsSparse()) return touched;
    if (c.Locks() != kNoLocks) return touched;
    const unsigned shift = page->shift;
    ShadowCell* const cells = &page->cells[line % kPageBytes >> shift];
    uint64_t done = AccessCellsOf(AccessKind::kWrite, WholeCells(written, shift), cells, shift, c);
    const uint64_t read = WholeCells(touched & ~written, shift);
    done |= AccessCellsOf(AccessKind::kRead, read, cells, shift, c);
    return touched & ~BytesOfCells(done, shift);
  }

  // A plain access without locks to a few bytes by a strand that has few accesses: an iteration of a parallel
  // loop. kDone: it is remembered. kKnown: another one stands for it. kLeft: nothing was done,
  // but the page has cells of that size now, if it can.
  enum class Single { kDone, kKnown, kLeft };
  template <AccessKind kKind, AccessContext C>
  [[gnu::always_inline]] Single AccessSingle(uintptr_t first, size_t size, C& c) {
    ShadowPage* const page = pages_.Find(first);
    if (page == nullptr || page->shift > kWordShift ||
        (first | size) % (uintptr_t{1} << page->shift) != 0) {
      return MakeCells(first, size);
    }
    if (size > kPageBytes - first % kPageBytes) return Single::kLeft;
    Now<C> now(kKind, c);
    ShadowCell* cell = &page->cells[first % kPageBytes >> page->shift];
    Single made = Single::kKnown;
    for (size_t left = size >> page->shift; left > 0; --left, ++cell) {
      if (IsRepeated(now, *cell)) continue;
      if (kKind == AccessKind::kRead && now.IsSibling(cell->reader)) continue;
      ShadowCell next = *cell;
      if (cell->IsExtended() || !Advance(now, next)) return Single::kLeft;
      if (next == *cell) continue;
      *cell = next;
      made = Single::kDone;
    }
    return made;
  }
  // An AccessSingle with this address comes soon.
  [[gnu::always_inline]] void Prefetch(uintptr_t first) {
    if (const ShadowPage* page = pages_.Find(first)) {
      __builtin_prefetch(&page->cells[first % kPageBytes >> page->shift], 1);
    }
  }
  // Does another iteration's access stand for one with locks, or an atomic one, and does nothing conflict with it?
  template <AccessContext C>
  bool IsKnown(AccessKind kind, uintptr_t first, size_t size, C& c) {
    ShadowPage* const page = pages_.Find(first);
    if (page == nullptr || page->IsSparse() || size > size_t{1} << page->shift) return false;
    const size_t offset = first % kPageBytes;
    const unsigned in_cell = first % (1u << page->shift);
    if (in_cell + size > size_t{1} << page->shift) return false;
    const ShadowCell& cell = page->cells[offset >> page->shift];
    if (!cell.IsExtended()) return false;
    const Now<C> now(kind, c);
    const uint8_t bytes = Bytes(in_cell, in_cell + size);
    bool is_known = false;
    for (const ShadowEntry& e : pages_.Lists()[cell.List()]) {
      if ((e.bytes & bytes) == 0 || e.strand == now.strand) continue;
      if (Conflict(e.kind, kind)) return false;
      is_known |= e.kind == kind && e.locks == now.locks && (bytes & ~e.bytes) == 0 &&
                  now.IsSibling(e.strand);
    }
    return is_known;
  }

  // The bytes are gone after this: checked like a plain write, and forgotten.
  template <AccessContext C>
  [[gnu::noinline]] void Retire(uintptr_t first, size_t size, C& c) {
    Now<C> now(AccessKind::kWrite, c);
    const uintptr_t end = End(first, size);
    while ((first = pages_.SkipMissing(first, end)) < end) {
      const uintptr_t page_end = std::min(end, (first | (kPageBytes - 1)) + 1);
      if (ShadowPage* page = pages_.Find(first)) RetirePage(now, first, page_end, *page);
      first = page_end;
    }
    now.ReportRaces();
  }

  // Forgets the bytes.
  void Clear(uintptr_t first, size_t size) {
    const uintptr_t end = End(first, size);
    while ((first = pages_.SkipMissing(first, end)) < end) {
      const uintptr_t page_end = std::min(end, (first | (kPageBytes - 1)) + 1);
      if (ShadowPage* page = pages_.Find(first)) ClearPage(first, page_end, *page);
      first = page_end;
    }
  }

  // Forgets the bytes if all that is remembered of them precedes; else false, and nothing is done.
  template <AccessContext C>
  bool ClearIfOrdered(uintptr_t first, size_t size, C& c) {
    if (IsUnknown(first, size)) return true;
    Now<C> now(AccessKind::kWrite, c);
    const uintptr_t end = End(first, size);
    for (uintptr_t at = first; (at = pages_.SkipMissing(at, end)) < end;) {
      const uintptr_t page_end = std::min(end, (at | (kPageBytes - 1)) + 1);
      const ShadowPage* const page = pages_.Find(at);
      if (page != nullptr && !IsOrdered(now, at, page_end, *page)) return false;
      at = page_end;
    }
    Clear(first, size);
    return true;
  }

  template <class Visit>
  void ForEachStrand(Visit visit) const {
    pages_.ForEachStrand(visit);
  }

  // False only if nothing that the strand did to one of the bytes is remembered.
  bool MayRemember(StrandId strand, uintptr_t first, size_t size) {
    if (size > kPageBytes) return true;
    const uintptr_t end = End(first, size);
    while (first < end) {
      const uintptr_t page_end = std::min(end, (first | (kPageBytes - 1)) + 1);
      const ShadowPage* const page = pages_.Find(first);
      if (page != nullptr && MayName(strand, first, page_end, *page)) return true;
      first = page_end;
    }
    return false;
  }

  size_t PageCount() const { return pages_.PageCount(); }
  size_t BytesUsed() const { return pages_.BytesUsed(); }
  uint64_t ReaderEntries() const { return pages_.Readers().Made(); }

  // Calls visit(entry) for everything that is remembered of the byte; for checks.
  template <class Visit>
  void ForEachEntry(uintptr_t byte, Visit visit) {
    ShadowPage* page = pages_.Find(byte);
    if (page == nullptr) return;
    const size_t offset = byte % kPageBytes;
    const ShadowCell& cell =
        page->cells[page->IsSparse() ? page->StepWith(offset) : offset >> page->shift];
    const unsigned in_cell = page->IsSparse() ? 0 : byte % (1u << page->shift);
    pages_.ForEachEntry(cell, [&](const ShadowEntry& e) {
      if (e.bytes >> in_cell & 1) visit(e);
    });
  }

  void CheckInvariant() const {
    pages_.ForEachPage([this](uintptr_t, const ShadowPage& page) {
      for (size_t i = 0; i < page.CellCount(); ++i) CheckCell(page, page.cells[i]);
      if (page.IsSparse()) CheckSteps(page);
    });
  }

 private:
  template <AccessContext C>
  using Now = CurrentAccess<C>;
  using Readers = ReaderLists::Readers;

  // The bytes that a cell stands for: as many from an address on; `bytes` has a bit for each of those
  // of interest, in a step all or none.
  struct Spot {
    uintptr_t address;
    size_t size;
    uint8_t bytes;
  };

  // What the rules made of a compact cell, for plain accesses of one kind by a strand without locks:
  // they make the same of all such cells, as long as the strand runs and no list of readers is freed.
  struct Change {
    StrandId strand = kNoStrand;
    ShadowCell before{};
    ShadowCell after{};
  };

  // So many split cells, and a page of words becomes one of half words.
  static constexpr uint8_t kMostSplits = 16;
  // So many changes by short ranges in a row, and a sparse page becomes one of words.
  static constexpr uint8_t kMostPieces = 64;
  // So many bytes are few.
  static constexpr size_t kShortRange = 64;
  // A list of entries is pruned when it has this many, twice as many, ...
  static constexpr uint32_t kLongList = 8;

  static uintptr_t End(uintptr_t first, size_t size) {
    constexpr uintptr_t kEnd = uintptr_t{1} << ShadowPages::kAddressBits;
    return first >= kEnd ? first : std::min(kEnd - first, size) + first;
  }

  // The numbers of lists that are freed are used again.
  [[gnu::noinline]] void CollectReaders() {
    pages_.CollectReaders();
    for (Change& change : changes_) change = {};
    asked_ = {};
  }

  // Single accesses of this size come to the page. Cells of two bytes would not be used often enough.
  [[gnu::noinline]] Single MakeCells(uintptr_t first, size_t size) {
    if (End(first, size) != first + size) return Single::kLeft;
    const uintptr_t unit = first | size;
    const unsigned shift = unit % 8 == 0 ? kWordShift : unit % 4 == 0 ? kHalfWordShift : kByteShift;
    ShadowPage& page = pages_.FindOrMake(first);
    if (page.IsSparse()) {
      pages_.ToDense(page, shift);
    } else if (page.shift > shift) {
      pages_.Divide(page, shift);
    }
    return Single::kLeft;
  }

  // A plain access without locks to some cells of a line. Returns those that are done: not the extended
  // ones, nor where there is a race.
  template <AccessContext C>
  [[gnu::always_inline]] uint64_t AccessCellsOf(AccessKind kind, uint64_t which, ShadowCell* cells,
                                                unsigned shift, C& c) {
    if (which == 0) return 0;
    Now<C> now(kind, c);
    Change& known = ChangeBy(now);
    uint64_t done = which;
    for (uint64_t left = which; left != 0; left &= left - 1) {
      ShadowCell& cell = cells[static_cast<size_t>(std::countr_zero(left)) >> shift];
      if (!AccessCompact(now, cell, known)) done ^= left & -left;
    }
    return done;
  }

  // The common cases apart: a plain access without locks to a page that was used recently and is
  // dense, or of which it touches one step without a race. False, and nothing done, otherwise.
  template <AccessContext C>
  [[gnu::always_inline]] bool AccessRecent(AccessKind kind, uintptr_t first, size_t size, C& c) {
    ShadowPage* const page = pages_.FindRecent(first);
    if (page == nullptr || page->cells == nullptr) return false;
    if (IsAtomic(kind) || c.Locks() != kNoLocks) return false;
    if (size >= kPageBytes || size > kPageBytes - first % kPageBytes) return false;
    Now<C> now(kind, c);
    if (page->IsSparse()) return AccessStep(now, first, first + size, *page);
    if ((first | size) % (uintptr_t{1} << page->shift) == 0 && size <= kShortRange) {
      if (AccessFewCells(now, first, size, *page)) return true;
    }
    AccessCells(now, first, first + size, *page);
    now.ReportRaces();
    return true;
  }

  template <AccessContext C>
  [[gnu::noinline]] void AccessRange(AccessKind kind, uintptr_t first, size_t size, C& c) {
    Now<C> now(kind, c);
    const uintptr_t end = End(first, size);
    while (first < end) {
      const uintptr_t page_end = std::min(end, (first | (kPageBytes - 1)) + 1);
      AccessPage(now, first, page_end);
      first = page_end;
    }
    now.ReportRaces();
  }

  // The part of the access in one page.
  template <AccessContext C>
  void AccessPage(Now<C>& now, uintptr_t first, uintptr_t end) {
    ShadowPage& page = pages_.FindOrMake(first);
    if (page.IsSparse()) {
      if (AccessStep(now, first, end, page)) return;
      if (ChangesInPieces(first, end, page)) {
        pages_.ToDense(page);
      } else {
        pages_.MakeRoom(page);
      }
    }
    if (page.IsSparse()) {
      pages_.UpdateSteps(first, end, page, [&](ShadowCell& cell, uintptr_t from, uintptr_t to) {
        AccessCell(now, page, cell, {from, to - from, 0xFF});
      });
      return;
    }
    const bool is_whole = end - first == kPageBytes;
    if (is_whole && now.kind == AccessKind::kWrite && now.IsPlain()) {
      return WriteWholePage(now, first, page);
    }
    AccessCells(now, first, end, page);
    if (is_whole) pages_.MakeSparseIfUniform(page);
  }

  // Has what a sparse page says been changed in short pieces again and again? Cells are cheaper then,
  // though steps are few: they are parted and put together each time.
  static bool ChangesInPieces(uintptr_t first, uintptr_t end, ShadowPage& page) {
    if (end - first > kShortRange) return false;
    if (page.cells[page.StepWith(first % kPageBytes)].IsEmpty()) return false;
    return ++page.splits == kMostPieces;
  }

  // The common case of a sparse page: a plain access to exactly one step, or to a part of one that
  // need not change. False, and nothing done, otherwise.
  template <AccessContext C>
  bool AccessStep(Now<C>& now, uintptr_t first, uintptr_t end, ShadowPage& page) {
    if (end - first > kShortRange) page.splits = 0;
    const size_t from = first % kPageBytes, to = from + (end - first);
    const size_t step = page.StepWith(from);
    if (page.EndOf(step) < to) return false;
    ShadowCell& cell = page.cells[step];
    if (IsRepeated(now, cell)) return true;
    if (cell.IsExtended() || !now.IsPlain()) return false;
    ShadowCell next = cell;
    if (!Advance(now, next)) return false;
    if (next == cell) return true;
    if (page.BeginOf(step) != from || page.EndOf(step) != to) return false;
    if (step > 0 && page.cells[step - 1] == next) return false;
    if (step + 1u < page.steps && page.cells[step + 1] == next) return false;
    cell = next;
    return true;
  }

  // A dense page: the cells that the access covers, and a part of one at either end.
  template <AccessContext C>
  void AccessCells(Now<C>& now, uintptr_t first, uintptr_t end, ShadowPage& page) {
    if ((first | end) % (uintptr_t{1} << page.shift) == 0) [[likely]] {
      return AccessWholeCells(now, first, (end - first) >> page.shift, page);
    }
    AccessParts(now, first, end, page);
  }
  // With a part of a cell at one end or both.
  template <AccessContext C>
  [[gnu::noinline]] void AccessParts(Now<C>& now, uintptr_t first, uintptr_t end,
                                     ShadowPage& page) {
    if (page.splits >= kMostSplits && page.shift == kWordShift) pages_.Divide(page, kHalfWordShift);
    const uintptr_t cell_bytes = uintptr_t{1} << page.shift;
    const auto part = [&](uintptr_t address) {
      AccessCell(now, page, page.cells[address % kPageBytes >> page.shift],
                 {address, cell_bytes, BytesWithin(page, address, first, end)});
    };
    const uintptr_t whole = (first + cell_bytes - 1) & ~(cell_bytes - 1);
    const uintptr_t whole_end = end & ~(cell_bytes - 1);
    if (first < whole) part(whole - cell_bytes);
    if (whole < whole_end) AccessWholeCells(now, whole, (whole_end - whole) >> page.shift, page);
    if (whole_end < end && whole_end >= whole) part(whole_end);
  }
  // A plain access without locks to all of a few cells. False if one is extended, or there is a race;
  // cells before it may have changed, which is no harm.
  template <AccessContext C>
  [[gnu::always_inline]] bool AccessFewCells(Now<C>& now, uintptr_t first, size_t size,
                                             const ShadowPage& page) {
    Change& known = ChangeBy(now);
    ShadowCell* cell = &page.cells[first % kPageBytes >> page.shift];
    for (ShadowCell* const end = cell + (size >> page.shift); cell != end; ++cell) {
      if (!AccessCompact(now, *cell, known)) return false;
    }
    return true;
  }
  // The same for one cell.
  template <AccessContext C>
  [[gnu::always_inline]] bool AccessCompact(Now<C>& now, ShadowCell& cell, Change& known) {
    const ShadowCell before = cell;
    if (before != known.before) {
      if (IsRepeated(now, before)) return true;
      ShadowCell next = before;
      if (before.IsExtended() || !Advance(now, next)) return false;
      known.before = before;
      known.after = next;
    }
    cell = known.after;
    return true;
  }
  // Most are like their neighbours: nothing to do, or the same as before.
  template <AccessContext C>
  void AccessWholeCells(Now<C>& now, uintptr_t first, size_t count, ShadowPage& page) {
    Change& known = ChangeBy(now);
    ShadowCell* cell = &page.cells[first % kPageBytes >> page.shift];
    for (size_t left = count; left > 0;) {
      size_t done = 1;
      if (*cell == known.before && now.IsPlain()) {
        done = EqualCells(cell, left);
        if (known.after != known.before) std::fill_n(cell, done, known.after);
      } else if (IsRepeated(now, *cell)) {
        done = RepeatedCells(now, cell, left);
      } else {
        const ShadowCell before = *cell;
        const uintptr_t address = first + ((count - left) << page.shift);
        AccessCell(now, page, *cell, {address, size_t{1} << page.shift, page.AllBytes()});
        if (!before.IsExtended() && !cell->IsExtended() && now.IsRaceFree() && now.IsPlain()) {
          known.before = before;
          known.after = *cell;
        }
      }
      cell += done;
      left -= done;
    }
  }

  // The rules for compact cells: what one becomes by a plain access without locks to all of it, if
  // there is no race and the result is compact. Else false, and the cell says nothing.
  template <AccessContext C>
  [[gnu::always_inline]] bool Advance(Now<C>& now, ShadowCell& cell) {
    if (cell.writer != kNoStrand && !now.Ordered(cell.writer)) return false;
    if (now.kind == AccessKind::kWrite) {
      if (!ReadersOrdered(now, cell)) return false;
      cell = {now.strand, kNoStrand};
      return true;
    }
    if (now.IsSibling(pages_.Readers().Newest(cell.GetReaders()))) return true;
    const bool is_one = C::kOneReader || !cell.GetReaders().IsMany();
    if (is_one && (cell.reader == kNoStrand || now.Ordered(cell.reader))) {
      cell.reader = now.strand;
      return true;
    }
    if constexpr (!C::kOneReader) cell.SetReaders(pages_.Readers().Add(cell.GetReaders(), now));
    return true;
  }

  // Do all readers of a compact cell precede, or are they the strand at hand?
  template <AccessContext C>
  [[gnu::always_inline]] bool ReadersOrdered(Now<C>& now, const ShadowCell& cell) {
    if (cell.reader == kNoStrand) return true;
    if (C::kOneReader || !cell.GetReaders().IsMany()) return now.Ordered(cell.reader);
    return ReaderListOrdered(now, cell.GetReaders());
  }
  template <AccessContext C>
  [[gnu::noinline]] bool ReaderListOrdered(Now<C>& now, const Readers& readers) {
    if (asked_.strand != now.strand || asked_.list != readers.list()) {
      const bool ordered =
          pages_.Readers().All(readers, [&](StrandId reader) { return now.Ordered(reader); });
      asked_ = {now.strand, readers.list(), ordered};
    }
    return asked_.ordered;
  }

  // How many of the first cells say what the first one says.
  static size_t EqualCells(const ShadowCell* cell, size_t cells) {
    return CellsUntil(cell, cells, [first = *cell](const ShadowCell& c) {
      return (Index(c.writer) ^ Index(first.writer)) | (Index(c.reader) ^ Index(first.reader));
    });
  }
  // How many of the first cells the strand has touched, like the first one.
  template <AccessContext C>
  static size_t RepeatedCells(const Now<C>& now, const ShadowCell* cell, size_t cells) {
    if (cell->writer == now.strand) {
      return CellsUntil(cell, cells, [strand = now.strand](const ShadowCell& c) {
        return Index(c.writer) ^ Index(strand);
      });
    }
    return CellsUntil(cell, cells, [strand = now.strand](const ShadowCell& c) {
      return Index(c.reader) ^ Index(strand);
    });
  }
  // How many come before one that differs: `differs` is 0 for the others, the first among them. In
  // steps of four: long ranges are where the time goes.
  template <class Differs>
  [[gnu::always_inline]] static size_t CellsUntil(const ShadowCell* cell, size_t cells,
                                                  Differs differs) {
    size_t same = 1;
    while (cells - same >= 4 && (differs(cell[same]) | differs(cell[same + 1]) |
                                 differs(cell[same + 2]) | differs(cell[same + 3])) == 0) {
      same += 4;
    }
    while (same < cells && differs(cell[same]) == 0) ++same;
    return same;
  }

  template <AccessContext C>
  void RetirePage(Now<C>& now, uintptr_t first, uintptr_t end, ShadowPage& page) {
    if (page.IsSparse()) {
      if (IsEmpty(first, end, page)) return;
      pages_.MakeRoom(page);
    }
    if (page.IsSparse()) {
      pages_.UpdateSteps(first, end, page, [&](ShadowCell& cell, uintptr_t from, uintptr_t to) {
        CheckWrite(now, page, cell, {from, to - from, 0xFF});
        ClearCell(page, cell, 0xFF);
      });
    } else {
      ShadowCell harmless{};  // a compact cell that needs no check
      ForEachCell(first, end, page, [&](ShadowCell& cell, const Spot& spot) {
        if (cell != harmless) {
          CheckWrite(now, page, cell, spot);
          if (!cell.IsExtended() && now.IsRaceFree()) harmless = cell;
        }
        ClearCell(page, cell, spot.bytes);
      });
    }
    if (end - first == kPageBytes) pages_.Drop(page);
  }
  // Is nothing known of the bytes, and they lie in a page that was used recently? Mostly so where a
  // variable begins or ends.
  bool IsUnknown(uintptr_t first, size_t size) const {
    const ShadowPage* const page = pages_.FindRecent(first);
    if (page == nullptr || size == 0 || size > kPageBytes - first % kPageBytes) return false;
    if (page->cells == nullptr) return true;
    if (page->IsSparse()) return IsEmpty(first, first + size, *page);
    return std::ranges::all_of(CellsOf(first, first + size, *page), &ShadowCell::IsEmpty);
  }
  // The cells or steps of the part [first, end) of a page.
  static std::span<const ShadowCell> CellsOf(uintptr_t first, uintptr_t end,
                                             const ShadowPage& page) {
    const size_t from = first % kPageBytes, to = from + (end - first);
    const size_t cell = page.IsSparse() ? page.StepWith(from) : from >> page.shift;
    const size_t last = page.IsSparse() ? page.StepWith(to - 1) : (to - 1) >> page.shift;
    return {page.cells + cell, last - cell + 1};
  }
  // Does all that is remembered of the part [first, end) of a page precede?
  template <AccessContext C>
  bool IsOrdered(Now<C>& now, uintptr_t first, uintptr_t end, const ShadowPage& page) {
    ShadowCell ordered{};  // a compact cell of which it is known
    for (const ShadowCell& cell : CellsOf(first, end, page)) {
      if (cell == ordered) continue;
      if (!IsOrdered(now, cell)) return false;
      if (!cell.IsExtended()) ordered = cell;
    }
    return true;
  }
  // Is the strand named in the part [first, end) of a page, or one that may be among many?
  bool MayName(StrandId strand, uintptr_t first, uintptr_t end, const ShadowPage& page) const {
    for (const ShadowCell& cell : CellsOf(first, end, page)) {
      if (cell.writer == strand || cell.reader == strand || cell.GetReaders().IsMany()) return true;
      if (cell.IsExtended() &&
          std::ranges::any_of(pages_.Lists()[cell.List()],
                              [&](const ShadowEntry& e) { return e.strand == strand; })) {
        return true;
      }
    }
    return false;
  }
  template <AccessContext C>
  bool IsOrdered(Now<C>& now, const ShadowCell& cell) {
    if (!cell.IsExtended()) {
      return (cell.writer == kNoStrand || now.Ordered(cell.writer)) && ReadersOrdered(now, cell);
    }
    return std::ranges::all_of(pages_.Lists()[cell.List()],
                               [&](const ShadowEntry& e) { return now.Ordered(e.strand); });
  }
  // Is it known that nothing is known of the part [first, end) of a sparse page?
  static bool IsEmpty(uintptr_t first, uintptr_t end, const ShadowPage& page) {
    const size_t from = first % kPageBytes;
    const size_t step = page.StepWith(from);
    return page.cells[step].IsEmpty() && page.EndOf(step) >= from + (end - first);
  }
  // Calls visit(cell, spot) for the cells of a dense page that are not empty.
  template <class Visit>
  [[gnu::always_inline]] static void ForEachCell(uintptr_t first, uintptr_t end, ShadowPage& page,
                                                 Visit visit) {
    const uintptr_t cell_bytes = uintptr_t{1} << page.shift;
    ShadowCell* cell = &page.cells[(first % kPageBytes) >> page.shift];
    for (uintptr_t at = first & ~(cell_bytes - 1); at < end; at += cell_bytes, ++cell) {
      if (!cell->IsEmpty()) visit(*cell, Spot{at, cell_bytes, BytesWithin(page, at, first, end)});
    }
  }

  // Checks a plain write, and remembers nothing.
  template <AccessContext C>
  void CheckWrite(Now<C>& now, const ShadowPage& page, const ShadowCell& cell, const Spot& spot) {
    pages_.ForEachEntry(
        cell,
        [&](const ShadowEntry& e) {
          if ((e.bytes & spot.bytes) == 0 || now.Ordered(e.strand)) return;
          if (Disjoint(now, e.locks) || now.context.ReportsLockOrder()) {
            AddRaces(now, page, e, spot, e.bytes & spot.bytes);
          }
        },
        spot.bytes);
  }

  // The bytes of the cell at `address` that lie in [first, end).
  static uint8_t BytesWithin(const ShadowPage& page, uintptr_t address, uintptr_t first,
                             uintptr_t end) {
    const uintptr_t cell_end = address + (uintptr_t{1} << page.shift);
    if (address >= first && cell_end <= end) return page.AllBytes();
    return Bytes(std::max(first, address) - address, std::min(end, cell_end) - address);
  }

  static uint8_t Bytes(uintptr_t from, uintptr_t to) {
    return static_cast<uint8_t>((1u << to) - (1u << from));
  }

  // Does the fast path's reason hold?
  template <AccessContext C>
  static bool IsRepeated(const Now<C>& now, const ShadowCell& cell) {
    return cell.writer == now.strand || (!IsWrite(now.kind) && cell.reader == now.strand);
  }

  template <AccessContext C>
  [[gnu::always_inline]] void AccessCell(Now<C>& now, ShadowPage& page, ShadowCell& cell,
                                         const Spot& spot) {
    if (IsRepeated(now, cell)) return;
    if (spot.bytes == page.AllBytes() && now.IsPlain() && !cell.IsExtended()) [[likely]] {
      ShadowCell next = cell;
      if (Advance(now, next)) {
        cell = next;
        return;
      }
    }
    AccessEntries(now, page, cell, spot);
  }

  // A plain write without locks to all of a dense page: each cell is checked, then one step says it.
  template <AccessContext C>
  [[gnu::noinline]] void WriteWholePage(Now<C>& now, uintptr_t address, ShadowPage& page) {
    const size_t cell_bytes = size_t{1} << page.shift;
    ShadowCell harmless{};  // a compact cell that needs no check
    for (size_t i = 0; i < page.CellCount(); ++i) {
      ShadowCell& cell = page.cells[i];
      if (cell == harmless) continue;
      CheckWrite(now, page, cell, {address + i * cell_bytes, cell_bytes, page.AllBytes()});
      if (!cell.IsExtended() && now.IsRaceFree()) harmless = cell;
      if (cell.IsExtended()) pages_.Lists().Free(cell.List());
    }
    pages_.MakeUniform(page, {now.strand, kNoStrand});
  }

  // The general case. The rules are those at the head of this file.
  template <AccessContext C>
  [[gnu::noinline]] void AccessEntries(Now<C>& now, ShadowPage& page, ShadowCell& cell,
                                       const Spot& spot) {
    const bool resets = now.kind == AccessKind::kWrite && now.locks == kNoLocks;
    ShadowLists& lists = pages_.Lists();
    ShadowLists::List list = OpenList(page, cell);
    std::span<ShadowEntry> entries = lists[list];
    uint8_t skipped = 0;
    uint32_t kept = 0;
    for (ShadowEntry e : entries) {
      const uint8_t both = e.bytes & spot.bytes;
      if (both != 0) {
        const bool ordered = now.Ordered(e.strand);
        if (!ordered && Conflict(e.kind, now.kind) &&
            (Disjoint(now, e.locks) || now.context.ReportsLockOrder())) {
          AddRaces(now, page, e, spot, both);
        }
        const bool skips =
            e.strand == now.strand || (C::kOneReader && !ordered) || now.IsSibling(e.strand);
        if (resets && e.strand != now.strand) {
          e.bytes &= ~both;
        } else if (skips && ConflictsWithin(now.kind, e.kind) && Subset(now, e.locks, now.locks)) {
          skipped |= both;
        } else if (ordered && ConflictsWithin(e.kind, now.kind) &&
                   Subset(now, now.locks, e.locks)) {
          e.bytes &= ~both;
        }
      }
      if (e.bytes != 0) entries[kept++] = e;
    }
    lists.Truncate(list, kept);
    if constexpr (!C::kOneReader) {
      if (kept >= kLongList && std::has_single_bit(kept)) PruneEntries(now, list);
    }
    if (const uint8_t added = spot.bytes & ~skipped; added != 0) {
      list = pages_.AddEntry({now.strand, now.locks, now.kind, added}, list);
    }
    CloseList(page, cell, list);
    const bool is_half = page.shift == kWordShift && (spot.bytes == 0x0F || spot.bytes == 0xF0);
    if (is_half && cell.IsExtended() && page.splits < kMostSplits) ++page.splits;
  }

  // Drops entries of which another one says the same, strands aside, and whose strands are
  // equivalent.
  template <AccessContext C>
  [[gnu::noinline]] void PruneEntries(Now<C>& now, ShadowLists::List list) {
    std::span<ShadowEntry> entries = pages_.Lists()[list];
    const auto key = [&](const ShadowEntry& e) {
      return std::tuple(now.context.ReaderClass(e.strand), e.kind, e.locks, e.bytes);
    };
    std::sort(entries.begin(), entries.end(), [&](const ShadowEntry& a, const ShadowEntry& b) {
      return std::tuple_cat(key(a), std::tuple(a.strand)) <
             std::tuple_cat(key(b), std::tuple(b.strand));
    });
    const auto end =
        std::unique(entries.begin(), entries.end(),
                    [&](const ShadowEntry& a, const ShadowEntry& b) { return key(a) == key(b); });
    pages_.Lists().Truncate(list, static_cast<uint32_t>(end - entries.begin()));
  }

  template <AccessContext C>
  static bool Disjoint(Now<C>& now, LockSet locks) {
    return locks == kNoLocks || now.locks == kNoLocks || now.context.Disjoint(locks, now.locks);
  }
  template <AccessContext C>
  static bool Subset(Now<C>& now, LockSet a, LockSet b) {
    return a == kNoLocks || a == b || now.context.Subset(a, b);
  }
  template <AccessContext C>
  static void AddRaces(Now<C>& now, const ShadowPage& page, const ShadowEntry& earlier,
                       const Spot& spot, uint8_t bytes) {
    if (page.IsSparse()) return now.AddRace(earlier.By(), spot.address, spot.size);
    now.AddRaces(earlier.By(), spot.address, bytes);
  }

  // The cell's entries as a list, also if it is compact.
  ShadowLists::List OpenList(ShadowPage& page, ShadowCell& cell) {
    if (cell.IsExtended()) return cell.List();
    ShadowLists& lists = pages_.Lists();
    ShadowLists::List list = lists.Make();
    pages_.ForEachEntry(
        cell, [&](const ShadowEntry& e) { list = lists.Append(list, e); }, page.AllBytes());
    return list;
  }

  // The cell says what the list says; compact if it can.
  void CloseList(ShadowPage& page, ShadowCell& cell, ShadowLists::List list) {
    cell = pages_.CellOf(list, page.AllBytes());
    page.has_lists |= cell.IsExtended();
    if constexpr (kChecked) CheckCell(page, cell);
  }

  void ClearPage(uintptr_t first, uintptr_t end, ShadowPage& page) {
    if (end - first == kPageBytes) return pages_.Drop(page);
    if (page.IsSparse()) {
      if (IsEmpty(first, end, page)) return;
      pages_.MakeRoom(page);
    }
    if (page.IsSparse()) {
      pages_.ClearSteps(first, end, page);
    } else {
      ClearCells(first, end, page);
    }
  }
  // A dense page.
  void ClearCells(uintptr_t first, uintptr_t end, ShadowPage& page) {
    const uintptr_t cell_bytes = uintptr_t{1} << page.shift;
    ShadowCell* cell = &page.cells[(first % kPageBytes) >> page.shift];
    uintptr_t at = first & ~(cell_bytes - 1);
    if (at < first) {
      if (!cell->IsEmpty()) ClearCell(page, *cell, BytesWithin(page, at, first, end));
      ++cell;
      at += cell_bytes;
    }
    for (; at + cell_bytes <= end; at += cell_bytes, ++cell) {
      if (cell->IsExtended()) [[unlikely]]
        pages_.Lists().Free(cell->List());
      *cell = {};
    }
    if (at < end && !cell->IsEmpty()) ClearCell(page, *cell, Bytes(0, end - at));
  }

  [[gnu::always_inline]] void ClearCell(ShadowPage& page, ShadowCell& cell, uint8_t bytes) {
    if (bytes != page.AllBytes()) return ClearPart(page, cell, bytes);
    if (cell.IsExtended()) pages_.Lists().Free(cell.List());
    cell = {};
  }
  [[gnu::noinline]] void ClearPart(ShadowPage& page, ShadowCell& cell, uint8_t bytes) {
    ShadowLists::List list = OpenList(page, cell);
    std::span<ShadowEntry> entries = pages_.Lists()[list];
    uint32_t kept = 0;
    for (ShadowEntry e : entries) {
      e.bytes &= ~bytes;
      if (e.bytes != 0) entries[kept++] = e;
    }
    pages_.Lists().Truncate(list, kept);
    CloseList(page, cell, list);
  }

  void CheckCell(const ShadowPage& page, const ShadowCell& cell) const {
    if (!cell.IsExtended()) return;
    CHECK(page.has_lists, "an extended cell in a page without any");
    std::span<const ShadowEntry> entries = pages_.Lists()[cell.List()];
    for (const ShadowEntry& e : entries) {
      CHECK(e.bytes != 0 && (e.bytes & ~page.AllBytes()) == 0, "an entry for no byte of its cell");
      CHECK(e.strand != kNoStrand && e.strand <= kLastStrand, "an entry of no strand");
    }
    CHECK(!IsCompact(entries, page.AllBytes()), "a list where a compact cell would do");
  }

  void CheckSteps(const ShadowPage& page) const {
    CHECK(page.steps > 0 && page.steps <= kStepRooms[page.room] && page.BeginOf(0) == 0,
          "a sparse page without a first step, or with too many");
    for (size_t i = 1; i < page.steps; ++i) {
      CHECK(page.BeginOf(i) > page.BeginOf(i - 1) && page.BeginOf(i) < kPageBytes,
            "steps are not in order");
      CHECK(!pages_.Agree(page.cells[i - 1], page.cells[i]), "neighbouring steps agree");
    }
  }

  // The newest one. To begin with: of a cell that says nothing.
  template <AccessContext C>
  [[gnu::always_inline]] Change& ChangeBy(const Now<C>& now) {
    Change& change = changes_[IsWrite(now.kind) ? 1 : 0];
    if (change.strand == now.strand) return change;
    const ShadowCell written{now.strand, kNoStrand}, read{kNoStrand, now.strand};
    change = {now.strand, {}, IsWrite(now.kind) ? written : read};
    return change;
  }

  // Whether a strand comes after all readers of a list.
  struct Asked {
    StrandId strand = kNoStrand;
    ReaderLists::List list = ReaderLists::kNone;
    bool ordered = false;
  };

  Change changes_[2];  // by reads, by writes
  Asked asked_;
  ShadowPages pages_;
};
static_assert(AccessHistory<ShadowHistory>);

}  // namespace taskrace
