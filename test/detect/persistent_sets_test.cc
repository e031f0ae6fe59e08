#include "detect/ds/persistent_sets.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace taskrace {
namespace {

// Some sets of each kind side by side, and what must be true of all of them.
class Sets {
 public:
  explicit Sets(size_t count) : sets_(count, PersistentSets::kEmpty), model_(count) {}
  ~Sets() {
    for (PersistentSets::Set set : sets_) pool_.Release(set);
  }

  void Add(size_t which, uint32_t number) {
    Replace(which, pool_.Add(sets_[which], number));
    model_[which].insert(number);
  }
  void Unite(size_t which, size_t other) {
    Replace(which, pool_.Union(sets_[which], sets_[other]));
    model_[which].insert(model_[other].begin(), model_[other].end());
  }
  void Copy(size_t which, size_t other) {
    Replace(which, pool_.Share(sets_[other]));
    model_[which] = model_[other];
  }
  void Clear(size_t which) {
    Replace(which, PersistentSets::kEmpty);
    model_[which].clear();
  }

  bool AgreeOn(uint32_t low, uint32_t high) const {
    for (size_t i = 0; i < sets_.size(); ++i) {
      const auto found = model_[i].lower_bound(low);
      const bool meets = low <= high && found != model_[i].end() && *found <= high;
      if (pool_.Meets(sets_[i], low, high) != meets) return false;
      if (pool_.Contains(sets_[i], low) != model_[i].contains(low)) return false;
    }
    return true;
  }
  void CheckInvariant() const {
    for (PersistentSets::Set set : sets_) pool_.CheckInvariant(set);
  }
  const PersistentSets& Pool() const { return pool_; }

 private:
  void Replace(size_t which, PersistentSets::Set by) {
    pool_.Release(sets_[which]);
    sets_[which] = by;
  }

  PersistentSets pool_;
  std::vector<PersistentSets::Set> sets_;
  std::vector<std::set<uint32_t>> model_;
};

// Numbers that fall together at every level of the trie: near each other, at the edges of
// subtrees, and far away.
uint32_t SomeNumber(std::mt19937_64& rng) {
  constexpr uint32_t kEdges[] = {0,         63,           64,           1023,        1024,
                                 16'383,    16'384,       262'143,      262'144,     4'194'303,
                                 4'194'304, 0x7FFF'FFFDu, 0xFFFF'FFFEu, 0xFFFF'FFFFu};
  switch (rng() % 4) {
    case 0:
      return kEdges[rng() % std::size(kEdges)];
    case 1:
      return static_cast<uint32_t>(rng() % 5000);
    default:
      return static_cast<uint32_t>(rng() % 200);
  }
}

TEST(PersistentSets, BehaveLikeSetsWrittenOut) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    std::mt19937_64 rng(seed);
    Sets sets(6);
    for (int step = 0; step < 600; ++step) {
      const size_t which = rng() % 6;
      const size_t other = rng() % 6;
      switch (rng() % 16) {
        case 0:
          sets.Clear(which);
          break;
        case 1:
        case 2:
          sets.Copy(which, other);
          break;
        case 3:
        case 4:
        case 5:
          sets.Unite(which, other);
          break;
        case 6:  // a run, so that subtrees become full
          for (uint32_t i = 0, first = SomeNumber(rng) % 5000; i < 300; ++i) {
            sets.Add(which, first + i);
          }
          break;
        default:
          sets.Add(which, SomeNumber(rng));
      }
      const uint32_t low = SomeNumber(rng);
      const uint32_t high =
          rng() % 2 == 0 ? low + static_cast<uint32_t>(rng() % 100) : SomeNumber(rng);
      ASSERT_TRUE(sets.AgreeOn(low, high))
          << "seed " << seed << ", step " << step << ": [" << low << ", " << high << "]";
    }
    sets.CheckInvariant();
  }
}

