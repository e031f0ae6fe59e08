#include "detect/moved_accesses.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

namespace taskrace {
namespace {

constexpr uintptr_t kBase = 1000;

MovedAccess Moved(AccessKind kind, uintptr_t first, size_t size, ptrdiff_t step, uint64_t count,
                  size_t rows = 1, ptrdiff_t distance = 0) {
  return {kind, kNowhere, first, size, rows, distance, step, 0, count};
}

std::set<uintptr_t> BytesIn(const MovedAccess& access, uint64_t i) {
  std::set<uintptr_t> bytes;
  access.In(i).ForEachRow([&](uintptr_t row) {
    for (size_t byte = 0; byte < access.size; ++byte) bytes.insert(row + byte);
  });
  return bytes;
}

// By brute force.
bool Meet(const MovedAccess& a, const MovedAccess& b) {
  std::vector<std::set<uintptr_t>> of_a, of_b;
  for (uint64_t i = 0; i < a.count; ++i) {
    of_a.push_back(BytesIn(a, i));
    of_b.push_back(BytesIn(b, i));
  }
  for (uint64_t i = 0; i < a.count; ++i) {
    for (uint64_t j = 0; j < b.count; ++j) {
      if (i == j) continue;
      for (uintptr_t byte : of_a[i]) {
        if (of_b[j].contains(byte)) return true;
      }
    }
  }
  return false;
}

// Calls visit for every small access of `count` iterations.
template <class Visit>
void ForEachSmall(uint64_t count, size_t most_rows, Visit visit) {
  for (ptrdiff_t step = -3; step <= 3; ++step) {
    for (const size_t size : {1, 2, 3}) {
      for (size_t rows = 1; rows <= most_rows; ++rows) {
        for (ptrdiff_t distance = rows == 1 ? 0 : -5; distance <= (rows == 1 ? 0 : 5); ++distance) {
          visit(Moved(AccessKind::kWrite, kBase, size, step, count, rows, distance));
        }
      }
    }
  }
}

TEST(MovedAccesses, OfRowsThatAreOneRangeMeetExactlyIfTheyTouchTheSameByteWithEqualSteps) {
  for (uint64_t count = 1; count <= 4; ++count) {
    ForEachSmall(count, 1, [&](const MovedAccess& a) {
      ForEachSmall(count, 1, [&](MovedAccess b) {
        if (a.step != b.step) return;
        for (ptrdiff_t offset = -12; offset <= 12; ++offset) {
          b.first = kBase + static_cast<uintptr_t>(offset);
          ASSERT_EQ(IterationsMayMeet(a, b), Meet(a, b))
              << "step " << a.step << ", sizes " << a.size << " " << b.size << ", offset " << offset
              << ", count " << count;
        }
      });
    });
  }
}

TEST(MovedAccesses, ThatMeetAreNeverSaidNotTo) {
  std::mt19937_64 rng(1);
  const auto any = [&](int low, int high) {
    return low + static_cast<int>(rng() % static_cast<unsigned>(high - low + 1));
  };
  size_t meet = 0, apart = 0;
  for (int i = 0; i < 200'000; ++i) {
    const uint64_t count = static_cast<uint64_t>(any(1, 6));
    const auto moved = [&](int step) {
      const size_t rows = static_cast<size_t>(any(1, 3));
      return Moved(AccessKind::kWrite, kBase + static_cast<uintptr_t>(any(0, 40)),
                   static_cast<size_t>(any(1, 4)), step, count, rows, rows == 1 ? 0 : any(-20, 20));
    };
    const int step = any(-8, 8);
    const MovedAccess a = moved(step);
    MovedAccess b = moved(any(0, 3) == 0 ? any(-8, 8) : step);
    if (any(0, 3) == 0) b = a;
    if (IterationsMayMeet(a, b)) continue;
    ++apart;
    ASSERT_FALSE(Meet(a, b)) << "a: first " << a.first << " size " << a.size << " rows " << a.rows
                             << " distance " << a.distance << " step " << a.step << "; b: first "
                             << b.first << " size " << b.size << " rows " << b.rows << " distance "
                             << b.distance << " step " << b.step << "; count " << count;
    meet += Meet(b, a);
  }
  EXPECT_EQ(meet, 0u);
  EXPECT_GT(apart, 10'000u);
}

TEST(MovedAccesses, AreAsOneStrandInTheLoopsThatMatter) {
  const auto may_meet = [](const MovedAccess& a, const MovedAccess& b) {
    const bool result = IterationsMayMeet(a, b);
    EXPECT_EQ(result, IterationsMayMeet(b, a));
    return result;
  };
  constexpr AccessKind kRead = AccessKind::kRead, kWrite = AccessKind::kWrite;
  const MovedAccess map = Moved(kWrite, kBase, 8, 8, 100);
  EXPECT_FALSE(may_meet(map, map));
  EXPECT_FALSE(may_meet(map, Moved(kRead, kBase, 8, 8, 100)));
  EXPECT_FALSE(may_meet(map, Moved(kRead, kBase + 800, 8, 8, 100)));
  EXPECT_TRUE(may_meet(map, Moved(kRead, kBase - 8, 8, 8, 100)));
  EXPECT_TRUE(may_meet(map, Moved(kRead, kBase + 99 * 8, 8, 8, 100)));
  EXPECT_TRUE(may_meet(map, Moved(kRead, kBase, 8, 0, 100)));
  // Fields of records, and rows of a matrix.
  EXPECT_FALSE(may_meet(Moved(kWrite, kBase, 8, 24, 100), Moved(kRead, kBase + 16, 8, 24, 100)));
  const MovedAccess rows = Moved(kWrite, kBase, 80, 80, 10);
  EXPECT_FALSE(may_meet(rows, rows));
  // Columns of a matrix: all iterations are in the same rows, and no two at the same place.
  const MovedAccess columns = Moved(kWrite, kBase, 8, 8, 10, 10, 80);
  EXPECT_FALSE(may_meet(columns, columns));
  const MovedAccess wide = Moved(kWrite, kBase, 8, 8, 11, 10, 80);
  EXPECT_TRUE(may_meet(wide, wide));
  // Backwards.
  const MovedAccess back = Moved(kWrite, kBase + 800, 8, -8, 100);
  EXPECT_FALSE(may_meet(back, back));
  EXPECT_TRUE(may_meet(back, Moved(kRead, kBase + 808, 8, -8, 100)));
}

TEST(MovedAccesses, ThatOnlyReadDoNotConflict) {
  MovedAccesses moved;
  moved.Add(Moved(AccessKind::kRead, kBase, 8, 0, 100));
  EXPECT_FALSE(moved.MayConflict());
  moved.Add(Moved(AccessKind::kWrite, kBase + 8, 8, 8, 100));
  EXPECT_FALSE(moved.MayConflict());
  moved.Add(Moved(AccessKind::kRead, kBase + 12, 1, 8, 99));  // other iterations
  EXPECT_TRUE(moved.MayConflict());
}

TEST(MovedAccesses, OfAllIterationsAreMadeUpOfFewTouchesThatMissNothing) {
  for (uint64_t count = 1; count <= 4; ++count) {
    ForEachSmall(count, 3, [&](const MovedAccess& access) {
      std::set<uintptr_t> expected;
      for (uint64_t i = 0; i < count; ++i) expected.merge(BytesIn(access, i));
      for (const bool joins : {false, true}) {
        std::set<uintptr_t> touched;
        size_t touches = 0;
        access.ForEachTouch(joins, [&](const AccessLog::Touch& touch) {
          ++touches;
          if (!joins) ASSERT_EQ(touch.size, access.size);
          touch.ForEachRow([&](uintptr_t row) {
            for (size_t byte = 0; byte < touch.size; ++byte) touched.insert(row + byte);
          });
        });
        ASSERT_EQ(touched, expected);
        ASSERT_LE(touches, std::min<uint64_t>(count, access.rows));
      }
      ASSERT_EQ(*expected.begin(), access.LowOfAll());
      ASSERT_EQ(*expected.rbegin() + 1, access.LowOfAll() + access.ExtentOfAll());
    });
  }
}

TEST(MovedAccesses, OfOtherIterationsAreFoundAtEveryRangeOfBytes) {
  for (uint64_t count = 1; count <= 4; ++count) {
    ForEachSmall(count, 3, [&](const MovedAccess& access) {
      for (uintptr_t low = kBase - 22; low < kBase + 24; low += 3) {
        for (const size_t length : {1, 4}) {
          for (uint64_t except = 0; except <= count; ++except) {
            std::set<uintptr_t> expected, found;
            for (uint64_t i = 0; i < count; ++i) {
              if (i == except) continue;
              for (const uintptr_t byte : BytesIn(access, i)) {
                if (byte >= low && byte < low + length) expected.insert(byte);
              }
            }
            access.ForEachAt(low, low + length, except, [&](uint64_t i, uintptr_t row) {
              ASSERT_NE(i, except);
              ASSERT_LT(i, count);
              const std::set<uintptr_t> bytes = BytesIn(access, i);
              for (uintptr_t byte = row; byte < row + access.size; ++byte) {
                ASSERT_TRUE(bytes.contains(byte));
                if (byte >= low && byte < low + length) found.insert(byte);
              }
            });
            ASSERT_EQ(found, expected)
                << "step " << access.step << ", size " << access.size << ", rows " << access.rows
                << ", distance " << access.distance << ", count " << count << ", from " << low
                << ", length " << length << ", but " << except;
          }
        }
      }
    });
  }
}

TEST(MovedAccesses, OfAllIterationsAtOnePlaceAreNamedByANeighbour) {
  const MovedAccess total = Moved(AccessKind::kWrite, kBase, 8, 0, 1'000'000'000'000);
  std::vector<uint64_t> named;
  for (const uint64_t except : {0, 1, 500}) {
    total.ForEachAt(kBase, kBase + 8, except, [&](uint64_t i, uintptr_t) { named.push_back(i); });
  }
  EXPECT_EQ(named, (std::vector<uint64_t>{1, 0, 499}));
}

constexpr auto kNowhereAtAll = [](const MovedAccesses::Box& zone) { return zone.end == 0; };
constexpr auto kAnywhere = [](const MovedAccesses::Box& zone) {
  return zone.low == 0 && zone.end == UINTPTR_MAX;
};

TEST(ZonesOfALoop, OfReadsAreWhereIterationsWrite) {
  MovedAccesses moved;
  moved.Add(Moved(AccessKind::kRead, kBase, 4, 4, 100));
  EXPECT_TRUE(kNowhereAtAll(moved.ZoneOfReads(TASKRACE_READS_STAY)));
  moved.Add(Moved(AccessKind::kWrite, kBase + 1000, 8, 8, 100));
  EXPECT_EQ(moved.ZoneOfReads(TASKRACE_READS_STAY).low, kBase + 1000);
  EXPECT_EQ(moved.ZoneOfReads(TASKRACE_READS_STAY).end, kBase + 1800);
  moved.AddPossible(Moved(AccessKind::kWrite, kBase + 2000, 8, -8, 3));
  EXPECT_EQ(moved.ZoneOfReads(TASKRACE_READS_STAY).end, kBase + 2008);
  EXPECT_TRUE(kAnywhere(moved.ZoneOfReads(TASKRACE_READS_STAY | TASKRACE_WRITES_STAY)));
}

TEST(ZonesOfALoop, OfPossibleAccessesAreEmptyIfNoIterationsMeet) {
  MovedAccesses moved;
  moved.Add(Moved(AccessKind::kRead, kBase, 8, 8, 100));
  moved.AddPossible(Moved(AccessKind::kWrite, kBase, 8, 8, 100));
  EXPECT_TRUE(kNowhereAtAll(moved.ZoneOfPossible(0)));
  EXPECT_TRUE(kAnywhere(moved.ZoneOfPossible(TASKRACE_READS_STAY)));
  moved.AddPossible(Moved(AccessKind::kRead, kBase + 8, 8, 8, 100));
  EXPECT_TRUE(kAnywhere(moved.ZoneOfPossible(0)));
  moved.Clear();
  moved.AddPossible(Moved(AccessKind::kWrite, kBase, 8, 4, 100));
  EXPECT_TRUE(kAnywhere(moved.ZoneOfPossible(0)));
}

TEST(ZonesOfALoop, AreEverywhereIfAPossibleAccessWouldLeaveTheAddressSpace) {
  MovedAccesses moved;
  moved.AddPossible(Moved(AccessKind::kRead, kBase, 8, ptrdiff_t{1} << 40, uint64_t{1} << 40));
  EXPECT_TRUE(kAnywhere(moved.ZoneOfPossible(0)));
  EXPECT_TRUE(kAnywhere(moved.ZoneOfReads(TASKRACE_READS_STAY)));
}

// Three loops, one after the other; the byte belongs to an iteration of each.
TEST(MovedAccesses, AreFoundByStrandAndByte) {
  MovedAccesses moved;
  const auto by = [](uint32_t iteration, AccessKind kind) {
    return RacingAccess{StrandId{Index(kFirstIteration) + iteration}, kind, kNoLocks};
  };
  for (uint32_t loop = 0; loop < 3; ++loop) {
    MovedAccess write = Moved(AccessKind::kWrite, kBase, 4, 8, 5, 2, 100);
    write.code = Where{10 + loop};
    MovedAccess read = Moved(AccessKind::kRead, kBase + 4, 4, 8, 5);
    read.code = Where{20 + loop};
    moved.Add(write);
    moved.Add(read);
    moved.Keep(StrandId{Index(kFirstIteration) + 5 * loop}, 0);
    moved.Clear();
  }
  AccessLog::Found found{};
  for (uint32_t loop = 0; loop < 3; ++loop) {
    for (uint32_t k = 0; k < 5; ++k) {
      const uint32_t iteration = 5 * loop + k;
      ASSERT_TRUE(moved.Find(by(iteration, AccessKind::kWrite), kBase + 100 + 8 * k + 3, found));
      EXPECT_EQ(found.code, Where{10 + loop});
      EXPECT_EQ(found.first, kBase + 100 + 8 * k);
      ASSERT_TRUE(moved.Find(by(iteration, AccessKind::kRead), kBase + 8 * k + 4, found));
      EXPECT_EQ(found.code, Where{20 + loop});
      EXPECT_FALSE(moved.Find(by(iteration, AccessKind::kRead), kBase + 8 * k, found));
      EXPECT_FALSE(moved.Find(by(iteration, AccessKind::kWrite), kBase + 8 * k + 8, found));
    }
  }
  EXPECT_FALSE(moved.Find(by(15, AccessKind::kWrite), kBase, found));
  moved.Drop();
  EXPECT_FALSE(moved.Find(by(0, AccessKind::kWrite), kBase, found));
}

// As where a single iteration makes no access: the others are two runs.
TEST(MovedAccesses, OfSomeIterationsAreFoundInThoseOnly) {
  MovedAccesses moved;
  MovedAccess later = Moved(AccessKind::kWrite, kBase + 24, 4, 8, 2);
  later.k = 3;
  later.code = Where{1};
  MovedAccess earlier = Moved(AccessKind::kWrite, kBase, 4, 8, 2);
  earlier.code = Where{2};
  moved.Add(later);
  moved.Add(earlier);
  EXPECT_EQ(moved.Iterations().first, 0u);
  EXPECT_EQ(moved.Iterations().end, 5u);
  // Other iterations, but also other bytes.
  EXPECT_FALSE(moved.MayConflict());
  moved.Keep(kFirstIteration, 0);
  for (uint32_t k = 0; k < 5; ++k) {
    const RacingAccess by{StrandId{Index(kFirstIteration) + k}, AccessKind::kWrite, kNoLocks};
    AccessLog::Found found{};
    EXPECT_EQ(moved.Find(by, kBase + 8 * k, found), k != 2) << k;
    if (k != 2) EXPECT_EQ(found.code, Where{k < 2 ? 2u : 1u});
  }
}

}  // namespace
}  // namespace taskrace
