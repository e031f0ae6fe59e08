// Every history against every access ever made, byte by byte, on random runs of random strands.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "detect/history/intervals.h"
#include "detect/history/shadow.h"
#include "test/detect/history_context.h"

namespace taskrace {
namespace {

// All accesses that were ever made.
class AllAccesses {
 public:
  static constexpr uintptr_t kBytes = 48;
  struct Past {
    size_t strand;
    AccessKind kind;
    uint32_t locks;
  };

  explicit AllAccesses(std::vector<std::vector<bool>> before) : before_(std::move(before)) {}

  bool Before(size_t u, size_t v) const { return before_[u][v]; }
  bool Races(size_t strand, AccessKind kind, uint32_t locks, uintptr_t byte) const {
    return std::ranges::any_of(past_[byte], [&](const Past& p) {
      return p.strand != strand && !Before(p.strand, strand) && Conflict(p.kind, kind) &&
             (p.locks & locks) == 0;
    });
  }
  void Add(size_t strand, AccessKind kind, uint32_t locks, uintptr_t byte) {
    past_[byte].push_back({strand, kind, locks});
  }
  void Forget(uintptr_t byte) { past_[byte].clear(); }

 private:
  std::vector<std::vector<bool>> before_;
  std::vector<Past> past_[kBytes];
};

template <bool kOne>
struct DagContext : Context<kOne> {
  const AllAccesses& all;
  explicit DagContext(const AllAccesses& all) : all(all) {}
  bool Precedes(StrandId u) { return all.Before(Index(u) - 1, Index(this->strand) - 1); }
};

// Series-parallel: strands [first, end) in execution order, each half before or beside the other.
void ComposeSeriesParallel(size_t first, size_t end, std::mt19937& random,
                           std::vector<std::vector<bool>>& before) {
  if (end - first < 2) return;
  const size_t middle = first + 1 + random() % (end - first - 1);
  if (random() % 2 == 0) {
    for (size_t u = first; u < middle; ++u) {
      for (size_t v = middle; v < end; ++v) before[u][v] = true;
    }
  }
  ComposeSeriesParallel(first, middle, random, before);
  ComposeSeriesParallel(middle, end, random, before);
}
// Any dag.
void ComposeAny(std::mt19937& random, std::vector<std::vector<bool>>& before) {
  const size_t strands = before.size();
  const unsigned rarity = 1 + random() % 6;
  for (size_t v = 0; v < strands; ++v) {
    for (size_t u = 0; u < v; ++u) {
      if (random() % rarity != 0) continue;
      before[u][v] = true;
      for (size_t w = 0; w < u; ++w) {
        if (before[w][u]) before[w][v] = true;
      }
    }
  }
}

// What a strand did to each byte: a bit if it touched it, and one if it wrote it.
struct Line {
  uint64_t touched = 0, written = 0;

