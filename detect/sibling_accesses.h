// SiblingAccesses: what the iterations of a parallel loop did last to a word, as far as it is known without a look at
// the history. Most accesses of a loop's body that are not affine are to the same few words in every iteration: the
// pointers of a vector, a counter.
//
//   for each i:  if (flag[x[i]]) out[next.fetch_add(1)] = i;    the pointers of flag, x and out; next
//
// Idea:       of iterations that are no tasks, an access stands for those of its siblings that conflict with no more
//             (shadow.h, "skip a"). So an access is known if the last one to its bytes was of the same kind, or an atomic write
//             before an atomic read.
// Invariant:  a slot tells of the last accesses to its word: whatever else touches the word takes its place.
// Thread rule: one thread. Cost: a comparison an access, 4 KiB.
// Tested by:  test/detect/sibling_accesses_test.cc
#pragma once

#include <cstddef>
#include <cstdint>

#include "report/race.h"

namespace taskrace {

class SiblingAccesses {
 public:
  // Is it known? Requires: no locks are held that were not held at all Notes.
  [[gnu::always_inline]] bool Has(AccessKind kind, uintptr_t first, size_t size) const {
    const uintptr_t in_word = first % kWord;
    if (in_word + size > kWord) return false;
    const uint64_t slot = slots_[SlotOf(first / kWord)];
    const uint64_t bytes = Bytes(in_word, in_word + size);
    if ((bytes & ~slot) != 0) return false;
    if (slot >> 8 == Key(first / kWord, kind)) return true;
    return kind == AccessKind::kAtomicRead &&
           slot >> 8 == Key(first / kWord, AccessKind::kAtomicWrite);
  }

  // An access that the history gets. stands: others may be known by it.
  [[gnu::always_inline]] void Note(AccessKind kind, uintptr_t first, size_t size, bool stands) {
    is_empty_ = false;
    const uintptr_t in_word = first % kWord;
    if (in_word + size > kWord) return Forget(first, size);
    uint64_t& slot = slots_[SlotOf(first / kWord)];
    const uint64_t key = Key(first / kWord, kind);
    const uint64_t known = slot >> 8 == key ? slot : key << 8;
    slot = stands ? known | Bytes(in_word, in_word + size) : 0;
  }

  // Nothing is known of the bytes any more.
  [[gnu::noinline]] void Forget(uintptr_t first, size_t size) {
    if (is_empty_) return;
    if (size > kMostForgotten) return Clear();
    for (uintptr_t word = first / kWord; word * kWord < first + size; ++word) {
      uint64_t& slot = slots_[SlotOf(word)];
      if (slot >> 16 == word) slot = 0;
    }
  }
  void Clear() {
    if (is_empty_) return;
    for (uint64_t& slot : slots_) slot = 0;
    is_empty_ = true;
  }

 private:
  static constexpr uintptr_t kWord = 8;
  static constexpr size_t kSlots = 512;
  static constexpr size_t kMostForgotten = 1024;

  static size_t SlotOf(uintptr_t word) { return word % kSlots; }
  // No word has number 0.
  static uint64_t Key(uintptr_t word, AccessKind kind) {
    return word << 8 | static_cast<uint64_t>(kind);
  }
  static uint64_t Bytes(uintptr_t from, uintptr_t to) { return (1u << to) - (1u << from); }

  uint64_t slots_[kSlots] = {};  // the word, the kind of access, a bit for each byte; 0: unknown
  bool is_empty_ = true;
};

}  // namespace taskrace
