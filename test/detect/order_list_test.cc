#include "detect/ds/order_list.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace taskrace {
namespace {

using Room = OrderList::Room;

TEST(OrderList, ANewElementStandsDirectlyBehindItsLeftNeighbour) {
  OrderList list;
  const auto a = list.InsertAfter(OrderList::kBase);
  const auto b = list.InsertAfter(a);
  const auto c = list.InsertAfter(a);
  EXPECT_TRUE(list.Precedes(a, c));
  EXPECT_TRUE(list.Precedes(c, b));
  EXPECT_FALSE(list.Precedes(b, a));
  EXPECT_FALSE(list.Precedes(a, a));
}

// The shapes in which labels run out: always at one place, always at the end, with
// and without the hint.
TEST(OrderList, StaysInOrderHoweverCrowdedOnePlaceIs) {
  for (Room room : {Room::kBothSides, Room::kOnlyAfter}) {
    OrderList list;
    OrderList::Element end = OrderList::kBase;
    for (int i = 0; i < 20'000; ++i) {
      list.InsertAfter(OrderList::kBase, room);
      end = list.InsertAfter(i % 2 == 0 ? end : OrderList::kBase, room);
    }
    list.CheckInvariant();
  }
}

TEST(OrderList, StaysInOrderWhenLabelsWrapAroundTheBase) {
  OrderList list;
  OrderList::Element last = OrderList::kBase;
  for (int i = 0; i < 5'000; ++i) last = list.InsertAfter(last);
  for (int i = 0; i < 5'000; ++i) list.InsertAfter(OrderList::kBase);
  list.CheckInvariant();
  EXPECT_TRUE(list.Precedes(10'000, 1));
}

TEST(OrderList, DroppedElementsAreGoneAndTheirNumbersAreUsedAgain) {
  OrderList list;
  const auto a = list.InsertAfter(OrderList::kBase);
  const auto behind = list.InsertAfter(a);
  const auto kept = list.InsertAfter(a);
  const auto b = list.InsertAfter(kept);
  list.InsertAfter(b);
  list.InsertAfter(kept);
  list.Drop(kept);
  list.CheckInvariant();
  EXPECT_EQ(list.InsertAfter(kept), b);
  EXPECT_TRUE(list.Precedes(kept, b));
  EXPECT_TRUE(list.Precedes(b, behind));
}

TEST(OrderList, TakesTwelveBytesAnElement) {
  OrderList list;
  for (int i = 0; i < 999; ++i) list.InsertAfter(OrderList::kBase);
  EXPECT_EQ(list.BytesUsed(), 12'000u);
}

// Each step names an element to insert behind. The naive list is a vector.
RC_GTEST_PROP(OrderList, BehavesLikeAVector, (std::vector<std::pair<uint16_t, bool>> steps)) {
  OrderList list;
  std::vector<OrderList::Element> order{OrderList::kBase};
  for (size_t repeat = 0; repeat < 8; ++repeat) {
    for (auto [where, crowded] : steps) {
      const size_t position = crowded ? order.size() / 2 : where % order.size();
      const auto element = list.InsertAfter(order[position]);
      order.insert(order.begin() + static_cast<ptrdiff_t>(position) + 1, element);
    }
  }
  if (steps.empty()) return;
  list.CheckInvariant();
  for (size_t i = 1; i < order.size(); ++i) {
    RC_ASSERT(list.Precedes(order[i - 1], order[i]));
    RC_ASSERT(!list.Precedes(order[i], order[0]));
  }
}

}  // namespace
}  // namespace taskrace
