// Lattice2d: serial reachability for two-dimensional lattices, such as linear pipelines.
// Paper:      Dimitrov, Vechev and Sarkar, SPAA 2015, Figures 6, 8 and 9.
// Handles:    fork, and join of the left neighbour; serial fork-first execution.
// Invariant:  the tasks that nobody has joined form a line; a set of the forest is such a task and
//             all that were joined into it, and is `visited` iff they precede now (Theorem 4).
// Query:      u precedes now <=> SUP(u's task, t) = t <=> the set of u's task is visited.
// Cost:       O(alpha) amortised per event and query; 4 bytes a strand, 12 a task,
//             until Collect forgets them.
// Deviation:  whether SUP(x, t) is t is all that is asked, so sets are not named by their roots;
//             the history keeps the last writer and one real reader instead of two suprema: exact
//             too, and it names accesses that happened (Figure 6's On-Read tests R and would have
//             to test W). The bags are those of MultiBags; what the smaller class buys is the
//             single reader, and for its sake the left-neighbour rule is checked. The root's
//             implicit finish joins what is left of the line.
// Thread rule: one thread. After a reason was returned answers mean nothing; events stay harmless.
// Tested by:  test/oracle/lattice2d_agreement_test.cc, test/detect/lattice2d_test.cc
#pragma once

#include "detect/ds/disjoint_sets.h"
#include "detect/reach/reachability.h"

namespace taskrace {

class Lattice2d : public WithoutPromises {
 public:
  static constexpr const char* kName = "lattice2d";
  static constexpr bool kOneReader = true;
  // The root is the right end of the line and nobody's left neighbour.
  static constexpr TaskId kNobody = kRootTask;

  constexpr Lattice2d() = default;

  void OnStart(TaskId task, GroupId finish, StrandId strand) {
    first_strand_ = Index(strand);
    finish_ = finish;
    Make(task, kNobody);
    Enter(task, strand);
  }

  // x forks y:  L . x . R  ->  L . y . x . R
  OutsideClass OnCreate(TaskId task, TaskId child, How how, GroupId group, StrandId strand) {
    Make(child, LeftNeighbour(task));
    left_[Index(task)] = child;
    Enter(child, strand);
    if (how == How::kFork) return nullptr;
    return how == How::kFuture ? &reasons::kFuture : &reasons::kNoFork;
  }

  // x halts, a stop-arc:  x.visited = FALSE
  OutsideClass OnEnd(TaskId task) {
    if (task != kRootTask) forest_.Relabel(Index(task), kUnvisited);
    return nullptr;
  }

  void OnProceed(TaskId task, StrandId strand) { Enter(task, strand); }
  OutsideClass OnOpen(TaskId task, GroupId finish, StrandId strand) {
    Enter(task, strand);
    return &reasons::kNoFork;
  }

  // The end of the program: x joins its left neighbours, one by one.
  OutsideClass OnJoin(TaskId task, GroupId group, How how, std::span<const TaskId> singles,
                      StrandId strand) {
    if (group == finish_) {
      while (LeftNeighbour(task) != kNobody) JoinLeftNeighbour(task);
    }
    Enter(task, strand);
    return nullptr;
  }

  // x joins y:  L . y . x . R  ->  L . x . R
  OutsideClass OnGet(TaskId task, TaskId child, How how, StrandId strand) {
    const bool in_class = LeftNeighbour(task) == child;
    if (in_class) JoinLeftNeighbour(task);
    Enter(task, strand);
    return in_class ? nullptr : &reasons::kNotTheLeftNeighbour;
  }

  bool Precedes(StrandId u) { return IsVisited(TaskOf(u)); }

  // Do the strands of the task precede now?
  bool IsVisited(TaskId task) { return forest_.LabelOf(Index(task)) == kVisited; }

  // Whom the task may join, or kNobody. Requires: nobody has joined the task.
  TaskId LeftNeighbour(TaskId task) const { return left_[Index(task)]; }

  TaskId TaskOf(StrandId u) const { return task_of_[Index(u) - first_strand_]; }

  // The tasks that run are on the line.
  template <class Roots>
  void Collect(const Roots& roots) {
    roots.ForEachStrand([this](StrandId u) {
      if (task_of_.Keep(Index(u) - first_strand_)) forest_.Keep(Index(TaskOf(u)));
    });
    TaskId task = kRootTask;
    do {
      left_.Keep(Index(task));
      forest_.Keep(Index(task));
      task = LeftNeighbour(task);
    } while (task != kNobody);
    left_.ForgetOthers();
    forest_.ForgetOthers();
    task_of_.ForgetOthers();
  }

  size_t BytesUsed() const {
    return forest_.BytesUsed() + left_.BytesUsed() + task_of_.BytesUsed();
  }

 private:
  enum Label : uint8_t { kUnvisited, kVisited };

  // The last-arc (y, x):  UNION(x, y)
  void JoinLeftNeighbour(TaskId task) {
    const TaskId joined = LeftNeighbour(task);
    forest_.Union(Index(task), Index(joined));
    left_[Index(task)] = LeftNeighbour(joined);
  }

  void Make(TaskId task, TaskId left) {
    DisjointSets::Element made = forest_.Make(kVisited);
    DCHECK(made == Index(task), "tasks are not numbered in order of creation");
    left_.Append(left);
  }
  void Enter(TaskId task, StrandId strand) {
    DCHECK(Index(strand) - first_strand_ == task_of_.Size(), "strands are not numbered in order");
    task_of_.Append(task);
  }

  DisjointSets forest_;  // of tasks
  // The line: a list is enough, since all is inserted and removed directly left of a given task.
  SparseArray<TaskId> left_{"the line of tasks"};
  SparseArray<TaskId> task_of_{"the strands"};
  uint32_t first_strand_ = 0;
  GroupId finish_ = kNoGroup;  // the root's
};
static_assert(Reachability<Lattice2d>);

}  // namespace taskrace
