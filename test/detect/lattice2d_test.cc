// The line of tasks and the visited flags of Lattice2d step by step, its class check, and what it
// costs. Answers are compared with the dag in test/oracle.
#include "detect/reach/lattice2d.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "test/detect/depth_first.h"

namespace taskrace {
namespace {

// The line from left to right, names of tasks by number; in brackets: unvisited.
std::string Line(Lattice2d& engine, const std::string& names) {
  std::string line;
  TaskId task = kRootTask;
  do {
    const std::string name(1, names[Index(task)]);
    line = (engine.IsVisited(task) ? name : "(" + name + ")") + (line.empty() ? "" : " ") + line;
    task = engine.LeftNeighbour(task);
  } while (task != Lattice2d::kNobody);
  return line;
}

struct Example {
  explicit Example(std::string task_names) : names(std::move(task_names)) {}
  std::string names;
  std::vector<std::string> lines;  // before each strand
  DepthFirst<Lattice2d> run{[this] { lines.push_back(Line(run.engine, names)); }};
};

// fork a { A }  B  fork c { join a  C }  D  join c
TEST(Lattice2d, InFigure2OnlyARacesWithD) {
  Example example("tac");
  DepthFirst<Lattice2d>& run = example.run;
  run.Start();
  StrandId in_a{};
  const TaskId a = run.Fork([&] { in_a = run.Strand(); });
  const StrandId in_b = run.Strand();
  StrandId in_c{};
  const TaskId c = run.Fork([&] {
    EXPECT_FALSE(run.engine.Precedes(in_a));
    EXPECT_EQ(run.Join(a), nullptr);
    in_c = run.Strand();
    EXPECT_TRUE(run.engine.Precedes(in_a));  // C is the supremum of A and B
    EXPECT_TRUE(run.engine.Precedes(in_b));
  });
  EXPECT_FALSE(run.engine.Precedes(in_a));  // now D
  EXPECT_TRUE(run.engine.Precedes(in_b));
  EXPECT_FALSE(run.engine.Precedes(in_c));
  EXPECT_EQ(run.Join(c), nullptr);
  EXPECT_TRUE(run.engine.Precedes(in_a));
  EXPECT_TRUE(run.engine.Precedes(in_c));
  const std::vector<std::string> expected = {"t", "a t", "(a) t", "(a) c t", "c t", "(c) t", "t"};
  EXPECT_EQ(example.lines, expected);
}

// The diagram of Figures 3, 4 and 7, which is a grid of 3 by 3, as the traversal printed
// there has it; its threads are {2}, {3}, {5}, {6} and {1, 4, 7, 8, 9}.
TEST(Lattice2d, TheGridOfFigure7IsWalkedAsPrinted) {
  Example example("12356");
  DepthFirst<Lattice2d>& run = example.run;
  std::string walk;
  const auto arc = [&](const std::string& text) { walk += "(" + text + ")"; };
  StrandId vertex[10] = {};
  const auto visit = [&](int number, const std::string& visited_before) {
    arc(std::to_string(number) + "," + std::to_string(number));
    vertex[number] = run.Strand();
    std::string before;
    for (int i = 1; i < number; ++i) {
      if (run.engine.Precedes(vertex[i])) before += std::to_string(i);
    }
    EXPECT_EQ(before, visited_before) << "at vertex " << number;
  };
  run.Start();
  visit(1, "");
  TaskId thread3, thread6;
  const TaskId thread2 = run.Fork([&] {
    arc("1,2");
    visit(2, "1");
    thread3 = run.Fork([&] {
      arc("2,3");
      visit(3, "12");
      arc("3,x");
    });
    arc("2,x");
  });
  arc("1,4");
  visit(4, "1");
  const TaskId thread5 = run.Fork([&] {
    run.Join(thread2);
    arc("2,5");
    arc("4,5");
    visit(5, "124");  // sup{1, 5} = 5; sup{3, 5} = 6, which nobody has visited
    thread6 = run.Fork([&] {
      run.Join(thread3);
      arc("3,6");
      arc("5,6");
      visit(6, "12345");
      arc("6,x");
    });
    arc("5,x");
  });
  arc("4,7");
  visit(7, "14");
  run.Join(thread5);
  arc("5,8");
  arc("7,8");
  visit(8, "12457");
  run.Join(thread6);
  arc("6,9");
  arc("8,9");
  visit(9, "12345678");
  EXPECT_EQ(walk,
            "(1,1)(1,2)(2,2)(2,3)(3,3)(3,x)(2,x)(1,4)(4,4)(2,5)(4,5)(5,5)"
            "(3,6)(5,6)(6,6)(6,x)(5,x)(4,7)(7,7)(5,8)(7,8)(8,8)(6,9)(8,9)(9,9)");
  const std::vector<std::string> expected = {"1",         "2 1",         "3 2 1",     "(3) 2 1",
                                             "(3) (2) 1", "(3) (2) 5 1", "(3) 5 1",   "(3) 6 5 1",
                                             "6 5 1",     "(6) 5 1",     "(6) (5) 1", "(6) 1",
                                             "1"};
  EXPECT_EQ(example.lines, expected);
  EXPECT_EQ(run.Outside(), nullptr);
}

// What Figure 10 shows on one example, whose drawing is not in our copy of the paper: the lines
// of task points that the rules of Figure 9 produce, for random programs.
TEST(Lattice2d, TheLineFollowsTheRulesOfFigure9) {
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    std::mt19937 rng(seed);
    DepthFirst<Lattice2d> run;
    std::vector<TaskId> line = {kRootTask};
    const auto expect_line = [&] {
      for (size_t i = 0; i < line.size(); ++i) {
        ASSERT_EQ(run.engine.LeftNeighbour(line[i]), i == 0 ? Lattice2d::kNobody : line[i - 1]);
        // Everything to the left has halted, everything to the right waits for its child.
        const bool halted = std::ranges::find(line, run.Task()) - line.begin() > ptrdiff_t(i);
        ASSERT_EQ(run.engine.IsVisited(line[i]), !halted);
      }
    };
    uint32_t tasks = 0;
    const std::function<void(int)> body = [&](int depth) {
      for (int steps = static_cast<int>(rng() % 5); steps > 0; --steps) {
        auto here = std::ranges::find(line, run.Task());
        if (rng() % 2 == 0 && depth < 5) {
          line.insert(here, TaskId{++tasks});
          run.Fork([&] { body(depth + 1); });
        } else if (here != line.begin()) {
          const TaskId left = *(here - 1);
          line.erase(here - 1);
          EXPECT_EQ(run.Join(left), nullptr);
        }
        expect_line();
      }
    };
    run.Start();
    body(0);
    run.JoinGroup(run.kRootFinish, How::kFinish);
    line = {kRootTask};
    expect_line();
    for (uint32_t u = 1; u <= Index(run.Strand()); ++u) {
      ASSERT_TRUE(run.engine.Precedes(StrandId{u}));
    }
    ASSERT_EQ(run.Outside(), nullptr);
  }
}

TEST(Lattice2d, AJoinOfAnybodyButTheLeftNeighbourLeavesTheClass) {
  DepthFirst<Lattice2d> run;
  run.Start();
  const TaskId first = run.Fork();
  run.Fork();
  EXPECT_EQ(run.Join(first), &reasons::kNotTheLeftNeighbour);
}

TEST(Lattice2d, ForksOfOneTaskAreJoinedFromRightToLeft) {
  DepthFirst<Lattice2d> run;
  run.Start();
  const TaskId first = run.Fork();
  const TaskId second = run.Fork();
  EXPECT_EQ(run.Join(second), nullptr);
  EXPECT_EQ(run.Join(first), nullptr);
}

TEST(Lattice2d, ASecondJoinLeavesTheClass) {
  DepthFirst<Lattice2d> run;
  run.Start();
  const TaskId fork = run.Fork();
  EXPECT_EQ(run.Join(fork), nullptr);
  EXPECT_EQ(run.Join(fork), &reasons::kNotTheLeftNeighbour);
}

TEST(Lattice2d, OtherConstructsLeaveTheClass) {
  const auto reason = [](auto construct) {
    DepthFirst<Lattice2d> run;
    run.Start();
    construct(run);
    return run.Outside();
  };
  using Run = DepthFirst<Lattice2d>;
  EXPECT_EQ(reason([](Run& run) { run.Create(How::kSpawn, run.NewGroup()); }), &reasons::kNoFork);
  EXPECT_EQ(reason([](Run& run) { run.Create(How::kAsync, run.kRootFinish); }), &reasons::kNoFork);
  EXPECT_EQ(reason([](Run& run) { run.Open(); }), &reasons::kNoFork);
  EXPECT_EQ(reason([](Run& run) { run.Future(); }), &reasons::kFuture);
  EXPECT_EQ(reason([](Run& run) { run.Fork(); }), nullptr);
}

TEST(Lattice2d, EventsAfterLeavingTheClassAreHarmless) {
  DepthFirst<Lattice2d> run;
  run.Start();
  const GroupId scope = run.NewGroup();
  std::vector<TaskId> tasks;
  run.Create(How::kSpawn, scope, [&] {
    tasks.push_back(run.Future());
    tasks.push_back(run.Fork([&] { run.Join(run.Task()); }));
    run.Open();
  });
  for (int again = 0; again < 2; ++again) {
    for (TaskId task : tasks) run.Get(task);
  }
  EXPECT_NE(run.Outside(), nullptr);
  run.JoinGroup(scope, How::kSync);
  run.JoinGroup(run.kRootFinish, How::kFinish, tasks);
  EXPECT_EQ(run.engine.TaskOf(run.Strand()), kRootTask);
}

TEST(Lattice2d, TheEndOfTheProgramJoinsAMillionForks) {
  constexpr uint32_t kForks = 1'000'000;
  DepthFirst<Lattice2d> run;
  run.Start();
  for (uint32_t i = 0; i < kForks; ++i) run.Fork();
  EXPECT_FALSE(run.engine.Precedes(StrandId{2}));
  EXPECT_EQ(run.JoinGroup(run.kRootFinish, How::kFinish), nullptr);
  EXPECT_TRUE(run.engine.Precedes(StrandId{2}));
}

// A pipeline of serial stages: item i in stage s joins item i - 1 in stage s, its left neighbour.
TEST(Lattice2d, APipelineOfAMillionTasksTakesTwelveBytesATaskAndFourAStrand) {
  constexpr uint32_t kItems = 250'000;
  constexpr uint32_t kStages = 4;
  DepthFirst<Lattice2d> run;
  run.Start();
  TaskId before[kStages] = {};
  const std::function<void(uint32_t)> stage = [&](uint32_t s) {
    if (before[s] != kRootTask) ASSERT_EQ(run.Join(before[s]), nullptr);
    before[s] = run.Task();
    if (s + 1 < kStages) run.Fork([&] { stage(s + 1); });
  };
  for (uint32_t i = 0; i < kItems; ++i) run.Fork([&] { stage(0); });
  EXPECT_LE(run.engine.BytesUsed(), (12u + 4 * 3) * kItems * kStages + 100);
}

}  // namespace
}  // namespace taskrace
