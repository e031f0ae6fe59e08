#include "exec/stacks.h"

#include <gtest/gtest.h>

#include <set>

#include "detect/ds/mapping.h"

namespace taskrace {
namespace {

using Stack = Stacks::Stack;

char* Bytes(uintptr_t address) { return reinterpret_cast<char*>(address); }

uintptr_t Here() { return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); }

bool IsOn(const Stack* stack, uintptr_t address) {
  return stack->low <= address && address < stack->high;
}

TEST(Stacks, AStackHasRoomForMegabytesOfFrames) {
  Stacks stacks;
  Stack* stack = stacks.Acquire();
  EXPECT_GE(stack->high - stack->low, size_t{4} << 20);
  EXPECT_EQ(stack->high % 16, 0u);
  *Bytes(stack->low) = 1;
  *Bytes(stack->high - 1) = 1;
}

TEST(Stacks, TheShadowCallStackHasAFrameForEveryFrameOfTheMachineStack) {
  Stacks stacks;
  Stack* stack = stacks.Acquire();
  // A function that calls another takes 32 bytes at least: return address, frame pointer, padding.
  const size_t most = (stack->high - stack->low) / 32;
  stack->frames[0].context = 1;
  stack->frames[most].context = 1;
  EXPECT_LE(reinterpret_cast<uintptr_t>(&stack->frames[most + 1]), stack->low);
}

TEST(Stacks, StacksInUseDoNotOverlap) {
  Stacks stacks;
  std::set<uintptr_t> highs;
  for (int i = 0; i < 50; ++i) {
    Stack* stack = stacks.Acquire();
    const auto above = highs.lower_bound(stack->high);
    EXPECT_TRUE(above == highs.end() || *above - stack->high >= stack->high - stack->low);
    highs.insert(stack->high);
  }
  EXPECT_EQ(highs.size(), 50u);
}

TEST(Stacks, TheLastReleasedIsTheNextInUse) {
  Stacks stacks;
  Stack* first = stacks.Acquire();
  Stack* second = stacks.Acquire();
  stacks.Release(first);
  stacks.Release(second);
  EXPECT_EQ(stacks.Acquire(), second);
  EXPECT_EQ(stacks.Acquire(), first);
}

TEST(StacksDeathTest, RunningOverTheEndOfAStackEndsTheProgram) {
  Stacks stacks;
  Stack* stack = stacks.Acquire();
  EXPECT_EXIT(*Bytes(stack->low - 1) = 1, testing::KilledBySignal(SIGSEGV), "");
}

TEST(StacksDeathTest, RunningOverTheEndOfTheFramesOfAThreadEndsTheProgram) {
  __taskrace_frame* frames = Stacks::MapFrames(1000);
  frames[999].context = 1;
  EXPECT_EXIT(frames[1024].context = 1, testing::KilledBySignal(SIGSEGV), "");
}

TEST(Stacks, ACallRunsOnTheStackAndReturns) {
  struct Call {
    Stacks stacks;
    Stack* outer = stacks.Acquire();
    Stack* inner = stacks.Acquire();
    uintptr_t outer_at = 0, inner_at = 0, outer_again = 0;
  } call;
  const uintptr_t before = Here();
  Stacks::Call(
      call.outer,
      [](void* argument) {
        Call& call = *static_cast<Call*>(argument);
        call.outer_at = Here();
        Stacks::Call(
            call.inner, [](void* argument) { static_cast<Call*>(argument)->inner_at = Here(); },
            argument);
        call.outer_again = Here();
      },
      &call);
  EXPECT_EQ(Here(), before);
  EXPECT_TRUE(IsOn(call.outer, call.outer_at));
  EXPECT_TRUE(IsOn(call.inner, call.inner_at));
  EXPECT_EQ(call.outer_again, call.outer_at);
}

TEST(Stacks, AnExceptionMayPassInsideACall) {
  Stacks stacks;
  int caught = 0;
  Stacks::Call(
      stacks.Acquire(),
      [](void* argument) {
        try {
          throw 7;
        } catch (int number) {
          *static_cast<int*>(argument) = number;
        }
      },
      &caught);
  EXPECT_EQ(caught, 7);
}

// A process may have some 65 000 mappings in all, of which every guard takes two.
TEST(Stacks, TensOfThousandsOfStacksLeaveMappingsForTheProgram) {
  Stacks stacks;
  for (int i = 0; i < 34'000; ++i) *Bytes(stacks.Acquire()->high - 1) = 1;
  void* memory = Map(3 * kMappingUnit, "one mapping that becomes three");
  EXPECT_EQ(mprotect(static_cast<char*>(memory) + kMappingUnit, kMappingUnit, PROT_READ), 0);
}

}  // namespace
}  // namespace taskrace
