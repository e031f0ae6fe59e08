// Calling contexts: the frames that a context has, and how many contexts there are.
#include "detect/contexts.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace taskrace {
namespace {

// A shadow call stack.
class Stack {
 public:
  Stack() { Contexts::InitBase(frames_.data()); }

  void Call(uintptr_t return_address) {
    ++depth_;
    frames_[depth_].return_address = reinterpret_cast<void*>(return_address);
    frames_[depth_].context = 0;
  }
  void Return() { --depth_; }
  __taskrace_frame* top() { return &frames_[depth_]; }

 private:
  std::vector<__taskrace_frame> frames_ = std::vector<__taskrace_frame>(100);
  size_t depth_ = 0;
};

class ContextsTest : public testing::Test {
 protected:
  std::vector<uintptr_t> Frames() {
    std::vector<uintptr_t> frames;
    contexts_->ForEachFrame(contexts_->ContextOf(stack_.top()),
                            [&](uintptr_t address) { frames.push_back(address); });
    return frames;
  }
  void CallAll(std::vector<uintptr_t> addresses) {
    for (uintptr_t address : addresses) stack_.Call(address);
  }
  // Two calls in each call, so deep.
  void CallTree(int depth) {
    contexts_->ContextOf(stack_.top());
    if (depth == 0) return;
    for (uintptr_t address : {1, 2}) {
      stack_.Call(address);
      CallTree(depth - 1);
      stack_.Return();
    }
  }

  std::unique_ptr<Contexts> contexts_ = std::make_unique<Contexts>();
  Stack stack_;
};

TEST_F(ContextsTest, AContextHasAllFramesTheInnermostFirst) {
  CallAll({1, 2, 3, 2, 1});
  EXPECT_EQ(Frames(), (std::vector<uintptr_t>{1, 2, 3, 2, 1}));
}

TEST_F(ContextsTest, EqualStacksHaveOneContext) {
  CallAll({1, 2});
  const ContextId first = contexts_->ContextOf(stack_.top());
  stack_.Return();
  stack_.Call(2);
  EXPECT_EQ(contexts_->ContextOf(stack_.top()), first);
}

TEST_F(ContextsTest, RecursionIsShownFourDeep) {
  CallAll({9, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(Frames(), (std::vector<uintptr_t>{1, 1, 1, 1, 9}));
  CallAll({1, 1, 1});
  EXPECT_EQ(Frames(), (std::vector<uintptr_t>{1, 1, 1, 1, 9}));
}

TEST_F(ContextsTest, WhatIsCalledFromDeepRecursionIsShown) {
  CallAll({1, 1, 1, 1, 1, 1, 1, 1, 1, 7});
  EXPECT_EQ(Frames(), (std::vector<uintptr_t>{7, 1, 1, 1, 1}));
}

TEST_F(ContextsTest, ATreeOfCallsHasFewContexts) {
  CallTree(18);
  EXPECT_LT(contexts_->BytesUsed(), sizeof(Contexts) + (size_t{1} << 18));
}

}  // namespace
}  // namespace taskrace
