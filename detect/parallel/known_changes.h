// KnownChanges: what the plain accesses of a strand make of cells. What a strand touches was touched by a few
// others, in turns, so the rules (cell_rules.h) are asked once for each of their patterns.
//
// Settled:    whoever precedes all that comes is nobody to the rules, so cells that have only such strands are
//             one pattern.
// Invariant:  an access that changes a cell has asked for its record, also if the change was known: its
//             place is known to others then.
// Thread rule: one worker each.
// Cost:       a comparison; 1.5 KiB.
// Tested by:  test/oracle/parallel_orders_test.cc, test/detect/parallel_places_test.cc
#pragma once

#include "detect/parallel/cell_rules.h"
#include "detect/parallel/kind_lists.h"

namespace taskrace {

class KnownChanges {
  using Words = VersionedWords::Words;

 public:
  struct Change {
    Words before;
    Words after;
    unsigned racing;
    bool IsNone() const { return racing == kNone && after == before; }
  };

  // What the access makes of a plain cell that says this; until the next question.
  template <HistoryContext C>
  [[gnu::always_inline]] const Change& Of(const Words& cell, C& c) {
    const auto unless_settled = [&](RecordId id) { return c.IsSettled(id) ? kNobody : id; };
    const Words now{.first = unless_settled(cell.first),
                    .second = unless_settled(cell.second),
                    .third = unless_settled(cell.third),
                    .tag = cell.tag};
    const uint32_t mixed = now.first ^ now.second * 5 ^ now.third * 3;
    Known& known = known_[(mixed ^ (IsWrite(c.Kind()) ? kMost / 2 : 0)) % kMost];
    if (known.strand != c.Strand() || known.kind != c.Kind() || !(known.change.before == now)) {
      known = {{now, now, kNone}, c.Strand(), c.Kind()};
      Words& after = known.change.after;
      known.change.racing = IsWrite(c.Kind()) ? Write(c, after) : Read(c, after);
    } else if (!(known.change.after == now)) {
      c.Record();
    }
    const bool stays = known.change.after == now;
    answer_ = {cell, stays ? cell : known.change.after, known.change.racing};
    return answer_;
  }
  // The numbers of records may mean others now.
  void Forget() {
    for (Known& known : known_) known = {};
  }

 private:
  struct Known {
    Change change;
    StrandId strand;
    AccessKind kind;
  };
  static constexpr size_t kMost = 32;
  Known known_[kMost] = {};
  Change answer_ = {};
};

}  // namespace taskrace
