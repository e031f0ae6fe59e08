// The class check of the engines against the rule in its plainest form.
#include <algorithm>
#include <map>
#include <vector>

#include "detect/reach/dpst_engine.h"
#include "detect/reach/sp_bags.h"
#include "detect/reach/sp_order.h"
#include "test/oracle/check.h"

namespace taskrace::oracle {
namespace {

// Counts events and remembers the first that left the class.
class FirstOutside : public Listener {
 public:
  static constexpr size_t kNever = SIZE_MAX;
  size_t At() const { return at_; }

  void OnStrand(const Dag&, const Oracle&, size_t, TaskId) override {}
  void OnAccess(const Oracle&, size_t, const Construct&, const std::set<unsigned>&) override {}
  void OnClear(const Construct&) override {}
  void OnRetire(const Oracle&, size_t, const Construct&, const std::set<unsigned>&) override {}
  void OnGet(TaskId, TaskId, How, StrandId) override {}
  void OnBlock(TaskId) override {}
  void OnSet(TaskId, PromiseId) override {}
  void OnGetPromise(TaskId, PromiseId, StrandId) override {}

 protected:
  void Event(bool outside) {
    ++events_;
    if (outside) at_ = std::min(at_, events_);
  }

 private:
  size_t events_ = 0;
  size_t at_ = kNever;
};

// A task's forks are joined in reverse order, its asyncs with itself: every
// unjoined child in a list.
class PlainRule final : public FirstOutside {
 public:
  void OnStart(TaskId, GroupId, StrandId) override { Event(false); }
  void OnCreate(TaskId task, TaskId child, How, GroupId group, StrandId) override {
    group_of_[child] = group;
    forks_[task].push_back(group);
    Event(false);
  }
  void OnEnd(TaskId task) override {
    const GroupId own = group_of_[task];
    Event(std::ranges::any_of(forks_[task], [own](GroupId g) { return g != own; }));
  }
  void OnProceed(TaskId, StrandId) override { Event(false); }
  void OnOpen(TaskId, GroupId, StrandId) override { Event(false); }
  void OnJoin(TaskId task, GroupId group, How, std::span<const TaskId>, StrandId) override {
    std::vector<GroupId>& forks = forks_[task];
    while (!forks.empty() && forks.back() == group) forks.pop_back();
    Event(std::ranges::find(forks, group) != forks.end());
  }

 private:
  std::map<TaskId, GroupId> group_of_;
  std::map<TaskId, std::vector<GroupId>> forks_;
};

// What the engine says; it hears of everything, also after it has left its class.
template <class Engine>
class EngineRule final : public FirstOutside {
 public:
  void OnStart(TaskId task, GroupId finish, StrandId strand) override {
    engine_.OnStart(task, finish, strand);
    Event(false);
  }
  void OnCreate(TaskId task, TaskId child, How how, GroupId group, StrandId strand) override {
    Event(engine_.OnCreate(task, child, how, group, strand) != nullptr);
  }
  void OnEnd(TaskId task) override { Event(engine_.OnEnd(task) != nullptr); }
  void OnProceed(TaskId task, StrandId strand) override {
    engine_.OnProceed(task, strand);
    Event(false);
  }
  void OnOpen(TaskId task, GroupId finish, StrandId strand) override {
    Event(engine_.OnOpen(task, finish, strand) != nullptr);
  }
  void OnJoin(TaskId task, GroupId group, How how, std::span<const TaskId> singles,
              StrandId strand) override {
    Event(engine_.OnJoin(task, group, how, singles, strand) != nullptr);
  }

 private:
  Engine engine_;
};

// The engine may be sure earlier, when two groups alternate, but never later, and never in vain.
template <class Engine>
bool Agree(const Body& program) {
  PlainRule plain;
  EngineRule<Engine> engine;
  Execution execution(program, {&plain, &engine});
  return engine.At() <= plain.At() &&
         (engine.At() == PlainRule::kNever) == (plain.At() == PlainRule::kNever);
}

TEST(ClassCheck, AgreesWithThePlainRuleOnAllSmallPrograms) {
  const Alphabet alphabet{.accesses = {}, .scopes = true, .finishes = true, .open_scopes = 2};
  size_t programs = 0;
  for (unsigned constructs = 0; constructs <= (IsLong() ? 6 : 5); ++constructs) {
    programs += ForEachProgram(alphabet, constructs, [](const Body& program) {
      EXPECT_TRUE(Agree<SpBags>(program)) << ToString(program);
      EXPECT_TRUE(Agree<SpOrder>(program)) << ToString(program);
      EXPECT_TRUE(Agree<DpstEngine>(program)) << ToString(program);
    });
  }
  RecordProperty("programs", std::to_string(programs));
}

TEST(ClassCheck, AgreesWithThePlainRuleOnRandomPrograms) {
  AnyProgram(kMixed, ProgramCount(), [](const Body& program, const Placement&) {
    const bool agree =
        Agree<SpBags>(program) && Agree<SpOrder>(program) && Agree<DpstEngine>(program);
    EXPECT_TRUE(agree) << ToString(program);
    return !agree;
  });
}

TEST(ClassCheck, LeavesTheClassWhenAnAsyncOutlivesItsScope) {
  PlainRule plain;
  EngineRule<SpBags> engine;
  const Body program{Finish({Scope({Spawn({Async({})})})})};
  Execution execution(program, {&plain, &engine});
  EXPECT_NE(engine.At(), PlainRule::kNever);
  EXPECT_EQ(engine.At(), plain.At());
}

TEST(ClassCheck, AnAsyncBeforeTheFirstSpawnOrAfterTheSyncIsHarmless) {
  EngineRule<SpBags> engine;
  const Body program{Finish({Async({}), Scope({Spawn({}), Sync(), Async({})})})};
  Execution execution(program, {&engine});
  EXPECT_EQ(engine.At(), PlainRule::kNever);
}

}  // namespace
}  // namespace taskrace::oracle
