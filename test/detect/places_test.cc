// Places against brute force, on random programs with every construct that are run by a scheduler
// that may take any task at any time; and the programs that make pruning hard.
#include "detect/reach/places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace taskrace {
namespace {

constexpr size_t kMostStrands = 256;

// Runs tasks, draws the dag, tells the places, and takes down all classes after every event.
class Program {
 public:
  Program() {
    groups.resize(2);
    tasks.push_back({.group = 0, .joins = {1}});
    places.OnStart(kRootTask);
    Begin(0, {});
  }

  // Each returns the number of the strand that begins.
  uint32_t Create(uint32_t task, How how, uint32_t group) {
    const auto child = static_cast<uint32_t>(tasks.size());
    tasks.push_back({.creator = task, .group = group, .finish = InnermostFinish(task)});
    groups[group].unjoined.push_back(child);
    if (IsSingle(how)) singles.push_back(child);
    places.OnCreate(TaskId{task}, TaskId{child}, how, GroupId{group});
    return Begin(child, {tasks[task].last});
  }
  uint32_t Proceed(uint32_t task) { return Begin(task, {tasks[task].last}); }
  void End(uint32_t task) {
    tasks[task].ended = true;
    places.OnEnd(TaskId{task});
    TakeDown();
  }
  uint32_t NewGroup(uint32_t task, bool is_finish) {
    const auto group = static_cast<uint32_t>(groups.size());
    groups.push_back({.is_finish = is_finish});
    tasks[task].joins.push_back(group);
    return group;
  }
  // Requires: IsJoinable(group)
  uint32_t Join(uint32_t task, uint32_t group) {
    std::vector<uint32_t> predecessors = {tasks[task].last};
    for (uint32_t child : groups[group].unjoined) predecessors.push_back(tasks[child].last);
    groups[group].unjoined.clear();
    places.OnJoin(TaskId{task}, GroupId{group}, NextStrand());
    return Begin(task, predecessors);
  }
  // Requires: the child has ended.
  uint32_t Get(uint32_t task, uint32_t child) {
    return Begin(task, {tasks[task].last, tasks[child].last});
  }
  // Returns the promise, which the current strand has set.
  uint32_t Set(uint32_t task) {
    places.OnSet(TaskId{task}, StrandId{tasks[task].last});
    promises.push_back(tasks[task].last);
    TakeDown();
    return tasks[task].last;
  }
  uint32_t GetPromise(uint32_t task, uint32_t promise) {
    places.OnGet(TaskOf(promise), TaskId{task}, NextStrand());
    return Begin(task, {tasks[task].last, promise});
  }

  // Nobody gets the promise after this.
  void Over(uint32_t promise) {
    std::erase(promises, promise);
    places.OnOver(TaskOf(promise));
    TakeDown();
  }

  bool IsJoinable(uint32_t group) const {
    return std::ranges::all_of(groups[group].unjoined,
                               [this](uint32_t child) { return tasks[child].ended; });
  }
  uint64_t ClassOf(uint32_t strand) { return places.ClassOf(StrandId{strand}, TaskOf(strand)); }
  TaskId TaskOf(uint32_t strand) const { return task_of_[strand]; }
  uint32_t InnermostFinish(uint32_t task) const {
    const std::vector<uint32_t>& joins = tasks[task].joins;
    const auto finish = std::find_if(joins.rbegin(), joins.rend(),
                                     [this](uint32_t group) { return groups[group].is_finish; });
    return finish != joins.rend() ? *finish : tasks[task].finish;
  }

  // How often two strands had one class; fails if a later strand tells them apart.
  size_t ExpectEquivalence() const {
    std::vector<std::bitset<kMostStrands>> follow(before_.size());
    for (size_t w = 1; w < before_.size(); ++w) {
      for (size_t u = 1; u <= w; ++u) follow[u][w] = u == w || before_[w][u];
    }
    size_t pairs = 0;
    for (const Moment& moment : moments_) {
      std::map<uint64_t, uint32_t> first;
      for (uint32_t u = 1; u < moment.classes.size(); ++u) {
        const auto [found, is_new] = first.try_emplace(moment.classes[u], u);
        if (is_new) continue;
        ++pairs;
        const uint32_t v = found->second;
        EXPECT_TRUE(((follow[u] ^ follow[v]) >> moment.from).none())
            << "strands " << v << " and " << u << " are one before " << moment.from;
      }
    }
    return pairs;
  }

