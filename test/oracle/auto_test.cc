// Auto against the oracle: what it finds does not depend on the engine that it has come to.
#include "detect/reach/auto.h"

#include "detect/history/shadow.h"
#include "test/oracle/check.h"

namespace taskrace::oracle {
namespace {

void ExpectRight(const ProgramClass& program_class) {
  oracle::ExpectRight<Auto, ShadowHistory>(program_class);
}

TEST(Auto, AgreesWithTheDagWhereJoinsDoNotNest) { ExpectRight(kMixed); }
TEST(Auto, AgreesWithTheDagOnStructuredFutures) { ExpectRight(kStructured); }
TEST(Auto, AgreesWithTheDagOnAnyFutures) { ExpectRight(kGeneral); }
TEST(Auto, AgreesWithTheDagWhereManyFuturesReadTheSame) { ExpectRight(AtFewPlaces(kGeneral)); }
TEST(Auto, AgreesWithTheDagOnForksThatAnyoneJoins) { ExpectRight(kNamedForks); }
TEST(Auto, AgreesWithTheDagWithAtomicsLocksAndReusedMemory) { ExpectRight(kGeneralEverything); }
TEST(Auto, IsRightOnAllSmallProgramsOfFutures) {
  ExpectAllRight<Auto, ShadowHistory>({.accesses = {kRead, kWrite}, .futures = true}, 5);
}
TEST(Auto, IsRightOnAllSmallProgramsOfFuturesAndFinishes) {
  ExpectAllRight<Auto, ShadowHistory>({.finishes = true, .futures = true}, 5);
}

// Runs a program and says which engine Auto has come to.
class Watch final : public Listener {
 public:
  Auto& Engine() { return engine_; }

  void OnStart(TaskId task, GroupId finish, StrandId strand) override {
    engine_.OnStart(task, finish, strand);
  }
  void OnCreate(TaskId task, TaskId child, How how, GroupId group, StrandId strand) override {
    EXPECT_EQ(engine_.OnCreate(task, child, how, group, strand), nullptr);
  }
  void OnEnd(TaskId task) override { EXPECT_EQ(engine_.OnEnd(task), nullptr); }
  void OnProceed(TaskId task, StrandId strand) override { engine_.OnProceed(task, strand); }
  void OnOpen(TaskId task, GroupId finish, StrandId strand) override {
    EXPECT_EQ(engine_.OnOpen(task, finish, strand), nullptr);
  }
  void OnJoin(TaskId task, GroupId group, How how, std::span<const TaskId> singles,
              StrandId strand) override {
    EXPECT_EQ(engine_.OnJoin(task, group, how, singles, strand), nullptr);
  }
  void OnGet(TaskId task, TaskId child, How how, StrandId strand) override {
    EXPECT_EQ(engine_.OnGet(task, child, how, strand), nullptr);
  }
  void OnBlock(TaskId task) override { blocks_ = engine_.OnBlock(task); }
  void OnSet(TaskId task, PromiseId promise) override { blocks_ = engine_.OnSet(task, promise); }
  void OnGetPromise(TaskId, PromiseId, StrandId) override {}
  void OnStrand(const Dag&, const Oracle&, size_t, TaskId) override {}
  void OnAccess(const Oracle&, size_t, const Construct&, const std::set<unsigned>&) override {}
  void OnClear(const Construct&) override {}
  void OnRetire(const Oracle&, size_t, const Construct&, const std::set<unsigned>&) override {}

  OutsideClass Blocks() const { return blocks_; }

 private:
  Auto engine_;
  OutsideClass blocks_ = nullptr;
};

TEST(Auto, StaysWithMultiBagsWhileFuturesAreStructured) {
  Watch watch;
  const Execution execution({Future("f", {}), Get("f"), Finish({Future("g", {})})}, {&watch});
  EXPECT_STREQ(watch.Engine().Name(), "multibags");
  EXPECT_EQ(watch.Engine().Left(), nullptr);
}
TEST(Auto, GoesOnWithDoneSetsWhenAFutureIsGotBySomebodyWhoDoesNotFollowItsCreator) {
  Watch watch;
  const Execution execution({Async({Future("f", {})}), Get("f")}, {&watch});
  EXPECT_STREQ(watch.Engine().Name(), "donesets");
  EXPECT_EQ(watch.Engine().Left(), &reasons::kCreatorIsParallel);
}
TEST(Auto, GoesOnWithDoneSetsWhenAFutureIsGotAgain) {
  Watch watch;
  const Execution execution({Future("f", {}), Async({Get("f")}), Async({Get("f")})}, {&watch});
  EXPECT_STREQ(watch.Engine().Name(), "donesets");
  EXPECT_EQ(watch.Engine().Left(), &reasons::kSecondGet);
}
TEST(Auto, SaysThatPromisesAreNotForIt) {
  Watch watch;
  const Execution execution({Set("p")}, {&watch});
  EXPECT_EQ(watch.Blocks(), &reasons::kPromise);
}

}  // namespace
}  // namespace taskrace::oracle
