// IntervalHistory: an access history exact to the byte, in intervals of bytes that agree.
//
// Paper:      Xu, Zhou, Lee, Yin, Agrawal, Schardl: Efficient Access History for Race Detection,
//             ALENEX 2022.
// Idea:       an interval says who wrote its bytes last and who has read them since, plain and
//             without locks; one reader or a shared list of them (reader_lists.h). Where atomics or
//             locks come in, a list of entries (entry_lists.h). A run of bytes goes once through
//             the intervals that it overlaps, is checked against each and changes it.
// Rules:      check, drop, skip, prune and reset as in shadow.h, interval by interval.
// Invariant:  that of interval_map.h; no list says what a writer and readers can say.
// Thread rule: one thread.
// Cost:       O(log n + intervals overlapped) per run, and two questions for each of them; 16 bytes
//             an interval, whatever its length, and what is free in the nodes of the map.
// Deviation:  one tree instead of two, and no treap: docs/algorithms/intervals.md says why.
// Tested by:  test/detect/intervals_test.cc, test/oracle/agreement_test.cc
#pragma once

#include <algorithm>
#include <bit>
#include <tuple>

#include "detect/ds/interval_map.h"
#include "detect/history/access_history.h"
#include "detect/history/current_access.h"
#include "detect/history/entry_lists.h"
#include "detect/history/reader_lists.h"

namespace taskrace {

class IntervalHistory {
 public:
  static constexpr const char* kName = "intervals";

  constexpr IntervalHistory() = default;

  // A run of bytes: checked against what is remembered, and remembered.
  template <AccessContext C>
  void Access(AccessKind kind, uintptr_t first, size_t size, C& c) {
    if (too_many_lists_) [[unlikely]]
      Collect();
    Now<C> now(kind, c);
    seen_.Update(first, End(first, size), [&](uintptr_t from, uintptr_t to, const Seen& seen) {
      return Become(now, from, to, seen);
    });
    now.ReportRaces();
  }

  // The bytes are gone after this: checked like a plain write, and forgotten.
  template <AccessContext C>
  void Retire(uintptr_t first, size_t size, C& c) {
    Now<C> now(AccessKind::kWrite, c);
    seen_.Update(first, End(first, size), [&](uintptr_t from, uintptr_t to, const Seen& seen) {
      ForEach(seen, [&](const IntervalEntry& e) {
        if (!now.Ordered(e.strand)) Report(now, e, from, to);
      });
      return Seen{};
    });
    now.ReportRaces();
  }

  // Forgets the bytes.
  void Clear(uintptr_t first, size_t size) {
    seen_.Update(first, End(first, size), [](uintptr_t, uintptr_t, const Seen&) { return Seen{}; });
  }

  // Forgets the bytes if all that is remembered of them precedes; else false, and nothing is done.
  template <AccessContext C>
  bool ClearIfOrdered(uintptr_t first, size_t size, C& c) {
    Now<C> now(AccessKind::kWrite, c);
    bool ordered = true;
    seen_.Update(first, End(first, size), [&](uintptr_t, uintptr_t, const Seen& seen) {
      ForEach(seen, [&](const IntervalEntry& e) { ordered = ordered && now.Ordered(e.strand); });
      return seen;
    });
    if (ordered) Clear(first, size);
    return ordered;
  }

  // Calls mark(strand) for every strand that is remembered, perhaps more than once.
  template <class Mark>
  void ForEachStrand(Mark mark) {
    Collect();
    seen_.ForEach([&](uintptr_t, uintptr_t, const Seen& seen) {
      if (seen.IsExtended()) return;
      if (seen.writer != kNoStrand) mark(seen.writer);
      if (seen.readers.strand != kNoStrand && !seen.readers.IsMany()) mark(seen.readers.strand);
    });
    lists_.ForEachEntry([&](const IntervalEntry& e) { mark(e.strand); });
    readers_.ForEachStrand(mark);
  }

  // Is something remembered that the strand did to one of the bytes? To look costs more than it saves.
  bool MayRemember(StrandId, uintptr_t, size_t) const { return true; }

  // How many intervals there are, those of which nothing is known included.
  size_t IntervalCount() const { return seen_.Size(); }
  uint64_t ReaderEntries() const { return readers_.Made(); }
  size_t BytesUsed() const { return seen_.BytesUsed() + lists_.BytesUsed() + readers_.BytesUsed(); }