  struct Task {
    uint32_t creator = 0;
    uint32_t group;
    uint32_t finish = 1;               // around it when it was created
    std::vector<uint32_t> joins = {};  // the groups that it has open, the newest last
    uint32_t last = 0;                 // strand
    bool ended = false;
  };
  struct Group {
    bool is_finish = true;
    std::vector<uint32_t> unjoined = {};
  };

  std::vector<Task> tasks;
  std::vector<Group> groups;
  std::vector<uint32_t> singles;
  std::vector<uint32_t> promises;  // the strands that set them
  Places places;

 private:
  // What a moment must be true of: the strands from `from` on.
  struct Moment {
    size_t from;
    std::vector<uint64_t> classes;  // of the strands so far
  };

  StrandId NextStrand() const { return StrandId{static_cast<uint32_t>(before_.size())}; }

  uint32_t Begin(uint32_t task, const std::vector<uint32_t>& predecessors) {
    const auto strand = static_cast<uint32_t>(before_.size());
    before_.emplace_back();
    for (uint32_t p : predecessors) {
      before_[strand] |= before_[p];
      before_[strand].set(p);
    }
    task_of_.push_back(TaskId{task});
    tasks[task].last = strand;
    TakeDown();
    moments_.back().from = strand;
    return strand;
  }

  void TakeDown() {
    Moment moment{before_.size(), {}};
    for (uint32_t u = 0; u < before_.size(); ++u) moment.classes.push_back(ClassOf(u));
    moments_.push_back(std::move(moment));
  }

  std::vector<std::bitset<kMostStrands>> before_{1};  // strand 0 is nobody's
  std::vector<TaskId> task_of_{kRootTask};
  std::vector<Moment> moments_;
};

struct Constructs {
  bool futures;
  bool promises;
  // Promises that mostly the setter's creator gets, and that nobody gets after a while.
  bool over = false;
};

// Any task that can go on may be the next to do so.
class RandomRun {
 public:
  RandomRun(uint32_t seed, Constructs constructs) : rng_(seed), constructs_(constructs) {
    int left = 40 + Below(40);
    while (!program_.tasks[0].joins.empty()) {
      const uint32_t task = Below(static_cast<uint32_t>(program_.tasks.size()));
      if (program_.tasks[task].ended) continue;
      if (left > 0 && Below(4) != 0) {
        Act(task);
        --left;
      } else {
        WindDown(task, left > 0);
      }
    }
  }
  size_t ExpectEquivalence() const { return program_.ExpectEquivalence(); }

 private:
  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>(rng_() % bound); }
  template <class T>
  const T& OneOf(const std::vector<T>& all) {
    return all[Below(static_cast<uint32_t>(all.size()))];
  }

  void Create(uint32_t task, How how, uint32_t group) {
    program_.Create(task, how, group);
    program_.Proceed(task);
  }

  void Act(uint32_t task) {
    switch (Below(10)) {
      case 0:
      case 1:
      case 2: {
        std::vector<uint32_t> scopes;
        for (uint32_t group : program_.tasks[task].joins) {
          if (program_.groups[group].is_finish) {
            scopes.clear();
          } else {
            scopes.push_back(group);
          }
        }
        const bool is_new = scopes.empty() || Below(4) == 0;
        Create(task, How::kSpawn, is_new ? program_.NewGroup(task, false) : OneOf(scopes));
        break;
      }
      case 3:
      case 4:
        Create(task, How::kAsync, program_.InnermostFinish(task));
        break;
      case 5:
        program_.NewGroup(task, true);
        program_.Proceed(task);
        break;
      case 6:
        if (constructs_.futures) {
          Create(task, Below(2) == 0 ? How::kFuture : How::kFork, program_.InnermostFinish(task));
        }
        break;
      case 7: {
        if (program_.singles.empty()) break;
        const uint32_t single = OneOf(program_.singles);
        if (program_.tasks[single].ended) program_.Get(task, single);
        break;
      }
      case 8:
        if (constructs_.promises && Below(2) == 0) {
          program_.Set(task);
          program_.Proceed(task);
        }
        break;
      case 9:
        if (program_.promises.empty()) break;
        if (constructs_.over) return GetAndLetGo(task, OneOf(program_.promises));
        program_.GetPromise(task, OneOf(program_.promises));
        break;
    }
  }

