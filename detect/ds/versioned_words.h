// VersionedWords: three 32-bit words and a small tag that change together, in 16 bytes.
//
// Paper:      Lamport, CACM 1977; the scheme of Raman et al. (SPD3), PLDI 2012, section 5.4, with
//             one version instead of two.
// Idea:       the first word lies beside the version, in one 64-bit half. A writer changes that half
//             from the version it has read to «busy», writes the other half, then the next version.
//             A reader reads the half with the version before and after. Whoever does not change
//             anything writes nothing. A change of the first word and the tag alone is one CAS.
// Thread rule: any thread. Not wait-free: a writer that is interrupted while busy holds others up.
// Cost:       a read is three loads, a change one CAS and at most two stores. The version has 28
//             bits: a reader would have to sleep through 2^28 changes to be deceived.
// Tested by:  test/detect/parallel_words_test.cc
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

namespace taskrace {

class alignas(16) VersionedWords {
 public:
  struct Words {
    uint32_t first = 0;
    uint32_t second = 0;
    uint32_t third = 0;
    uint32_t tag = 0;  // less than kTags
    bool operator==(const Words&) const = default;
  };
  static constexpr uint32_t kTags = 8;

  // What was read, and as of which version.
  struct Snapshot {
    Words words;
    uint64_t version_half;
  };

  constexpr VersionedWords() = default;
  // Requires: nobody else knows this object yet.
  explicit VersionedWords(const Words& words)
      : version_half_(Half(words.first, words.tag)), other_half_(Half(words.second, words.third)) {}

  [[gnu::always_inline]] Snapshot Load() const {
    for (unsigned tries = 0;; ++tries) {
      const uint64_t before = version_half_.load(std::memory_order_acquire);
      const uint64_t other = other_half_.load(std::memory_order_acquire);
      const uint64_t after = version_half_.load(std::memory_order_relaxed);
      if (before == after && (before >> 32 & kBusy) == 0) [[likely]]
        return {
            {static_cast<uint32_t>(before), static_cast<uint32_t>(other),
             static_cast<uint32_t>(other >> 32), static_cast<uint32_t>(before >> 32) & (kTags - 1)},
            before};
      Wait(tries);
    }
  }

  // Changes the words if nobody has changed them since the snapshot; says whether it did.
  bool Replace(const Snapshot& seen, const Words& words) {
    const uint32_t stamp = static_cast<uint32_t>(seen.version_half >> 32);
    const uint64_t next = Half(words.first, ((stamp & ~(kTags - 1)) + kVersion) | words.tag);
    const uint64_t next_other = Half(words.second, words.third);
    const bool at_once = next_other == Half(seen.words.second, seen.words.third);
    const uint64_t first = at_once ? next : seen.version_half | uint64_t{kBusy} << 32;
    uint64_t expected = seen.version_half;
    if (!version_half_.compare_exchange_strong(expected, first, std::memory_order_acq_rel,
                                               std::memory_order_relaxed)) {
      return false;
    }
    if (at_once) return true;
    other_half_.store(next_other, std::memory_order_release);
    version_half_.store(next, std::memory_order_release);
    return true;
  }

  // A writer is busy for three instructions, unless its processor was taken away.
  [[gnu::noinline, gnu::cold]] static void Wait(unsigned tries) {
    if (tries >= 64) sched_yield();
  }

 private:
  // The upper half of the half with the version: version, busy, tag.
  static constexpr uint32_t kBusy = kTags;
  static constexpr uint32_t kVersion = 2 * kTags;

  static constexpr uint64_t Half(uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; }
  std::atomic<uint64_t> version_half_{0};
  std::atomic<uint64_t> other_half_{0};
};
static_assert(sizeof(VersionedWords) == 16);

}  // namespace taskrace