  // Calls visit(entry) for everything that is remembered of the byte; for checks.
  template <class Visit>
  void ForEachEntry(uintptr_t byte, Visit visit) const {
    ForEach(seen_.At(byte), visit);
  }
  void CheckInvariant() const {
    seen_.CheckInvariant();
    seen_.ForEach([this](uintptr_t, uintptr_t, const Seen& seen) {
      if (!seen.IsExtended()) return;
      CHECK(!IsCompact(lists_[seen.List()]), "a list where a writer and readers would do");
    });
  }

 private:
  template <AccessContext C>
  using Now = CurrentAccess<C>;

  // What is remembered of an interval.
  struct Seen {
    StrandId writer = kNoStrand;
    ReaderLists::Readers readers;

    // As `writer`: a list of entries says it, whose number is in place of the readers.
    static constexpr StrandId kExtended{0xFFFFFFFF};
    static_assert(kExtended > kLastStrand);

    bool IsExtended() const { return writer == kExtended; }
    EntryLists::List List() const { return Index(readers.strand); }
    static Seen Extended(EntryLists::List list) { return {kExtended, {StrandId{list}}}; }

    // As one number: it is compared for every interval of a run.
    bool operator==(const Seen& other) const {
      return std::bit_cast<uint64_t>(*this) == std::bit_cast<uint64_t>(other);
    }
  };
  static_assert(sizeof(Seen) == 8);

  // Whether a strand comes after all readers of a list.
  struct Asked {
    StrandId strand = kNoStrand;
    ReaderLists::Readers readers;
    bool ordered = false;
  };

  // Entries are pruned when there are this many, twice as many, ...
  static constexpr size_t kLongList = 8;
  // Lists are collected when so many are new, or as many as there are intervals.
  static constexpr size_t kLeastMade = size_t{1} << 14;

  static uintptr_t End(uintptr_t first, size_t size) {
    return size > IntervalMap<Seen>::kLimit - first ? IntervalMap<Seen>::kLimit : first + size;
  }

  // What an interval says after the run at hand.
  template <AccessContext C>
  [[gnu::always_inline]] Seen Become(Now<C>& now, uintptr_t from, uintptr_t to, const Seen& seen) {
    if (now.IsPlain() && !seen.IsExtended()) [[likely]] {
      if (seen.writer == now.strand) return seen;
      if (seen.writer == kNoStrand || now.context.Precedes(seen.writer)) {
        const bool ordered = ReadersOrdered(now, seen.readers);
        if (now.kind == AccessKind::kWrite) {
          if (ordered) return {now.strand, {}};
        } else {
          if (ordered) return {seen.writer, {now.strand}};
          if constexpr (C::kOneReader) return seen;
          if constexpr (!C::kOneReader) {
            too_many_lists_ |= readers_.WantsCollection();
            return {seen.writer, readers_.Add(seen.readers, now)};
          }
        }
      }
    }
    return BecomeEntries(now, from, to, seen);
  }

  // Do all readers precede, or are they the strand at hand?
  template <AccessContext C>
  [[gnu::always_inline]] bool ReadersOrdered(Now<C>& now, const ReaderLists::Readers& readers) {
    if (readers.strand == kNoStrand) return true;
    if (C::kOneReader || !readers.IsMany()) return now.Ordered(readers.strand);
    return ReaderListOrdered(now, readers);
  }
  // Rows of one matrix have the same readers.
  template <AccessContext C>
  [[gnu::noinline]] bool ReaderListOrdered(Now<C>& now, const ReaderLists::Readers& readers) {
    if (asked_.strand != now.strand || !(asked_.readers == readers)) {
      const bool ordered =
          readers_.All(readers, [&](StrandId reader) { return now.Ordered(reader); });
      asked_ = {now.strand, readers, ordered};
    }
    return asked_.ordered;
  }

  // The general case. The rules are those at the head of shadow.h.
  template <AccessContext C>
  [[gnu::noinline]] Seen BecomeEntries(Now<C>& now, uintptr_t from, uintptr_t to,
                                       const Seen& seen) {
    const bool resets = now.kind == AccessKind::kWrite && now.locks == kNoLocks;
    bool skipped = false;
    entries_.Truncate(0);
    ForEach(seen, [&](const IntervalEntry& e) {
      const bool ordered = now.Ordered(e.strand);
      if (!ordered && Conflict(e.kind, now.kind)) Report(now, e, from, to);
      const bool skips = e.strand == now.strand || (C::kOneReader && !ordered);
      if (resets && e.strand != now.strand) return;
      if (skips && ConflictsWithin(now.kind, e.kind) && Subset(now, e.locks, now.locks)) {
        skipped = true;
      } else if (ordered && ConflictsWithin(e.kind, now.kind) && Subset(now, now.locks, e.locks)) {
        return;
      }
      entries_.Append(e);
    });
    if constexpr (!C::kOneReader) {
      if (entries_.Size() >= kLongList && std::has_single_bit(entries_.Size())) PruneEntries(now);
    }
    if (!skipped) entries_.Append({now.strand, now.locks, now.kind});
    return FromEntries();
  }

