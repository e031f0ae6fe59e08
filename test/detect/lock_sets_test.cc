#include "detect/lock_sets.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace taskrace {
namespace {

// lock -> held shared
using Model = std::map<uintptr_t, bool>;

bool Orders(const Model& a, const Model& b) {
  for (const auto& [lock, shared] : a) {
    if (auto other = b.find(lock); other != b.end() && !(shared && other->second)) return true;
  }
  return false;
}

bool IsSubset(const Model& a, const Model& b) {
  for (const auto& [lock, shared] : a) {
    auto other = b.find(lock);
    if (other == b.end() || (other->second && !shared)) return false;
  }
  return true;
}

TEST(LockSets, EqualSetsHaveEqualNumbersInWhateverOrderTheyWereMade) {
  LockSets sets;
  const LockSet ab = sets.With(sets.With(kNoLocks, 10, false), 20, false);
  const LockSet ba = sets.With(sets.With(kNoLocks, 20, false), 10, false);
  EXPECT_EQ(ab, ba);
  EXPECT_EQ(sets.Without(sets.Without(ab, 10), 20), kNoLocks);
}

TEST(LockSets, ALockHeldTwiceIsHeldAsBefore) {
  LockSets sets;
  const LockSet exclusive = sets.With(kNoLocks, 10, false);
  EXPECT_EQ(sets.With(exclusive, 10, true), exclusive);
}

TEST(LockSets, TwoReadersOfAReadWriteLockAreNotOrdered) {
  LockSets sets;
  const LockSet shared = sets.With(kNoLocks, 10, true), exclusive = sets.With(kNoLocks, 10, false);
  EXPECT_TRUE(sets.Disjoint(shared, shared));
  EXPECT_FALSE(sets.Disjoint(shared, exclusive));
  EXPECT_TRUE(sets.Subset(shared, exclusive));
  EXPECT_FALSE(sets.Subset(exclusive, shared));
}

TEST(LockSets, AgreeWithSetsOfTheStandardLibrary) {
  std::mt19937 random(1);
  LockSets sets;
  std::vector<std::pair<LockSet, Model>> made = {{kNoLocks, {}}};
  for (int step = 0; step < 3000; ++step) {
    auto [locks, model] = made[random() % made.size()];
    const uintptr_t lock = 1 + random() % 6;
    if (random() % 3 == 0) {
      locks = sets.Without(locks, lock);
      model.erase(lock);
    } else {
      const bool shared = random() % 2 == 0;
      locks = sets.With(locks, lock, shared);
      model.emplace(lock, shared);
    }
    const auto& [other, other_model] = made[random() % made.size()];
    EXPECT_EQ(sets.Disjoint(locks, other), !Orders(model, other_model));
    EXPECT_EQ(sets.Subset(locks, other), IsSubset(model, other_model));
    EXPECT_EQ(locks == other, model == other_model);
    made.emplace_back(locks, model);
  }
}

}  // namespace
}  // namespace taskrace
