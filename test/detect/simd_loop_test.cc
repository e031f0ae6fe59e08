#include "detect/simd_loop.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace taskrace {
namespace {

struct RacyBytes final : SimdLoop::Sink {
  std::set<uintptr_t> bytes;
  void OnLanes(uintptr_t first, size_t size, const LaneAccess& earlier,
               const LaneAccess& later) override {
    EXPECT_LT(earlier.lane, later.lane);
    for (size_t i = 0; i < size; ++i) bytes.insert(first + i);
  }
};

struct Deed {
  uint64_t lane;
  int place;  // 0: before the lane's ordered block, 1: in it, 2: after it
  AccessKind kind;
  uintptr_t first;
  size_t size;
};

// By brute force.
std::set<uintptr_t> RacyBytesOf(const std::vector<Deed>& deeds, uint64_t window) {
  std::set<uintptr_t> bytes;
  for (const Deed& a : deeds) {
    for (const Deed& b : deeds) {
      if (a.lane >= b.lane || b.lane - a.lane >= window || !Conflict(a.kind, b.kind)) continue;
      if (a.place <= 1 && b.place >= 1) continue;
      for (uintptr_t byte = a.first; byte < a.first + a.size; ++byte) {
        if (byte >= b.first && byte < b.first + b.size) bytes.insert(byte);
      }
    }
  }
  return bytes;
}

AccessKind KindOf(unsigned number) { return static_cast<AccessKind>(number % 4); }

TEST(SimdLoop, FindsTheRacyBytesOfRandomLoops) {
  std::mt19937 random(20);
  RacyBytes found;
  SimdLoop loop(found);
  for (int program = 0; program < 20000; ++program) {
    const uint64_t window = program % 3 == 0 ? UINT64_MAX : 2 + random() % 5;
    const uint64_t lanes = 1 + random() % 12;
    std::vector<Deed> deeds;
    std::vector<MovedAccess> moved;
    const bool has_blocks = program % 2 == 0;
    // What is moved is in no loop with ordered blocks.
    for (unsigned i = has_blocks ? 0 : random() % 4; i > 0; --i) {
      const size_t rows = 1 + random() % 2;
      moved.push_back({random() % 2 == 0 ? AccessKind::kRead : AccessKind::kWrite, kNowhere,
                       1000 + random() % 24, 1 + random() % 8, rows,
                       rows == 1 ? 0 : static_cast<ptrdiff_t>(random() % 9) - 4,
                       static_cast<ptrdiff_t>(random() % 17) - 8, 0, lanes});
    }
    loop.Begin(window, 0, 0);
    for (const MovedAccess& access : moved) loop.Move(access);
    for (uint64_t lane = 0; lane < lanes; ++lane) {
      for (const MovedAccess& access : moved) {
        access.In(lane).ForEachRow(
            [&](uintptr_t row) { deeds.push_back({lane, 0, access.kind, row, access.size}); });
      }
      loop.Lane(lane);
      const bool has_block = has_blocks && random() % 4 != 0;
      for (int place = 0; place < (has_block ? 3 : 1); ++place) {
        if (place == 1) loop.BeginOrdered();
        if (place == 2) loop.EndOrdered();
        for (unsigned i = random() % 3; i > 0; --i) {
          const Deed deed{lane, place, KindOf(random()), 1000 + random() % 40, 1 + random() % 16};
          deeds.push_back(deed);
          loop.Access(deed.kind, deed.first, deed.size, kNowhere);
        }
      }
    }
    loop.End();
    ASSERT_EQ(found.bytes, RacyBytesOf(deeds, window)) << "program " << program;
    found.bytes.clear();
  }
}

TEST(SimdLoop, DoesNotCompareWhatEachLaneHasForItself) {
  RacyBytes found;
  SimdLoop loop(found);
  loop.Begin(UINT64_MAX, 500, 600);
  loop.AddOwn(1000, 16);
  loop.Move({AccessKind::kWrite, kNowhere, 1008, 8, 1, 0, 0, 0, 3});
  for (uint64_t lane = 0; lane < 3; ++lane) {
    loop.Lane(lane);
    loop.Access(AccessKind::kWrite, 1000, 8, kNowhere);  // a private variable
    loop.Access(AccessKind::kWrite, 550, 8, kNowhere);   // of a function that the lane calls
  }
  loop.End();
  EXPECT_TRUE(found.bytes.empty());
}

TEST(SimdLoop, ForgetsMemoryThatIsNew) {
  RacyBytes found;
  SimdLoop loop(found);
  for (const size_t size : {size_t{8}, size_t{1} << 20}) {
    loop.Begin(UINT64_MAX, 0, 0);
    for (uint64_t lane = 0; lane < 3; ++lane) {
      loop.Lane(lane);
      loop.Forget(4096, size);
      loop.Access(AccessKind::kWrite, 4096, 8, kNowhere);
    }
    loop.End();
  }
  EXPECT_TRUE(found.bytes.empty());
}

TEST(SimdLoop, KnowsNothingOfTheLoopBefore) {
  RacyBytes found;
  SimdLoop loop(found);
  for (uint64_t lane = 0; lane < 2; ++lane) {
    loop.Begin(UINT64_MAX, 0, 0);
    loop.Lane(lane);
    loop.Access(AccessKind::kWrite, 4096, 8, kNowhere);
    loop.End();
  }
  EXPECT_TRUE(found.bytes.empty());
}

}  // namespace
}  // namespace taskrace