  // Drops entries of which another one says the same, strands aside, and whose strands are
  // equivalent.
  template <AccessContext C>
  [[gnu::noinline]] void PruneEntries(Now<C>& now) {
    const auto key = [&](const IntervalEntry& e) {
      return std::tuple(now.context.ReaderClass(e.strand), e.kind, e.locks);
    };
    IntervalEntry* const begin = entries_.Data();
    IntervalEntry* const end = begin + entries_.Size();
    std::sort(begin, end, [&](const IntervalEntry& a, const IntervalEntry& b) {
      return std::tuple_cat(key(a), std::tuple(a.strand)) <
             std::tuple_cat(key(b), std::tuple(b.strand));
    });
    IntervalEntry* const kept = std::unique(
        begin, end,
        [&](const IntervalEntry& a, const IntervalEntry& b) { return key(a) == key(b); });
    entries_.Truncate(static_cast<size_t>(kept - begin));
  }

  // What says what entries_ says.
  Seen FromEntries() {
    const std::span<const IntervalEntry> entries{entries_.Data(), entries_.Size()};
    if (!IsCompact(entries)) {
      too_many_lists_ |= lists_.Made() > std::max(kLeastMade, seen_.Size());
      return Seen::Extended(lists_.Intern(entries));
    }
    Seen seen;
    for (const IntervalEntry& e : entries) {
      if (IsWrite(e.kind)) {
        seen.writer = e.strand;
      } else {
        seen.readers = readers_.Append(seen.readers, e.strand);
      }
    }
    return seen;
  }
  // Can a writer and readers say what the entries say?
  static bool IsCompact(std::span<const IntervalEntry> entries) {
    size_t writers = 0;
    for (const IntervalEntry& e : entries) {
      if (e.locks != kNoLocks || IsAtomic(e.kind)) return false;
      writers += IsWrite(e.kind);
    }
    return writers <= 1;
  }

  // The two access [from, to), and nothing but a lock may order them.
  template <AccessContext C>
  static void Report(Now<C>& now, const IntervalEntry& e, uintptr_t from, uintptr_t to) {
    const bool disjoint =
        e.locks == kNoLocks || now.locks == kNoLocks || now.context.Disjoint(e.locks, now.locks);
    if (!disjoint && !now.context.ReportsLockOrder()) return;
    now.AddRace({e.strand, e.kind, e.locks}, from, to - from);
  }
  template <AccessContext C>
  static bool Subset(Now<C>& now, LockSet a, LockSet b) {
    return a == kNoLocks || a == b || now.context.Subset(a, b);
  }

  // Calls visit(entry) for what is remembered of an interval.
  template <class Visit>
  void ForEach(const Seen& seen, Visit visit) const {
    if (seen.IsExtended()) {
      for (const IntervalEntry& e : lists_[seen.List()]) visit(e);
      return;
    }
    if (seen.writer != kNoStrand) visit(IntervalEntry{seen.writer, kNoLocks, AccessKind::kWrite});
    readers_.All(seen.readers, [&](StrandId reader) {
      visit(IntervalEntry{reader, kNoLocks, AccessKind::kRead});
      return true;
    });
  }

  // Frees the lists that no interval has any more.
  [[gnu::noinline]] void Collect() {
    readers_.Collect([this](auto mark) {
      seen_.ForEach([&](uintptr_t, uintptr_t, const Seen& seen) {
        if (!seen.IsExtended() && seen.readers.IsMany()) mark(seen.readers.list());
      });
    });
    lists_.Collect([this](auto mark) {
      seen_.ForEach([&](uintptr_t, uintptr_t, const Seen& seen) {
        if (seen.IsExtended()) mark(seen.List());
      });
    });
    too_many_lists_ = false;
    asked_ = {};
  }

  IntervalMap<Seen> seen_{"intervals"};
  bool too_many_lists_ = false;  // some are nobody's: to be collected before the next run
  ReaderLists readers_;
  Asked asked_;
  EntryLists lists_;
  MappedArray<IntervalEntry> entries_{"intervals"};  // while a list is made
};
static_assert(AccessHistory<IntervalHistory>);

}  // namespace taskrace