  void GetAndLetGo(uint32_t task, uint32_t promise) {
    const uint32_t creator = program_.tasks[Index(program_.TaskOf(promise))].creator;
    if (Below(8) != 0) task = creator;
    if (Below(8) != 0 && !program_.tasks[task].ended) program_.GetPromise(task, promise);
    if (Below(2) == 0) program_.Over(promise);
  }

  // The task joins its newest group, perhaps to use it again, or ends.
  void WindDown(uint32_t task, bool may_use_again) {
    std::vector<uint32_t>& joins = program_.tasks[task].joins;
    if (joins.empty()) return program_.End(task);
    const uint32_t group = joins.back();
    if (!program_.IsJoinable(group) || (group == 1 && may_use_again)) return;
    program_.Join(task, group);
    const bool is_finish = program_.groups[group].is_finish;
    if (is_finish || !may_use_again || Below(2) == 0) joins.pop_back();
  }

  std::mt19937 rng_;
  Constructs constructs_;
  Program program_;
};

void ExpectEquivalenceInRandomPrograms(Constructs constructs) {
  const uint32_t programs = std::getenv("TASKRACE_LONG") != nullptr ? 20'000 : 400;
  size_t pairs = 0;
  for (uint32_t seed = 1; seed <= programs && !testing::Test::HasFailure(); ++seed) {
    pairs += RandomRun(seed, constructs).ExpectEquivalence();
    EXPECT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(pairs, 50u * programs) << "hardly anything was found to be equivalent";
}

TEST(Places, EqualClassesStayEquivalentWithScopesAndFinishes) {
  ExpectEquivalenceInRandomPrograms({.futures = false, .promises = false});
}
TEST(Places, EqualClassesStayEquivalentWithFutures) {
  ExpectEquivalenceInRandomPrograms({.futures = true, .promises = false});
}
TEST(Places, EqualClassesStayEquivalentWithPromises) {
  ExpectEquivalenceInRandomPrograms({.futures = false, .promises = true});
}
TEST(Places, EqualClassesStayEquivalentWithEverything) {
  ExpectEquivalenceInRandomPrograms({.futures = true, .promises = true});
}

TEST(Places, EqualClassesStayEquivalentWherePromisesAreOver) {
  ExpectEquivalenceInRandomPrograms({.futures = false, .promises = true, .over = true});
}
TEST(Places, EqualClassesStayEquivalentWithEverythingWherePromisesAreOver) {
  ExpectEquivalenceInRandomPrograms({.futures = true, .promises = true, .over = true});
}

TEST(Places, TheEndedTasksOfAGroupAreOneAndThenOneWithTheirJoin) {
  Program program;
  const uint32_t scope = program.NewGroup(0, false);
  const uint32_t first = program.Create(0, How::kSpawn, scope);
  EXPECT_EQ(program.ClassOf(first), first);
  program.End(1);
  const uint32_t between = program.Proceed(0);
  const uint32_t second = program.Create(0, How::kSpawn, scope);
  EXPECT_NE(program.ClassOf(first), program.ClassOf(second));
  program.End(2);
  EXPECT_EQ(program.ClassOf(first), program.ClassOf(second));
  EXPECT_NE(program.ClassOf(first), program.ClassOf(between));
  const uint32_t join = program.Join(0, scope);
  EXPECT_EQ(program.ClassOf(first), join);
  EXPECT_EQ(program.ClassOf(second), join);
}

TEST(Places, ChildrenOfAScopeBeforeAndAfterItsSyncAreApart) {
  Program program;
  const uint32_t scope = program.NewGroup(0, false);
  const uint32_t first = program.Create(0, How::kSpawn, scope);
  program.End(1);
  program.Join(0, scope);
  const uint32_t second = program.Create(0, How::kSpawn, scope);
  program.End(2);
  EXPECT_NE(program.ClassOf(first), program.ClassOf(second));
}

TEST(Places, ATaskAndAllThatItHasJoinedAreOneWhenItEnds) {
  Program program;
  const uint32_t outer = program.NewGroup(0, false);
  const uint32_t first = program.Create(0, How::kSpawn, outer);
  const uint32_t inner = program.NewGroup(1, false);
  const uint32_t leaf = program.Create(1, How::kSpawn, inner);
  program.End(2);
  const uint32_t join = program.Join(1, inner);
  EXPECT_NE(program.ClassOf(first), program.ClassOf(leaf));
  program.End(1);
  EXPECT_EQ(program.ClassOf(first), program.ClassOf(leaf));
  EXPECT_EQ(program.ClassOf(join), program.ClassOf(leaf));
}

// T{finish{A{read;set p}; B{read}}}; W{read;set q}; U{get p;get q;write}
TEST(Places, ATaskThatHasSetAPromiseIsApartFromItsSiblings) {
  Program program;
  program.Create(0, How::kAsync, 1);
  const uint32_t finish = program.NewGroup(1, true);
  const uint32_t a = program.Create(1, How::kAsync, finish);
  program.Set(2);
  program.Proceed(2);
  program.End(2);
  const uint32_t b = program.Create(1, How::kAsync, finish);
  program.End(3);
  program.Join(1, finish);
  program.End(1);
  EXPECT_NE(program.ClassOf(a), program.ClassOf(b));
}

// F = fut{spawn{read x; G = fut{}}; read x; sync}; read x; get G; write x
TEST(Places, ATaskThatHasMadeAFutureIsApartFromItsJoin) {
  Program program;
  program.Create(0, How::kFuture, 1);
  const uint32_t scope = program.NewGroup(1, false);
  const uint32_t spawned = program.Create(1, How::kSpawn, scope);
  program.Create(2, How::kFuture, 1);
  program.End(3);
  program.End(2);
  const uint32_t join = program.Join(1, scope);
  EXPECT_NE(program.ClassOf(spawned), program.ClassOf(join));
}

TEST(Places, ATaskWhoseAsyncOutlivesItsScopeIsApartFromTheSync) {
  Program program;
  const uint32_t scope = program.NewGroup(0, false);
  const uint32_t spawned = program.Create(0, How::kSpawn, scope);
  const uint32_t async = program.Create(1, How::kAsync, 1);
  program.End(2);
  program.End(1);
  const uint32_t sync = program.Join(0, scope);
  EXPECT_NE(program.ClassOf(spawned), program.ClassOf(sync));
  const uint32_t finish = program.Join(0, 1);
  EXPECT_EQ(program.ClassOf(async), finish);
}

TEST(Places, ATaskWhoseChildIsSwitchedOutIsApartFromItsGroup) {
  Program program;
  const uint32_t parent = program.Create(0, How::kAsync, 1);
  const uint32_t child = program.Create(1, How::kAsync, 1);
  program.End(1);
  program.Set(2);
  program.End(2);
  const uint32_t join = program.Join(0, 1);
  EXPECT_NE(program.ClassOf(parent), program.ClassOf(join));
  EXPECT_NE(program.ClassOf(child), program.ClassOf(join));
}

// async{ first; async{ child; set p; tail }; get p; p is over; set q; last }
struct PromisedChild {
  Program program;
  uint32_t first = program.Create(0, How::kAsync, 1);
  uint32_t child = program.Create(1, How::kAsync, 1);
  uint32_t inside = program.Proceed(2);
  uint32_t promise = program.Set(2);
  uint32_t tail = program.Proceed(2);
};

TEST(Places, AnEndedTaskIsOneWithItsSet) {
  PromisedChild run;
  EXPECT_NE(run.program.ClassOf(run.child), run.program.ClassOf(run.inside));
  run.program.End(2);
  EXPECT_EQ(run.program.ClassOf(run.child), run.promise);
  EXPECT_EQ(run.program.ClassOf(run.inside), run.promise);
  EXPECT_EQ(run.program.ClassOf(run.tail), run.tail);
}
TEST(Places, ATaskWhosePromiseIsOverIsOneWithTheGet) {
  PromisedChild run;
  run.program.End(2);
  const uint32_t get = run.program.GetPromise(1, run.promise);
  EXPECT_EQ(run.program.ClassOf(run.child), run.promise);
  run.program.Over(run.promise);
  EXPECT_EQ(run.program.ClassOf(run.child), get);
  EXPECT_EQ(run.program.ClassOf(run.tail), run.tail);
  const uint32_t set = run.program.Set(1);
  run.program.Proceed(1);
  run.program.End(1);
  EXPECT_EQ(run.program.ClassOf(run.child), set);
  EXPECT_EQ(run.program.ClassOf(run.first), set);
}
TEST(Places, ATaskThatIsGotTwiceIsOneWithTheFirstGet) {
  PromisedChild run;
  run.program.End(2);
  const uint32_t get = run.program.GetPromise(1, run.promise);
  run.program.Create(1, How::kAsync, 1);
  run.program.GetPromise(1, run.promise);
  run.program.Over(run.promise);
  EXPECT_EQ(run.program.ClassOf(run.child), get);
}
TEST(Places, APromiseMayBeOverBeforeItsSetterEnds) {
  PromisedChild run;
  const uint32_t get = run.program.GetPromise(1, run.promise);
  run.program.Over(run.promise);
  EXPECT_EQ(run.program.ClassOf(run.child), run.child);
  run.program.End(2);
  EXPECT_EQ(run.program.ClassOf(run.child), get);
}
TEST(Places, ATaskWhosePromiseNobodyGotIsOneWithItsGroup) {
  PromisedChild run;
  run.program.Over(run.promise);
  run.program.End(2);
  EXPECT_EQ(run.program.ClassOf(run.child), run.program.ClassOf(run.tail));
}
TEST(Places, ATaskWhosePromiseAStrangerGotIsOneWithItsSetOnly) {
  PromisedChild run;
  run.program.GetPromise(0, run.promise);
  run.program.GetPromise(1, run.promise);
  run.program.Over(run.promise);
  run.program.End(2);
  EXPECT_EQ(run.program.ClassOf(run.child), run.promise);
  run.program.End(1);
  EXPECT_EQ(run.program.ClassOf(run.first), run.first);
}
TEST(Places, ATaskWhoseGetComesAfterItsJoinIsOneWithItsSetOnly) {
  Program program;
  const uint32_t scope = program.NewGroup(0, false);
  const uint32_t child = program.Create(0, How::kSpawn, scope);
  const uint32_t promise = program.Set(1);
  program.End(1);
  program.Join(0, scope);
  program.GetPromise(0, promise);
  program.Over(promise);
  EXPECT_EQ(program.ClassOf(child), promise);
}

TEST(Places, AMillionTasksOfAFinishAreOneClassAndTakeTwelveBytesEach) {
  constexpr uint32_t kTasks = 1'000'000;
  Places places;
  places.OnStart(kRootTask);
  for (uint32_t i = 1; i <= kTasks; ++i) {
    places.OnCreate(kRootTask, TaskId{i}, How::kAsync, GroupId{1});
    places.OnEnd(TaskId{i});
  }
  const StrandId join{3 * kTasks};
  places.OnJoin(kRootTask, GroupId{1}, join);
  for (uint32_t i = 1; i <= kTasks; ++i) {
    ASSERT_EQ(places.ClassOf(StrandId{2 * i}, TaskId{i}), Index(join));
  }
  EXPECT_LE(places.BytesUsed(), 12u * kTasks + 100);
}

// spawn{ spawn{ ... } sync } sync: the longest path there can be.
TEST(Places, AHundredThousandNestedTasksAreOneClass) {
  constexpr uint32_t kDepth = 100'000;
  Places places;
  places.OnStart(kRootTask);
  for (uint32_t i = 1; i <= kDepth; ++i) {
    places.OnCreate(TaskId{i - 1}, TaskId{i}, How::kSpawn, GroupId{i + 1});
  }
  for (uint32_t i = kDepth; i > 0; --i) {
    places.OnEnd(TaskId{i});
    places.OnJoin(TaskId{i - 1}, GroupId{i + 1}, StrandId{3 * kDepth - i});
  }
  for (uint32_t i = kDepth; i > 0; --i) {
    ASSERT_EQ(places.ClassOf(StrandId{i + 1}, TaskId{i}), 3 * kDepth - 1);
  }
}

}  // namespace
}  // namespace taskrace
