// ShadowHistory: an access history exact to the byte, in cells beside the program's memory.
//
// Idea:       a cell stands for 4 or 8 bytes, or a page, while all of its bytes agree;
//             shadow_pages.h finds it. A cell that only knows plain accesses without locks is
//             compact: last writer, and one reader or a shared list of them (reader_lists.h).
//             Where bytes differ, or atomics or locks come in, a list of entries.
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
//   prune     of accesses that differ in their strand only, one of each ReaderClass: whoever
//             comes after one of them comes after all.
//   reset     a plain write without locks covers everything and conflicts with everything: what
//             precedes is dropped, and with what is parallel it races. A byte's history matters
//             up to its first race, so only the write remains. So in one-reader classes a byte
//             has at most one entry for each kind and lock set.
// Invariant:  entries of a list have bytes, and no list says what a compact cell can say.
// Thread rule: one thread.
// Cost:       a range costs a step per cell, and per page where whole pages are written or were so
//             before. Memory: shadow_pages.h.
// Tested by:  test/detect/shadow_test.cc, test/oracle/agreement_test.cc
#pragma once

#include <algorithm>
#include <bit>
#include <tuple>

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
      pages_.CollectReaders();
    if (!AccessOneCell(kind, first, size, c)) AccessRange(kind, first, size, c);
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

  template <class Visit>
  void ForEachStrand(Visit visit) const {
    pages_.ForEachStrand(visit);
  }

  size_t PageCount() const { return pages_.PageCount(); }
  size_t BytesUsed() const { return pages_.BytesUsed(); }
  uint64_t ReaderEntries() const { return pages_.Readers().Made(); }

  // Calls visit(entry) for everything that is remembered of the byte; for checks.
  template <class Visit>
  void ForEachEntry(uintptr_t byte, Visit visit) {
    ShadowPage* page = pages_.Find(byte);
    if (page == nullptr) return;
    const ShadowCell& cell = page->cells[byte % kPageBytes >> page->shift];
    const unsigned in_cell = page->shift == kUniform ? 0 : byte % (1u << page->shift);
    if (cell.IsExtended()) {
      for (const ShadowEntry& e : pages_.Lists()[cell.List()]) {
        if (e.bytes >> in_cell & 1) visit(e);
      }
    } else {
      ForEachCompact(cell, page->AllBytes(), visit);
    }
  }

  void CheckInvariant() const {
    pages_.ForEachPage([this](uintptr_t, const ShadowPage& page) {
      for (size_t i = 0; i < page.CellCount(); ++i) CheckCell(page, page.cells[i]);
    });
  }

 private:
  template <AccessContext C>
  using Now = CurrentAccess<C>;
  using Readers = ReaderLists::Readers;

  // So many split cells, and a page of words becomes one of half words.
  static constexpr uint16_t kMostSplits = 16;
  // A list of entries is pruned when it has this many, twice as many, ...
  static constexpr uint32_t kLongList = 8;

  static uintptr_t End(uintptr_t first, size_t size) {
    constexpr uintptr_t kEnd = uintptr_t{1} << ShadowPages::kAddressBits;
    return first >= kEnd ? first : std::min(kEnd - first, size) + first;
  }

  // The common case apart (97 instructions instead of 292): a plain access to exactly one compact
  // cell of a cached page, without locks and without a race. False, and nothing done, otherwise.
  template <AccessContext C>
  [[gnu::always_inline]] bool AccessOneCell(AccessKind kind, uintptr_t first, size_t size, C& c) {
    const ShadowPages::Cached& page = pages_.CacheSlot(first >> kPageShift);
    if (page.number != first >> kPageShift || page.shift == kUniform) return false;
    if (size != uintptr_t{1} << page.shift || first % size != 0) return false;
    if (IsAtomic(kind) || c.Locks() != kNoLocks) return false;
    ShadowCell& cell = page.cells[first % kPageBytes >> page.shift];
    if (cell.IsExtended()) return false;
    Now<C> now(kind, c);
    if (IsRepeated(now, cell)) return true;
    ShadowCell next = cell;
    if (!Advance(now, next)) return false;
    cell = next;
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

  // The part of the access in one page: the cells that it covers, and a part of one at either end.
  template <AccessContext C>
  void AccessPage(Now<C>& now, uintptr_t first, uintptr_t end) {
    ShadowPage& page = pages_.FindOrMake(first, end);
    const bool whole = end - first == kPageBytes;
    if (whole && page.shift != kUniform && now.kind == AccessKind::kWrite && now.IsPlain()) {
      return WriteWholePage(now, first, page);
    }
    if (page.shift == kUniform && !whole) {
      if (IsRepeated(now, page.cells[0])) return;
      pages_.Refine(first, end, page);
    }
    if (page.shift == kWordShift && page.splits >= kMostSplits) pages_.Refine(first, end, page);

    const uintptr_t cell_bytes = uintptr_t{1} << page.shift;
    ShadowCell* cell = &page.cells[(first % kPageBytes) >> page.shift];
    uintptr_t address = first & ~(cell_bytes - 1);
    if (address < first) {
      const uintptr_t to = std::min(end - address, cell_bytes);
      AccessCell(now, page, *cell, address, Bytes(first - address, to));
      ++cell;
      address += cell_bytes;
    }
    // Most of a long range is like its neighbours: nothing to do, or the same as before.
    for (size_t left = address < end ? (end - address) >> page.shift : 0; left > 0;) {
      const size_t known = IsWrite(now.kind) ? KnownWrites(now.strand, cell, left)
                                             : KnownReads(now.strand, cell, left);
      cell += known;
      left -= known;
      address += known << page.shift;
      if (left == 0) break;
      // Compact cells that agree become the same.
      const ShadowCell agreed = *cell;
      AccessCell(now, page, *cell, address, page.AllBytes());
      const ShadowCell next = *cell;
      const bool agrees = !agreed.IsExtended() && !next.IsExtended() && now.IsRaceFree();
      do {
        *cell++ = next;
        --left;
        address += cell_bytes;
      } while (agrees && left > 0 && *cell == agreed);
    }
    if (address < end) AccessCell(now, page, *cell, address, Bytes(0, end - address));
  }

  // The rules for compact cells: what one becomes by a plain access without locks to all of it, if
  // there is no race and the result is compact. Else false, and the cell says nothing.
  template <AccessContext C>
  [[gnu::always_inline]] bool Advance(Now<C>& now, ShadowCell& cell) {
    if (cell.writer != kNoStrand && !now.Ordered(cell.writer)) return false;
    const bool reader_ordered = ReadersOrdered(now, cell);
    if (now.kind == AccessKind::kWrite) {
      if (reader_ordered) cell = {now.strand, kNoStrand};
      return reader_ordered;
    }
    if (reader_ordered) {
      cell.reader = now.strand;
      return true;
    }
    if constexpr (!C::kOneReader) cell.SetReaders(pages_.Readers().Add(cell.GetReaders(), now));
    quiet_ = {now.strand, cell.writer, cell.reader};
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

  // How many of the first cells a write, or a read, of the strand need not look at. In steps of four:
  // long ranges are where the time goes.
  static size_t KnownWrites(StrandId strand, const ShadowCell* cell, size_t cells) {
    return KnownCells(cell, cells,
                      [strand](const ShadowCell& c) { return Index(c.writer) ^ Index(strand); });
  }
  size_t KnownReads(StrandId strand, const ShadowCell* cell, size_t cells) const {
    if (quiet_.Matches(strand, *cell)) {
      return KnownCells(cell, cells, [quiet = quiet_](const ShadowCell& c) {
        return (Index(c.writer) ^ Index(quiet.writer)) | (Index(c.reader) ^ Index(quiet.reader));
      });
    }
    if (cell->reader == strand) {
      return KnownCells(cell, cells,
                        [strand](const ShadowCell& c) { return Index(c.reader) ^ Index(strand); });
    }
    return KnownWrites(strand, cell, cells);
  }
  // `differs` is 0 for a cell that is known.
  template <class Differs>
  static size_t KnownCells(const ShadowCell* cell, size_t cells, Differs differs) {
    size_t known = 0;
    while (cells - known >= 4 && (differs(cell[known]) | differs(cell[known + 1]) |
                                  differs(cell[known + 2]) | differs(cell[known + 3])) == 0) {
      known += 4;
    }
    while (known < cells && differs(cell[known]) == 0) ++known;
    return known;
  }

  template <AccessContext C>
  void RetirePage(Now<C>& now, uintptr_t first, uintptr_t end, ShadowPage& page) {
    const bool whole = end - first == kPageBytes;
    if (page.shift == kUniform && !whole) {
      if (page.cells[0].IsEmpty()) return;
      pages_.Refine(first, end, page);
    }
    const uintptr_t cell_bytes = uintptr_t{1} << page.shift;
    ShadowCell* cell = &page.cells[(first % kPageBytes) >> page.shift];
    for (uintptr_t at = first & ~(cell_bytes - 1); at < end; at += cell_bytes, ++cell) {
      if (cell->IsEmpty()) continue;
      const uint8_t bytes = BytesWithin(page, at, first, end);
      CheckWrite(now, page, *cell, at, bytes);
      ClearCell(page, *cell, bytes);
    }
    if (whole) pages_.Drop(first, page);
  }

  // Checks a plain write to `bytes` of the cell, and remembers nothing.
  template <AccessContext C>
  void CheckWrite(Now<C>& now, const ShadowPage& page, const ShadowCell& cell, uintptr_t address,
                  uint8_t bytes) {
    const auto check = [&](const ShadowEntry& e) {
      if ((e.bytes & bytes) == 0 || now.Ordered(e.strand)) return;
      if (Disjoint(now, e.locks) || now.context.ReportsLockOrder()) {
        AddRaces(now, page, e, address, e.bytes & bytes);
      }
    };
    if (!cell.IsExtended()) return ForEachCompact(cell, bytes, check);
    for (const ShadowEntry& e : pages_.Lists()[cell.List()]) check(e);
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

  // `cell` stands for the bytes at `address`; the access touches `bytes` of them.
  template <AccessContext C>
  [[gnu::always_inline]] void AccessCell(Now<C>& now, ShadowPage& page, ShadowCell& cell,
                                         uintptr_t address, uint8_t bytes) {
    if (IsRepeated(now, cell)) return;
    if (bytes == page.AllBytes() && now.IsPlain() && !cell.IsExtended()) [[likely]] {
      ShadowCell next = cell;
      if (Advance(now, next)) {
        cell = next;
        return;
      }
    }
    AccessEntries(now, page, cell, address, bytes);
  }

  // A plain write without locks to a whole page: each cell is checked, then the page is uniform.
  template <AccessContext C>
  [[gnu::noinline]] void WriteWholePage(Now<C>& now, uintptr_t address, ShadowPage& page) {
    const size_t cell_bytes = size_t{1} << page.shift;
    ShadowCell harmless{};  // a compact cell that needs no check
    for (size_t i = 0; i < page.CellCount(); ++i) {
      ShadowCell& cell = page.cells[i];
      if (cell == harmless) continue;
      CheckWrite(now, page, cell, address + i * cell_bytes, page.AllBytes());
      if (!cell.IsExtended() && now.IsRaceFree()) harmless = cell;
      if (cell.IsExtended()) pages_.Lists().Free(cell.List());
    }
    pages_.MakeUniform(address, page, {now.strand, kNoStrand});
  }

  // The general case. The rules are those at the head of this file.
  template <AccessContext C>
  [[gnu::noinline]] void AccessEntries(Now<C>& now, ShadowPage& page, ShadowCell& cell,
                                       uintptr_t address, uint8_t bytes) {
    const bool resets = now.kind == AccessKind::kWrite && now.locks == kNoLocks;
    ShadowLists& lists = pages_.Lists();
    ShadowLists::List list = OpenList(page, cell);
    std::span<ShadowEntry> entries = lists[list];
    uint8_t skipped = 0;
    uint32_t kept = 0;
    for (ShadowEntry e : entries) {
      const uint8_t both = e.bytes & bytes;
      if (both != 0) {
        const bool ordered = now.Ordered(e.strand);
        if (!ordered && Conflict(e.kind, now.kind) &&
            (Disjoint(now, e.locks) || now.context.ReportsLockOrder())) {
          AddRaces(now, page, e, address, both);
        }
        const bool skips = e.strand == now.strand || (C::kOneReader && !ordered);
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
    if (const uint8_t added = bytes & ~skipped; added != 0) {
      list = AddEntry({now.strand, now.locks, now.kind, added}, list);
    }
    CloseList(page, cell, list);
    const bool half = page.shift == kWordShift && (bytes == 0x0F || bytes == 0xF0);
    if (half && cell.IsExtended() && page.splits < kMostSplits) ++page.splits;
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
                       uintptr_t address, uint8_t bytes) {
    if (page.shift == kUniform) return now.AddRace(earlier.By(), address, kPageBytes);
    now.AddRaces(earlier.By(), address, bytes);
  }

  // The cell's entries as a list, also if it is compact.
  ShadowLists::List OpenList(ShadowPage& page, ShadowCell& cell) {
    if (cell.IsExtended()) return cell.List();
    ShadowLists& lists = pages_.Lists();
    ShadowLists::List list = lists.Make();
    const uint8_t all = page.AllBytes();
    ForEachCompact(cell, all, [&](const ShadowEntry& e) { list = lists.Append(list, e); });
    return list;
  }

  // Calls visit(entry) for what a compact cell says.
  template <class Visit>
  void ForEachCompact(const ShadowCell& cell, uint8_t bytes, Visit visit) {
    if (cell.writer != kNoStrand) visit(cell.WriterEntry(bytes));
    pages_.Readers().All(cell.GetReaders(), [&](StrandId reader) {
      visit(ShadowEntry{reader, kNoLocks, AccessKind::kRead, bytes});
      return true;
    });
  }

  ShadowLists::List AddEntry(const ShadowEntry& entry, ShadowLists::List list) {
    for (ShadowEntry& e : pages_.Lists()[list]) {
      if (e.SameAccess(entry)) {
        e.bytes |= entry.bytes;
        return list;
      }
    }
    return pages_.Lists().Append(list, entry);
  }

  // The cell says what the list says; compact if it can.
  void CloseList(ShadowPage& page, ShadowCell& cell, ShadowLists::List list) {
    if (IsCompact(pages_.Lists()[list], page.AllBytes())) {
      cell = pages_.ToCompact(pages_.Lists()[list]);
      pages_.Lists().Free(list);
    } else {
      cell = ShadowCell::Extended(list);
      page.has_lists = true;
    }
    if constexpr (kChecked) CheckCell(page, cell);
  }

  void ClearPage(uintptr_t first, uintptr_t end, ShadowPage& page) {
    if (end - first == kPageBytes) return pages_.Drop(first, page);
    if (page.shift == kUniform) {
      if (page.cells[0].IsEmpty()) return;
      pages_.Refine(first, end, page);
    }
    const uintptr_t cell_bytes = uintptr_t{1} << page.shift;
    ShadowCell* cell = &page.cells[(first % kPageBytes) >> page.shift];
    for (uintptr_t at = first & ~(cell_bytes - 1); at < end; at += cell_bytes, ++cell) {
      if (!cell->IsEmpty()) ClearCell(page, *cell, BytesWithin(page, at, first, end));
    }
  }

  // Requires: the cell is not empty.
  void ClearCell(ShadowPage& page, ShadowCell& cell, uint8_t bytes) {
    if (bytes == page.AllBytes()) {
      if (cell.IsExtended()) pages_.Lists().Free(cell.List());
      cell = {};
      return;
    }
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

  // A writer and readers that reads of one strand need not look at again: the writer precedes, and
  // the readers are kept or have the strand among them.
  struct Quiet {
    StrandId strand = kNoStrand;
    StrandId writer = kNoStrand;
    StrandId reader = kNoStrand;  // or readers

    bool Matches(StrandId s, const ShadowCell& cell) const {
      return cell.reader == reader && cell.writer == writer && s == strand;
    }
  };

  // Whether a strand comes after all readers of a list.
  struct Asked {
    StrandId strand = kNoStrand;
    ReaderLists::List list = ReaderLists::kNone;
    bool ordered = false;
  };

  Quiet quiet_;
  Asked asked_;
  ShadowPages pages_;
};
static_assert(AccessHistory<ShadowHistory>);

}  // namespace taskrace