  static Line Of(AccessKind kind, uintptr_t first, uintptr_t end) {
    const uint64_t bits = (uint64_t{1} << end) - (uint64_t{1} << first);
    return {bits, IsWrite(kind) ? bits : 0};
  }
  // Mostly words or halves of them.
  static Line Random(std::mt19937& random) {
    Line line;
    for (uintptr_t first = 0; first < AllAccesses::kBytes;) {
      const uintptr_t size = uintptr_t{1} << (random() % 8 == 0 ? 0 : 2 + random() % 2);
      const uintptr_t end = std::min(first + size, AllAccesses::kBytes);
      const Line part = Of(random() % 2 == 0 ? kRead : kWrite, first, end);
      if (random() % 3 != 0) line = {line.touched | part.touched, line.written | part.written};
      first = end;
    }
    return line;
  }
  bool Touches(uintptr_t byte) const { return (touched >> byte & 1) != 0; }
  // If it is not known to be another.
  AccessKind KindOf(uintptr_t byte, AccessKind kind) const {
    if (IsAtomic(kind)) return kind;
    return (written >> byte & 1) != 0 ? kWrite : kRead;
  }
};
// As the coalescer does: by their bits, if the history takes them so.
template <class History, class C>
void TellLine(History& history, const Line& line, C& c) {
  uint64_t left = line.touched;
  if constexpr (requires { history.AccessLine(left, line.written, kBase, c); }) {
    left = history.AccessLine(left, line.written, kBase, c);
    RC_ASSERT((left & ~line.touched) == 0);
  }
  for (uintptr_t byte = 0; byte < AllAccesses::kBytes; ++byte) {
    if ((left >> byte & 1) != 0) history.Access(line.KindOf(byte, kRead), kBase + byte, 1, c);
  }
}

template <class History, bool kOne>
void CompareWithAllAccesses(uint32_t seed, size_t strands, unsigned kinds, unsigned lock_sets) {
  std::mt19937 random(seed);
  std::vector<std::vector<bool>> before(strands, std::vector<bool>(strands));
  if (kOne) {
    ComposeSeriesParallel(0, strands, random, before);
  } else {
    ComposeAny(random, before);
  }
  AllAccesses all(before);
  History history;
  DagContext<kOne> c(all);
  std::set<uintptr_t> racy;
  for (size_t strand = 0; strand < strands; ++strand) {
    c.strand = StrandId{static_cast<uint32_t>(strand) + 1};
    for (unsigned runs = random() % 6; runs > 0; --runs) {
      const uintptr_t first = random() % AllAccesses::kBytes;
      const uintptr_t size = 1 + random() % (random() % 2 ? 4 : AllAccesses::kBytes);
      const uintptr_t end = std::min(first + size, AllAccesses::kBytes);
      const unsigned what = random() % 12;
      AccessKind kind = what == 1 ? kWrite : static_cast<AccessKind>(random() % kinds);
      c.locks = LockSet{static_cast<uint32_t>(random() % lock_sets)};
      c.races.clear();
      Line line = Line::Of(kind, first, end);
      if (what == 2) {
        kind = kRead;
        line = Line::Random(random);
        TellLine(history, line, c);
      } else if (what == 0) {
        history.Clear(kBase + first, end - first);
      } else if (what == 1) {
        history.Retire(kBase + first, end - first, c);
      } else {
        history.Access(kind, kBase + first, end - first, c);
      }
      history.CheckInvariant();
      std::set<uintptr_t> reported;
      for (const Race& race : c.races) {
        for (uintptr_t i = 0; i < race.size; ++i) {
          RC_ASSERT(line.Touches(race.first + i - kBase));
          reported.insert(race.first + i - kBase);
        }
      }
      const uint32_t locks = static_cast<uint32_t>(c.locks);
      for (uintptr_t byte = 0; byte < AllAccesses::kBytes; ++byte) {
        if (!line.Touches(byte)) continue;
        kind = line.KindOf(byte, kind);
        const bool races = what != 0 && all.Races(strand, kind, locks, byte);
        if (!racy.contains(byte)) RC_ASSERT(reported.contains(byte) == races);
        if (races) racy.insert(byte);
        if (what < 2) {
          all.Forget(byte);
          racy.erase(byte);
        } else {
          all.Add(strand, kind, locks, byte);
        }
      }
    }
    // Whatever came now, would be answered as all accesses say.
    for (uintptr_t byte = 0; byte < AllAccesses::kBytes; ++byte) {
      if (racy.contains(byte)) continue;
      for (AccessKind kind : {kRead, kWrite, kAtomicRead, kAtomicWrite}) {
        for (uint32_t locks = 0; locks < lock_sets; ++locks) {
          bool races = false;
          history.ForEachEntry(kBase + byte, [&](const auto& e) {
            races =
                races || (Conflict(e.kind, kind) && e.strand != c.strand &&
                          (static_cast<uint32_t>(e.locks) & locks) == 0 && !c.Precedes(e.strand));
          });
          RC_ASSERT(races == all.Races(strand, kind, locks, byte));
        }
      }
    }
  }
}

template <class History>
class EveryAccess : public testing::Test {};
using All = testing::Types<ShadowHistory, IntervalHistory>;
TYPED_TEST_SUITE(EveryAccess, All);

TYPED_TEST(EveryAccess, PlainRunsAgreeWithAllAccessesInSeriesParallelDags) {
  EXPECT_TRUE(rc::check([](uint32_t seed) {
    CompareWithAllAccesses<TypeParam, true>(seed, *rc::gen::inRange<size_t>(1, 60), 2, 1);
  }));
}
TYPED_TEST(EveryAccess, AtomicsAndLocksAgreeWithAllAccessesInSeriesParallelDags) {
  EXPECT_TRUE(rc::check([](uint32_t seed) {
    CompareWithAllAccesses<TypeParam, true>(seed, *rc::gen::inRange<size_t>(1, 60), 4, 4);
  }));
}
TYPED_TEST(EveryAccess, PlainRunsAgreeWithAllAccessesInAnyDag) {
  EXPECT_TRUE(rc::check([](uint32_t seed) {
    CompareWithAllAccesses<TypeParam, false>(seed, *rc::gen::inRange<size_t>(1, 60), 2, 1);
  }));
}
TYPED_TEST(EveryAccess, AtomicsAndLocksAgreeWithAllAccessesInAnyDag) {
  EXPECT_TRUE(rc::check([](uint32_t seed) {
    CompareWithAllAccesses<TypeParam, false>(seed, *rc::gen::inRange<size_t>(1, 60), 4, 4);
  }));
}

}  // namespace
}  // namespace taskrace
