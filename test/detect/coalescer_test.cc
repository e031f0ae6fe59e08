#include "detect/history/coalescer.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace taskrace {
namespace {

constexpr AccessKind kRead = AccessKind::kRead;
constexpr AccessKind kWrite = AccessKind::kWrite;
constexpr uintptr_t kBase = 0x7000'0000'0000;

struct Told {
  AccessKind kind;
  uintptr_t first;
  size_t size;
  bool operator==(const Told&) const = default;
};

class CoalescerTest : public testing::Test {
 protected:
  void Add(AccessKind kind, uintptr_t first, size_t size) {
    coalescer->Add({kind, first, size, 1, 0}, [this] { ++first_touches; }, emit);
  }
  std::vector<Told> Flushed() {
    coalescer->Flush(emit);
    return std::exchange(runs, {});
  }
  std::vector<Told> Flushed(uintptr_t first, size_t size) {
    coalescer->Flush(first, size, emit);
    return std::exchange(runs, {});
  }

  std::unique_ptr<Coalescer> coalescer = std::make_unique<Coalescer>();
  std::vector<Told> runs;
  size_t first_touches = 0;
  std::function<void(AccessKind, uintptr_t, size_t)> emit = [this](AccessKind kind, uintptr_t first,
                                                                   size_t size) {
    runs.push_back({kind, first, size});
  };
};

TEST_F(CoalescerTest, NeighboursBecomeOneRunAcrossPagesInWhateverOrderTheyCame) {
  for (uintptr_t at = 2 * 4096; at-- > 0;) Add(kRead, kBase + at, 1);
  EXPECT_EQ(Flushed(), (std::vector<Told>{{kRead, kBase, 2 * 4096}}));
  EXPECT_TRUE(Flushed().empty());
}
TEST_F(CoalescerTest, ARepeatedAccessIsNoFirstTouch) {
  Add(kRead, kBase, 8);
  Add(kRead, kBase + 2, 4);
  EXPECT_EQ(first_touches, 1u);
  Add(kRead, kBase + 4, 8);
  EXPECT_EQ(first_touches, 2u);
  EXPECT_TRUE((coalescer->Has<kRead, 8>(kBase)));
  EXPECT_TRUE((coalescer->Has<kRead, 4>(kBase + 8)));
  EXPECT_FALSE((coalescer->Has<kRead, 8>(kBase + 8)));
  EXPECT_FALSE((coalescer->Has<kRead, 1>(kBase + 12)));
}
TEST_F(CoalescerTest, AWriteIsNewThoughTheBytesWereRead) {
  Add(kRead, kBase, 8);
  EXPECT_FALSE((coalescer->Has<kWrite, 8>(kBase)));
  Add(kWrite, kBase, 4);
  EXPECT_EQ(first_touches, 2u);
  EXPECT_TRUE((coalescer->Has<kWrite, 4>(kBase)));
  EXPECT_EQ(Flushed(), (std::vector<Told>{{kWrite, kBase, 4}, {kRead, kBase + 4, 4}}));
}
TEST_F(CoalescerTest, AReadOfWhatWasWrittenIsKnown) {
  Add(kWrite, kBase, 16);
  EXPECT_TRUE((coalescer->Has<kRead, 16>(kBase)));
  Add(kRead, kBase + 3, 5);
  EXPECT_EQ(Flushed(), (std::vector<Told>{{kWrite, kBase, 16}}));
}
TEST_F(CoalescerTest, AnAccessInTwoWordsIsNotFoundByTheFastPath) {
  Add(kRead, kBase, 64);
  EXPECT_FALSE((coalescer->Has<kRead, 8>(kBase + 3)));
  Add(kRead, kBase + 3, 8);
  EXPECT_EQ(first_touches, 1u);
}
TEST_F(CoalescerTest, AShortRangeIsKnownIfAllOfItsBytesAre) {
  Add(kRead, kBase, 3 * 4096);
  Add(kWrite, kBase + 100, 400);
  for (const size_t from : {0u, 60u, 64u, 100u, 101u, 4000u, 4095u}) {
    for (const size_t size : {1u, 4u, 5u, 28u, 29u, 64u, 65u, 128u, 300u, 400u, 512u}) {
      const uintptr_t first = kBase + 4096 + from;
      const bool is_in_page = from + size <= 4096;
      EXPECT_EQ(coalescer->HasRange<kRead>(first, size), is_in_page) << from << " " << size;
      EXPECT_FALSE(coalescer->HasRange<kWrite>(first, size));
      EXPECT_EQ(coalescer->HasRange<kWrite>(first - 4096, size), from >= 100 && from + size <= 500)
          << from << " " << size;
    }
  }
  EXPECT_FALSE(coalescer->HasRange<kRead>(kBase, 0));
  EXPECT_FALSE(coalescer->HasRange<kRead>(kBase, 513));
  Flushed(kBase + 200, 1);
  EXPECT_TRUE(coalescer->HasRange<kRead>(kBase + 100, 100));
  EXPECT_TRUE(coalescer->HasRange<kRead>(kBase + 201, 100));
  for (size_t at = 101; at <= 200; ++at) {
    EXPECT_FALSE(coalescer->HasRange<kRead>(kBase + at, 100)) << at;
  }
}
TEST_F(CoalescerTest, TheEndOfAPageIsNotTheBeginningOfTheWrittenBits) {
  Add(kWrite, kBase, 8);
  Add(kRead, kBase + 4088, 8);
  EXPECT_FALSE((coalescer->Has<kRead, 16>(kBase + 4088)));
}
TEST_F(CoalescerTest, SmallAccessesAreCollectedLikeOthers) {
  Add(kRead, kBase, 1);
  EXPECT_TRUE(coalescer->AddSmall<kWrite>(kBase + 4, 4));
  EXPECT_TRUE(coalescer->AddSmall<kRead>(kBase + 2, 2));
  EXPECT_TRUE(coalescer->AddSmall<kRead>(kBase + 16, 48));
  EXPECT_TRUE(coalescer->AddSmall<kRead>(kBase + 128, 64));
  EXPECT_FALSE(coalescer->AddSmall<kRead>(kBase + 63, 2));
  EXPECT_FALSE(coalescer->AddSmall<kRead>(kBase + 192, 65));
  EXPECT_FALSE(coalescer->AddSmall<kRead>(kBase + 192, 0));
  EXPECT_FALSE(coalescer->AddSmall<kRead>(kBase + 4096, 8));
  EXPECT_EQ(Flushed(), (std::vector<Told>{{kRead, kBase, 1},
                                          {kRead, kBase + 2, 2},
                                          {kWrite, kBase + 4, 4},
                                          {kRead, kBase + 16, 48},
                                          {kRead, kBase + 128, 64}}));
}
TEST_F(CoalescerTest, SomeBytesCanGoBeforeTheOthers) {
  Add(kWrite, kBase + 4000, 200);
  EXPECT_EQ(Flushed(kBase + 4090, 10), (std::vector<Told>{{kWrite, kBase + 4090, 10}}));
  EXPECT_FALSE((coalescer->Has<kWrite, 1>(kBase + 4090)));
  EXPECT_TRUE((coalescer->Has<kWrite, 1>(kBase + 4100)));
  EXPECT_EQ(Flushed(),
            (std::vector<Told>{{kWrite, kBase + 4000, 90}, {kWrite, kBase + 4100, 100}}));
}
TEST_F(CoalescerTest, ARangeThatWentIsNewWhenItComesAgain) {
  Add(kWrite, kBase, 1000);
  Add(kWrite, kBase, 1000);
  EXPECT_EQ(first_touches, 1u);
  Flushed(kBase + 999, 1);
  Add(kWrite, kBase, 1000);
  EXPECT_EQ(first_touches, 2u);
  Flushed();
  Add(kWrite, kBase, 1000);
  EXPECT_EQ(first_touches, 3u);
  EXPECT_EQ(Flushed(), (std::vector<Told>{{kWrite, kBase, 1000}}));
}
TEST_F(CoalescerTest, AGigabyteGoesWithoutALookAtEachPage) {
  Add(kWrite, kBase + 5 * 4096 + 8, 8);
  EXPECT_EQ(Flushed(kBase, size_t{1} << 40),
            (std::vector<Told>{{kWrite, kBase + 5 * 4096 + 8, 8}}));
}
TEST_F(CoalescerTest, WhereNoProgramHasMemoryNothingIsCollected) {
  Add(kRead, 8, 8);
  Add(kRead, ~uintptr_t{7}, 8);
  for (const uintptr_t first : {uintptr_t{8}, ~uintptr_t{1000}}) {
    coalescer->Add({kWrite, first, 8, 10, 16}, [this] { ++first_touches; }, emit);
  }
  EXPECT_EQ(first_touches, 0u);
  EXPECT_TRUE(Flushed().empty());
}
TEST_F(CoalescerTest, PageZeroHasNoSlotThatTheFastPathCouldUse) {
  EXPECT_FALSE(coalescer->AddSmall<kWrite>(8, 8));
  EXPECT_FALSE((coalescer->HasRange<kWrite>(8, 8)));
  const uintptr_t in_the_same_slot = uintptr_t{0x1001} << 12;
  Add(kRead, in_the_same_slot, 1);
  EXPECT_EQ(Flushed(), (std::vector<Told>{{kRead, in_the_same_slot, 1}}));
}

// Far more pages than there is room for; the model is a byte map.
TEST_F(CoalescerTest, LosesAndInventsNothingWhereverTheBytesAre) {
  std::mt19937_64 rng(1);
  std::map<uintptr_t, AccessKind> model, told;
  const auto hear = [&] {
    for (const Told& run : std::exchange(runs, {})) {
      for (uintptr_t byte = run.first; byte < run.first + run.size; ++byte) {
        AccessKind& kind = told.try_emplace(byte, kRead).first->second;
        if (run.kind == kWrite) kind = kWrite;
      }
    }
  };
  KnownRanges::Range range{};  // often the one before
  for (int strand = 0; strand < 3; ++strand) {
    for (int i = 0; i < 30'000; ++i) {
      if (rng() % 4 != 0) {
        range.first = kBase + rng() % 20'000 * 4096 + rng() % 8192;
        range.size = 1 + rng() % (rng() % 64 == 0 ? 5000 : 16);
        range.kind = rng() % 2 == 0 ? kRead : kWrite;
        range.rows = range.size <= 16 && rng() % 8 == 0 ? rng() % 40 : 1;
        range.distance = static_cast<ptrdiff_t>(rng() % 400) - 200;
      }
      const auto [kind, first, size, rows, distance] = range;
      const size_t touches = first_touches;
      bool is_new = false;
      coalescer->Add(range, [this] { ++first_touches; }, emit);
      for (size_t row = 0; row < rows; ++row) {
        for (size_t j = 0; j < size; ++j) {
          const uintptr_t byte = first + row * static_cast<uintptr_t>(distance) + j;
          const auto [known, added] = model.try_emplace(byte, kRead);
          is_new |= added || (kind == kWrite && known->second != kWrite);
          if (kind == kWrite) known->second = kWrite;
        }
      }
      ASSERT_LE(first_touches, touches + 1);
      if (is_new) ASSERT_EQ(first_touches, touches + 1);
      if (rng() % 100 == 0) coalescer->Flush(first, size * 2, emit);
    }
    coalescer->Flush(emit);
    hear();
    ASSERT_TRUE(told == model);
    told.clear();
    model.clear();
  }
}

}  // namespace
}  // namespace taskrace
