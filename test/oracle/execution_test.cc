// The order in which tasks run, and what the detectors hear of it: by hand, for small programs.
#include "test/oracle/execution.h"

#include <gtest/gtest.h>

#include <string>

namespace taskrace::oracle {
namespace {

const Construct kTouch = Access(AccessKind::kRead, 0);

// Writes down every event in a few characters, with the numbers of the tasks.
class Diary final : public Listener {
 public:
  const std::string& Text() const { return text_; }

  void OnStart(TaskId, GroupId, StrandId) override {}
  void OnCreate(TaskId, TaskId child, How, GroupId, StrandId) override { Note("create", child); }
  void OnEnd(TaskId task) override { Note("end", task); }
  void OnProceed(TaskId task, StrandId) override { Note("proceed", task); }
  void OnOpen(TaskId task, GroupId, StrandId) override { Note("open", task); }
  void OnJoin(TaskId task, GroupId, How, std::span<const TaskId> singles, StrandId) override {
    Note("join", task);
    for (TaskId single : singles) Note("single", single);
  }
  void OnGet(TaskId task, TaskId child, How how, StrandId) override {
    Note("get", task);
    Note(how == How::kGet ? "future" : "fork", child);
  }
  void OnBlock(TaskId task) override { Note("block", task); }
  void OnSet(TaskId task, PromiseId) override { Note("set", task); }
  void OnGetPromise(TaskId task, PromiseId, StrandId) override { Note("promise", task); }
  void OnStrand(const Dag&, const Oracle&, size_t, TaskId) override {}
  void OnAccess(const Oracle&, size_t, const Construct&, const std::set<unsigned>&) override {
    text_ += "access ";
  }
  void OnClear(const Construct&) override {}
  void OnRetire(const Oracle&, size_t, const Construct&, const std::set<unsigned>&) override {}

 private:
  void Note(const char* what, TaskId task) { text_ += what + std::to_string(Index(task)) + " "; }
  std::string text_;
};

std::string Events(const Body& program, Switching switching = Switching::kToTheLastSuspended) {
  Diary diary;
  Execution execution(program, {&diary}, 1, switching);
  return diary.Text();
}

TEST(Execution, ACreatedTaskRunsBeforeItsCreatorGoesOn) {
  EXPECT_EQ(Events({Scope({Spawn({kTouch}), Sync()})}),
            "create1 access end1 proceed0 join0 join0 end0 ");
}
TEST(Execution, AFinishWaitsForAFutureThatWasGotBefore) {
  EXPECT_EQ(Events({Finish({Future("f", {}), Get("f")})}),
            "open0 create1 end1 proceed0 get0 future1 join0 single1 join0 end0 ");
}
TEST(Execution, ForksBelongToTheInnermostFinish) {
  EXPECT_EQ(Events({Fork({}), Finish({Async({Fork({})})}), Join()}),
            "create1 end1 proceed0 open0 create2 create3 end3 proceed2 end2 proceed0 "
            "join0 single3 get0 fork1 join0 single1 end0 ");
}
TEST(Execution, AJoinWithoutALeftNeighbourDoesNothing) {
  EXPECT_EQ(Events({Join(), Fork({Join()}), Join(), Join()}),
            "create1 end1 proceed0 get0 fork1 join0 single1 end0 ");
}
TEST(Execution, AForkedTaskJoinsTheNeighbourThatItsCreatorHad) {
  EXPECT_EQ(Events({Fork({}), Fork({Join()}), Join()}),
            "create1 end1 proceed0 create2 get2 fork1 end2 proceed0 get0 fork2 "
            "join0 single1 single2 end0 ");
}
TEST(Execution, ABlockedTaskReturnsToItsCreator) {
  EXPECT_EQ(Events({Async({Get("p"), kTouch}), Set("p")}),
            "create1 block1 proceed0 set0 promise1 access end1 proceed0 join0 end0 ");
}
TEST(Execution, ASetResumesTheWaitersInTheOrderInWhichTheyCame) {
  EXPECT_EQ(Events({Async({Get("p")}), Async({Get("p")}), Set("p")}),
            "create1 block1 proceed0 create2 block2 proceed0 set0 promise1 end1 promise2 end2 "
            "proceed0 join0 end0 ");
}
TEST(Execution, ATaskThatBlocksAgainReturnsToWhoeverResumedIt) {
  EXPECT_EQ(Events({Async({Get("p"), Get("q")}), Async({Set("p")}), Set("q")}),
            "create1 block1 proceed0 create2 set2 promise1 block1 proceed2 end2 proceed0 set0 "
            "promise1 end1 proceed0 join0 end0 ");
}
TEST(Execution, OnRequestATaskThatBlocksAgainReturnsToItsCreator) {
  EXPECT_EQ(
      Events({Async({Get("p"), Get("q")}), Async({Set("p")}), Set("q")}, Switching::kToTheCreator),
      "create1 block1 proceed0 create2 set2 promise1 block1 proceed0 set0 promise1 end1 "
      "proceed0 block0 proceed2 end2 join0 end0 ");
}
TEST(Execution, AGetWaitsForAFutureThatWaits) {
  EXPECT_EQ(Events({Future("f", {Get("p")}), Async({Get("f"), kTouch}), Set("p")}),
            "create1 block1 proceed0 create2 block2 proceed0 set0 promise1 end1 get2 future1 "
            "access end2 proceed0 join0 single1 end0 ");
}
TEST(Execution, ASyncWaitsForAChildThatWaits) {
  EXPECT_EQ(Events({Async({Scope({Spawn({Get("p")})}), kTouch}), Set("p")}),
            "create1 create2 block2 proceed1 block1 proceed0 set0 promise2 end2 join1 access "
            "end1 proceed0 join0 end0 ");
}
TEST(Execution, AGetBeforeTheCreatorHasTheHandleDoesNothing) {
  EXPECT_EQ(Events({Async({Get("p"), Get("f")}), Future("f", {Set("p")})}),
            "create1 block1 proceed0 create2 set2 promise1 end1 proceed2 end2 proceed0 "
            "join0 single2 end0 ");
}
TEST(Execution, EndsWhereNobodyCanRun) {
  const Body program{Finish({Async({Get("p")})}), Set("p"), kTouch};
  EXPECT_EQ(Events(program), "open0 create1 block1 proceed0 block0 ");
  EXPECT_TRUE(Execution(program, {}).IsDeadlocked());
  EXPECT_FALSE(Execution({Async({})}, {}).IsDeadlocked());
}
TEST(Execution, WhatFollowsASetDoesNotPrecedeTheGetter) {
  // Strands: 0 root, 1 async, 2 root, 3 the getter goes on, 4 the setter goes on, 5 join.
  const Execution execution({Async({Get("p")}), Set("p")}, {});
  EXPECT_TRUE(execution.GetDag().Precedes(2, 3));
  EXPECT_FALSE(execution.GetDag().Precedes(3, 4));
  EXPECT_TRUE(execution.GetDag().Precedes(3, 5));
}

}  // namespace
}  // namespace taskrace::oracle
