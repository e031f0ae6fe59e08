#include "exec/task_storage.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace taskrace {
namespace {

bool IsAligned(const void* closure, size_t alignment) {
  return reinterpret_cast<uintptr_t>(closure) % alignment == 0;
}

// Pages of the process's address space.
size_t MappedPages() {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages;
}

TEST(TaskStorage, EveryAlignmentAndSizeIsMet) {
  TaskStorage storage;
  for (size_t alignment = 1; alignment <= 8192; alignment *= 2) {
    for (size_t size : {0, 1, 8, 47, 48, 49, 1000, 131'000, 131'072, 131'073, 1'000'000}) {
      void* closure = storage.Allocate(size, alignment);
      EXPECT_TRUE(IsAligned(closure, alignment)) << size << " bytes, alignment " << alignment;
      EXPECT_EQ(TaskStorage::SizeOf(closure), size);
      memset(closure, 0xAB, size);
      EXPECT_EQ(TaskStorage::SizeOf(closure), size) << "the closure lies over its own header";
    }
  }
}

TEST(TaskStorage, TheLastFreedBlockServesTheNextClosureOfItsSize) {
  TaskStorage storage;
  void* first = storage.Allocate(40, 8);
  void* second = storage.Allocate(40, 8);
  storage.Free(first);
  storage.Free(second);
  EXPECT_EQ(storage.Allocate(33, 8), second);
  EXPECT_EQ(storage.Allocate(48, 16), first);
}

TEST(TaskStorage, WhatOthersGiveBackServesWhenNothingElseDoes) {
  TaskStorage storage;
  void* given_back = storage.Allocate(40, 8);
  void* large = storage.Allocate(400, 8);
  void* freed = storage.Allocate(40, 8);
  std::thread([&] {
    storage.GiveBack(given_back);
    storage.GiveBack(large);
    storage.GiveBack(storage.Allocate(1'000'000, 8));
  }).join();
  storage.Free(freed);
  EXPECT_EQ(storage.Allocate(40, 8), freed);
  EXPECT_EQ(storage.Allocate(40, 8), given_back);
  EXPECT_EQ(storage.Allocate(400, 8), large);
}

// One thread makes closures, others end them: no block is lost or handed out twice.
TEST(TaskStorage, ClosuresThatOthersEndTakeNoMoreMemory) {
  constexpr size_t kMost = 1'000, kRounds = 2'000, kOthers = 3;
  TaskStorage storage;
  std::vector<std::atomic<size_t*>> slots(kMost);
  std::atomic<bool> stops = false;
  std::vector<std::thread> others;
  for (size_t i = 0; i < kOthers; ++i) {
    others.emplace_back([&, i] {
      for (size_t at = i; !stops; at = (at + 1) % kMost) {
        size_t* closure = slots[at].exchange(nullptr);
        if (closure == nullptr) continue;
        EXPECT_EQ(*closure, at);
        storage.GiveBack(closure);
      }
    });
  }
  std::set<void*> blocks;
  for (size_t round = 0; round < kRounds; ++round) {
    for (size_t at = 0; at < kMost; ++at) {
      if (slots[at] != nullptr) continue;
      size_t* closure = static_cast<size_t*>(storage.Allocate(40, 8));
      blocks.insert(closure);
      *closure = at;
      slots[at] = closure;
    }
  }
  stops = true;
  for (std::thread& other : others) other.join();
  EXPECT_LE(blocks.size(), kMost + kOthers);
}

TEST(TaskStorage, AFreedBlockDoesNotServeALargerClosure) {
  TaskStorage storage;
  void* small = storage.Allocate(40, 8);
  storage.Free(small);
  EXPECT_NE(storage.Allocate(400, 8), small);
}

TEST(TaskStorage, LiveClosuresNeverOverlapWhateverTheOrderOfTheirEnds) {
  struct Live {
    unsigned char* closure;
    size_t size;
    unsigned char mark;
  };
  TaskStorage storage;
  std::vector<Live> live;
  std::mt19937 random(1);
  for (int step = 0; step < 20'000; ++step) {
    if (live.size() < 100 || random() % 2 == 0) {
      const size_t size = random() % (random() % 50 == 0 ? 300'000 : 700) + 1;
      auto* closure =
          static_cast<unsigned char*>(storage.Allocate(size, size_t{1} << random() % 8));
      live.push_back({closure, size, static_cast<unsigned char>(random())});
      memset(closure, live.back().mark, size);
      continue;
    }
    std::swap(live[random() % live.size()], live.back());
    const Live ended = live.back();
    live.pop_back();
    ASSERT_EQ(TaskStorage::SizeOf(ended.closure), ended.size);
    for (size_t i : {size_t{0}, ended.size / 2, ended.size - 1}) {
      ASSERT_EQ(ended.closure[i], ended.mark) << "byte " << i << " of " << ended.size;
    }
    storage.Free(ended.closure);
  }
}

TEST(TaskStorage, AnAddressIsFoundInItsClosureAndNowhereElse) {
  TaskStorage storage;
  EXPECT_EQ(storage.Containing(4096), nullptr);
  struct Live {
    void* closure;
    size_t size;
  };
  std::vector<Live> live;
  std::mt19937 random(1);
  for (int step = 0; step < 3'000; ++step) {
    const size_t size = random() % (random() % 50 == 0 ? 100'000 : 700) + 1;
    live.push_back({storage.Allocate(size, size_t{1} << random() % 8), size});
    memset(live.back().closure, 0xFF, size);
    std::swap(live[random() % live.size()], live.back());
    if (random() % 3 == 0) {
      const Live ended = live.back();
      live.pop_back();
      storage.Free(ended.closure);
      ASSERT_EQ(storage.Containing(reinterpret_cast<uintptr_t>(ended.closure)), nullptr);
    }
    for (const Live& one : {live.front(), live[live.size() / 2]}) {
      const uintptr_t first = reinterpret_cast<uintptr_t>(one.closure);
      ASSERT_EQ(storage.Containing(first), one.closure);
      ASSERT_EQ(storage.Containing(first + one.size - 1), one.closure);
      ASSERT_NE(storage.Containing(first - 1), one.closure);
      ASSERT_NE(storage.Containing(first + one.size), one.closure);
    }
  }
}

TEST(TaskStorage, MemoryDoesNotGrowWithTheNumberOfTasksThatHaveEnded) {
  TaskStorage storage;
  const auto run = [&storage](int tasks) {
    for (int i = 0; i < tasks; ++i) {
      void* small = storage.Allocate(100, 8);
      void* large = storage.Allocate(3'000'000, 64);
      static_cast<char*>(large)[2'999'999] = 1;
      storage.Free(small);
      storage.Free(large);
    }
  };
  run(2);
  const size_t before = MappedPages();
  run(2'000);
  EXPECT_EQ(MappedPages(), before);
}

}  // namespace
}  // namespace taskrace
