// Lock sets: which locks a strand holds, as one small number.
//
// A lock is an address; it is held exclusively or shared. Two accesses are ordered by locks if some
// lock is held by both and not shared by both. A set is a list, largest address first, and equal
// lists are one list: a node is a lock and the set of the smaller ones.
// Thread rule: one thread. Cost: O(locks held) per acquire, release and comparison; 24 bytes a set.
#pragma once

#include <cstdint>
#include <span>

#include "detect/ds/intern_table.h"
#include "report/race.h"

namespace taskrace {

class LockSets {
 public:
  // `locks` and this one. A lock that is held already (a recursive mutex) stays as it is.
  LockSet With(LockSet locks, uintptr_t lock, bool shared) {
    if (locks == kNoLocks || At(locks).lock < lock) return Intern({lock, locks, shared});
    const Node top = At(locks);
    if (top.lock == lock) return locks;
    return Intern({top.lock, With(top.rest, lock, shared), top.shared});
  }

  // `locks` without this one.
  LockSet Without(LockSet locks, uintptr_t lock) {
    if (locks == kNoLocks || At(locks).lock < lock) return locks;
    const Node top = At(locks);
    if (top.lock == lock) return top.rest;
    return Intern({top.lock, Without(top.rest, lock), top.shared});
  }

  // True if no lock orders an access under `a` and one under `b`.
  bool Disjoint(LockSet a, LockSet b) const {
    for (; a != kNoLocks && b != kNoLocks; a = At(a).rest) {
      const Node* theirs = Find(b, At(a).lock);
      if (theirs != nullptr && !(At(a).shared && theirs->shared)) return false;
    }
    return true;
  }

  // True if whatever is ordered with an access under `a` is ordered with one under `b` too.
  bool Subset(LockSet a, LockSet b) const {
    if (a == b) return true;
    for (; a != kNoLocks; a = At(a).rest) {
      const Node* theirs = Find(b, At(a).lock);
      if (theirs == nullptr || (theirs->shared && !At(a).shared)) return false;
    }
    return true;
  }

  // Is this lock in the set, and shared?
  bool IsShared(LockSet locks, uintptr_t lock) const {
    const Node* const found = Find(locks, lock);
    return found != nullptr && found->shared;
  }

  // Calls visit(lock, shared) for every lock of the set.
  template <class Visit>
  void ForEach(LockSet locks, Visit visit) const {
    for (; locks != kNoLocks; locks = At(locks).rest) visit(At(locks).lock, At(locks).shared);
  }

  // Writes the addresses of the locks, as far as there is room; returns how many.
  size_t Addresses(LockSet locks, std::span<uintptr_t> addresses) const {
    size_t count = 0;
    ForEach(locks, [&](uintptr_t lock, bool) {
      if (count < addresses.size()) addresses[count++] = lock;
    });
    return count;
  }

 private:
  struct Node {
    uintptr_t lock;
    LockSet rest;  // locks at smaller addresses
    bool shared;
    uint64_t Hash() const { return Mix(lock ^ Mix(static_cast<uint32_t>(rest) * 2 + shared)); }
    bool operator==(const Node&) const = default;
  };

  const Node& At(LockSet locks) const { return nodes_[static_cast<uint32_t>(locks)]; }
  LockSet Intern(const Node& node) { return LockSet{nodes_.Intern(node)}; }

  const Node* Find(LockSet locks, uintptr_t lock) const {
    for (; locks != kNoLocks; locks = At(locks).rest) {
      if (At(locks).lock == lock) return &At(locks);
    }
    return nullptr;
  }

  InternTable<Node> nodes_;
};

}  // namespace taskrace
