// AccessHistory: the interface of every access history. It gets each access of the current strand,
// remembers the accesses that later ones must be compared with, and passes every race to its context. It
// does not know where in the program an access was: strand, kind, locks and byte name it (access_log.h).
//
// A history does not know engines: it asks the context, which the detector passes to every call.
// Thread rule: one thread, as the serial engines. Cost: each history's head says.
#pragma once

#include <concepts>
#include <cstddef>

#include "detect/reach/ids.h"
#include "report/race.h"

namespace taskrace {

// What a history asks while it handles an access of the current strand.
template <class C>
concept AccessContext = requires(C c, StrandId u, LockSet locks, const Race& race) {
  { c.Strand() } -> std::same_as<StrandId>;            // the current strand
  { c.Precedes(u) } -> std::same_as<bool>;             // u ran earlier; does it precede?
  { c.Locks() } -> std::same_as<LockSet>;              // held now
  { c.Disjoint(locks, locks) } -> std::same_as<bool>;  // no lock orders the two
  {
    c.Subset(locks, locks)
  } -> std::same_as<bool>;  // whatever the first protects from, so does the second
  { c.ReportsLockOrder() } -> std::same_as<bool>;  // hand over pairs that only locks order, too
  c.OnRace(race);
  { C::kOneReader } -> std::convertible_to<bool>;  // the engine's
} && (C::kOneReader || requires(C c, StrandId u) {
                          {
                            c.ReaderClass(u)
                          } -> std::same_as<uint64_t>;  // equal: equivalent readers from now on
                        });

// An AccessContext that does nothing, to state the concept below.
struct ArchetypeContext {
  static constexpr bool kOneReader = true;
  StrandId Strand() { return kNoStrand; }
  bool Precedes(StrandId) { return true; }
  LockSet Locks() { return kNoLocks; }
  bool Disjoint(LockSet, LockSet) { return true; }
  bool Subset(LockSet, LockSet) { return true; }
  bool ReportsLockOrder() { return false; }
  void OnRace(const Race&) {}
};
static_assert(AccessContext<ArchetypeContext>);

template <class H>
concept AccessHistory = requires(H h, const H& asked, uintptr_t first, size_t size, AccessKind kind,
                                 ArchetypeContext c) {
  { H::kName } -> std::convertible_to<const char*>;
  // Checks the access against what is remembered, and remembers it. Size may be 0.
  h.Access(kind, first, size, c);
  // The last access to these bytes: checked like a plain write, then forgotten.
  h.Retire(first, size, c);
  // Forgets the bytes: the memory is new, or ordered by other means.
  h.Clear(first, size);
  // The same if all that is remembered of them precedes; else false, and nothing is done.
  { h.ClearIfOrdered(first, size, c) } -> std::same_as<bool>;
  // Calls visit(strand) for every strand that is remembered; others may be among them.
  h.ForEachStrand([](StrandId) {});
  // False only if nothing that the strand did to one of the bytes is remembered.
  { h.MayRemember(StrandId{}, first, size) } -> std::same_as<bool>;
  { asked.BytesUsed() } -> std::convertible_to<size_t>;
};

}  // namespace taskrace
