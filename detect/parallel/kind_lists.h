// KindLists: what bytes remember where atomics or locks come in. A byte has a list: for each set of locks,
// two accesses of each kind.
//
// Why two:    which later accesses race with one of a kind and lock set depends on its strand only, so
//             the rule for readers (cell_rules.h) holds for each kind and lock set.
// Why exact:  an access puts itself in first, and looks for others then. Of two at the same time at
//             least one sees the other, though they change different words.
// Invariant:  a list only grows, at its head.
// Thread rule: any thread, each with a Cursor of its own.
// Cost:       80 bytes a byte and lock set; a look at every entry that conflicts.
// Tested by:  test/oracle/parallel_orders_test.cc, parallel_threads_test.cc
#pragma once

#include <atomic>

#include "detect/parallel/cell_counts.h"
#include "detect/parallel/cell_rules.h"

namespace taskrace {

// What a history asks of the access at hand, beside the rules.
template <class C>
concept HistoryContext =
    ParallelContext<C> &&
    requires(C c, RecordId id, AccessKind kind, LockSet locks, uintptr_t first, size_t size) {
      { c.Strand() } -> std::same_as<StrandId>;
      { c.Kind() } -> std::same_as<AccessKind>;
      { c.Locks() } -> std::same_as<LockSet>;
      { c.Disjoint(locks, locks) } -> std::same_as<bool>;
      c.OnRace(id, kind, locks, first, size);  // with that access
    };

class KindLists {
  using Words = VersionedWords::Words;
  using Snapshot = VersionedWords::Snapshot;
  struct List {
    VersionedWords kinds[4];
    uint32_t next;
    LockSet locks;
    List(uint32_t next, LockSet locks) : next(next), locks(locks) {}
  };
  static_assert(sizeof(List) == 80);

 public:
  using Cursor = SharedTable<List>::Cursor;

  constexpr KindLists() = default;

  // A list that says what a plain cell says.
  uint32_t Make(Cursor& cursor, const Words& plain) {
    const uint32_t list = lists_.Add(cursor, 0u, kNoLocks);
    VersionedWords* kinds = lists_[list].kinds;
    new (&kinds[Index(AccessKind::kWrite)]) VersionedWords(Words{.first = plain.first});
    new (&kinds[Index(AccessKind::kRead)])
        VersionedWords(Words{.first = plain.second, .second = plain.third});
    return list;
  }

  // An access of any kind to the byte at `address`, whose cell names its list first. False: somebody
  // has changed the cell.
  template <class Cell, HistoryContext C>
  bool Access(Cursor& cursor, CellCounts& counts, Cell& cell, const Snapshot& seen,
              uintptr_t address, C& c) {
    uint32_t own = seen.words.first;
    while (own != 0 && lists_[own].locks != c.Locks()) own = lists_[own].next;
    if (own == 0) {
      own = lists_.Add(cursor, seen.words.first, c.Locks());
      Words longer = seen.words;
      longer.first = own;
      if (!counts.Replace(cell, seen, longer)) return false;
    }
    const Words before = PutIn(counts, lists_[own].kinds[Index(c.Kind())], c);
    // Whoever comes at the same time puts itself in before it looks here, too.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    for (uint32_t i = cell.Load().words.first; i != 0; i = lists_[i].next) {
      const List& list = lists_[i];
      if (!c.Disjoint(list.locks, c.Locks())) continue;
      for (size_t k = 0; k < 4; ++k) {
        const AccessKind kind = static_cast<AccessKind>(k);
        if (!Conflict(kind, c.Kind())) continue;
        const bool is_own = i == own && kind == c.Kind();
        const Words there = is_own ? before : list.kinds[k].Load().words;
        for (const RecordId id : {there.first, there.second}) {
          if (id != kNobody && c.Parallel(id)) c.OnRace(id, kind, list.locks, address, 1);
        }
      }
    }
    return true;
  }

  // Forgets all accesses; the list stays.
  void Clear(CellCounts& counts, uint32_t list) {
    for (; list != 0; list = lists_[list].next) {
      for (VersionedWords& kind : lists_[list].kinds) {
        while (!counts.Replace(kind, kind.Load(), {})) continue;
      }
    }
  }

  // Calls visit(id) for all that are in the list.
  template <class Visit>
  void ForEachRecord(uint32_t list, Visit& visit) const {
    for (; list != 0; list = lists_[list].next) {
      for (const VersionedWords& kind : lists_[list].kinds) {
        const Words words = kind.Load().words;
        for (const RecordId id : {words.first, words.second}) visit(id);
      }
    }
  }

  size_t BytesUsed() const { return lists_.BytesUsed(); }

 private:
  static constexpr size_t Index(AccessKind kind) { return static_cast<size_t>(kind); }

  // Puts the access among two of its kind and locks; returns what was there before.
  template <HistoryContext C>
  static Words PutIn(CellCounts& counts, VersionedWords& kind, C& c) {
    for (;;) {
      const Snapshot seen = kind.Load();
      Words after = seen.words;
      AddReader(c, after.first, after.second);
      if (counts.Replace(kind, seen, after)) return seen.words;
    }
  }

  SharedTable<List> lists_{"shadow cells with kinds"};
};

}  // namespace taskrace