RC_GTEST_PROP(PersistentSets, HaveExactlyWhatWasAddedAndUnited,
              (std::vector<std::tuple<uint8_t, uint8_t, uint16_t>> steps)) {
  Sets sets(4);
  for (auto [which, other, number] : steps) {
    if (number % 4 == 0) {
      sets.Unite(which % 4, other % 4);
    } else {
      sets.Add(which % 4, number % 700);
    }
  }
  sets.CheckInvariant();
  for (uint32_t number = 0; number < 700; ++number) {
    RC_ASSERT(sets.AgreeOn(number, number + number % 90));
  }
}

TEST(PersistentSets, AUnionWithASubsetIsTheSetItself) {
  PersistentSets pool;
  PersistentSets::Set all = PersistentSets::kEmpty;
  PersistentSets::Set even = PersistentSets::kEmpty;
  for (uint32_t i = 0; i < 10'000; ++i) {
    all = pool.Add(all, i * 3);
    if (i % 2 == 0) even = pool.Add(even, i * 3);
  }
  EXPECT_EQ(pool.Union(all, even), all);
  EXPECT_EQ(pool.Union(even, all), all);
  EXPECT_EQ(pool.Add(all, 9), all);
}

TEST(PersistentSets, ARunOfAMillionNumbersTakesANodeALevel) {
  PersistentSets pool;
  PersistentSets::Set run = PersistentSets::kEmpty;
  for (uint32_t i = 0; i < 1'000'000; ++i) {
    const PersistentSets::Set longer = pool.Add(run, i);
    pool.Release(run);
    run = longer;
  }
  EXPECT_LE(pool.BytesUsed(), 5u * 16);
  EXPECT_TRUE(pool.Meets(run, 999'999, 2'000'000));
  EXPECT_FALSE(pool.Meets(run, 1'000'000, ~0u));
}

TEST(PersistentSets, UseTheMemoryOfSetsThatAreGoneAgain) {
  PersistentSets pool;
  size_t first_round = 0;
  for (int round = 0; round < 50; ++round) {
    PersistentSets::Set set = PersistentSets::kEmpty;
    for (uint32_t i = 0; i < 1000; ++i) {
      const PersistentSets::Set larger = pool.Add(set, i * 7);
      pool.Release(set);
      set = larger;
    }
    pool.Release(set);
    if (round == 0) first_round = pool.BytesUsed();
  }
  EXPECT_EQ(first_round, 0u);
  EXPECT_EQ(pool.BytesUsed(), 0u);
}

// The table keeps some of them; how many does not depend on how many there were.
TEST(PersistentSets, UseTheMemoryOfUnionsThatAreGoneAgain) {
  PersistentSets pool;
  std::mt19937_64 rng(1);
  size_t after_ten_rounds = 0;
  for (int round = 0; round < 100; ++round) {
    PersistentSets::Set sets[8] = {};
    for (int step = 0; step < 2000; ++step) {
      PersistentSets::Set& set = sets[rng() % 8];
      const PersistentSets::Set larger = rng() % 4 == 0
                                             ? pool.Union(set, sets[rng() % 8])
                                             : pool.Add(set, static_cast<uint32_t>(rng() % 20'000));
      pool.Release(set);
      set = larger;
    }
    for (PersistentSets::Set set : sets) pool.Release(set);
    if (round == 9) after_ten_rounds = pool.BytesUsed();
  }
  EXPECT_LE(pool.BytesUsed(), 2 * after_ten_rounds);
}

// Two sets that grow side by side and have nothing in common.
TEST(PersistentSets, CompareWhatHasSettledOnce) {
  PersistentSets pool;
  PersistentSets::Set even = PersistentSets::kEmpty;
  PersistentSets::Set all = PersistentSets::kEmpty;
  constexpr uint32_t kNumbers = 100'000;
  for (uint32_t i = 0; i < kNumbers; i += 3) {
    const PersistentSets::Set more = pool.Add(all, i);
    pool.Release(all);
    all = more;
    if (i % 2 != 0) continue;
    const PersistentSets::Set more_even = pool.Add(even, i);
    pool.Release(even);
    even = more_even;
    pool.Release(pool.Union(even, all));
  }
  EXPECT_LE(pool.Steps() / (kNumbers / 6), 40u);
}

}  // namespace
}  // namespace taskrace
