#include "detect/ds/list_pool.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <vector>

namespace taskrace {
namespace {

struct Element {
  uint64_t value;
  uint64_t copy;
  bool operator==(const Element&) const = default;
};
using Pool = ListPool<Element>;

Element Of(uint64_t value) { return {value, value}; }

TEST(ListPool, GrowsAListWithoutTouchingItsNeighbour) {
  Pool pool;
  Pool::List a = pool.Make();
  Pool::List b = pool.Make();
  for (uint64_t i = 0; i < 1000; ++i) {
    a = pool.Append(a, Of(i));
    b = pool.Append(b, Of(~i));
  }
  for (uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(pool[a][i], Of(i));
    EXPECT_EQ(pool[b][i], Of(~i));
  }
}

TEST(ListPool, UsesTheMemoryOfFreedListsAgain) {
  Pool pool;
  pool.Free(pool.Make());
  const size_t bytes = pool.BytesUsed();
  for (int i = 0; i < 1000; ++i) pool.Free(pool.Make());
  EXPECT_EQ(pool.BytesUsed(), bytes);
}

// What to do to list number `which`: append the value, or truncate, or free and make anew.
RC_GTEST_PROP(ListPool, BehavesLikeVectors, (std::vector<std::pair<uint8_t, uint8_t>> steps)) {
  Pool pool;
  std::map<int, Pool::List> lists;
  std::map<int, std::vector<Element>> model;
  for (auto [which, value] : steps) {
    const int key = which % 8;
    if (!lists.contains(key)) lists[key] = pool.Make();
    if (value < 10) {
      pool.Free(lists[key]);
      lists.erase(key);
      model.erase(key);
    } else if (value < 20) {
      model[key].resize(model[key].size() / 2);
      pool.Truncate(lists[key], static_cast<uint32_t>(model[key].size()));
    } else {
      lists[key] = pool.Append(lists[key], Of(value));
      model[key].push_back(Of(value));
    }
  }
  for (auto [key, list] : lists) {
    const std::vector<Element> content(pool[list].begin(), pool[list].end());
    RC_ASSERT(content == model[key]);
  }
}

}  // namespace
}  // namespace taskrace
