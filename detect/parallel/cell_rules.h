// The rules of SPD3 for what a location remembers: a writer and two readers.
// Paper:      Raman, Zhao, Sarkar, Vechev, Yahav (SPD3), PLDI 2012, Algorithms 1 and 2.
// Invariant:  of all readers since the last write, somebody parallel to a later access is among r1
//             and r2 if there is one at all: they span the subtree that has all of them. r2 is
//             nobody as long as r1 speaks for all.
// Deviation:  as printed, Algorithm 2 stores nothing if r1 is parallel and r2 is null, and so loses a
//             reader. Here null stands for r1: then r1 and the new reader span more than r1 alone.
//             Whoever is outside the subtree of r1 and r2 meets both at the same node above it, and
//             whoever is inside meets neither above: one of the two comparisons is enough.
//             A write forgets the readers, for they all precede it, or the byte has its race.
// Thread rule: pure functions of what was read from a cell, and of a tree that does not change.
// Cost:       at most three queries, and two more searches where both readers are parallel.
// Tested by:  test/oracle/parallel_orders_test.cc
#pragma once

#include <concepts>

#include "detect/ds/versioned_words.h"
#include "detect/parallel/access_record.h"

namespace taskrace {

// What the rules ask of the access at hand.
template <class C>
concept ParallelContext = requires(C c, RecordId id) {
  { c.Parallel(id) } -> std::same_as<bool>;             // to the current strand
  { c.IsMine(id) } -> std::same_as<bool>;               // of the current strand
  { c.IsSettled(id) } -> std::same_as<bool>;            // nobody, or precedes all that comes
  { c.LcaDepth(id, id) } -> std::same_as<uint32_t>;     // of the two
  { c.LcaDepthFromNow(id) } -> std::same_as<uint32_t>;  // of that and the current strand
  { c.Record() } -> std::same_as<RecordId>;             // the access at hand
};

// A cell as the rules see it.
struct CellRoles {
  using Words = VersionedWords::Words;
  static RecordId& Writer(Words& words) { return words.first; }
  static RecordId& FirstReader(Words& words) { return words.second; }
  static RecordId& SecondReader(Words& words) { return words.third; }
};

// Which of the three race with the access.
enum Racing : unsigned { kNone = 0, kWriter = 1, kFirstReader = 2, kSecondReader = 4 };

// Algorithm 2, lines 4 to 13: what two readers become by one more.
template <ParallelContext C>
void AddReader(C& c, RecordId& r1, RecordId& r2) {
  if (r1 == kNobody) {
    r1 = c.Record();
    return;
  }
  const bool parallel1 = c.Parallel(r1);
  if (r2 == kNobody) {
    if (parallel1) {
      r2 = c.Record();
    } else if (!c.IsMine(r1)) {
      r1 = c.Record();
    }
    return;
  }
  const bool parallel2 = c.Parallel(r2);
  if (!parallel1 && !parallel2) {
    r1 = c.Record();
    r2 = kNobody;
  } else if (parallel1 && parallel2) {
    if (c.LcaDepthFromNow(r1) < c.LcaDepth(r1, r2)) r1 = c.Record();
  }
}

// Algorithm 2: a read.
template <ParallelContext C>
unsigned Read(C& c, VersionedWords::Words& cell) {
  const RecordId writer = CellRoles::Writer(cell);
  if (writer != kNobody && c.IsMine(writer)) return kNone;
  const bool races = writer != kNobody && c.Parallel(writer);
  AddReader(c, CellRoles::FirstReader(cell), CellRoles::SecondReader(cell));
  return races ? kWriter : kNone;
}

// Algorithm 1: a write.
template <ParallelContext C>
unsigned Write(C& c, VersionedWords::Words& cell) {
  const RecordId writer = CellRoles::Writer(cell);
  const RecordId r1 = CellRoles::FirstReader(cell), r2 = CellRoles::SecondReader(cell);
  unsigned racing = kNone;
  if (writer != kNobody && c.Parallel(writer)) racing |= kWriter;
  if (r1 != kNobody && c.Parallel(r1)) racing |= kFirstReader;
  if (r2 != kNobody && c.Parallel(r2)) racing |= kSecondReader;
  if (writer != kNobody && c.IsMine(writer) && r1 == kNobody) return racing;
  cell = {.first = c.Record(), .second = kNobody, .third = kNobody, .tag = cell.tag};
  return racing;
}

}  // namespace taskrace
