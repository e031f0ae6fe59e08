// LoopTable: the iterations of parallel loops, as strands.
//
// Idea:       to the engine a loop is one child of its creator, which ends at once and is joined when the loop
//             ends: its strand stands for all iterations. To the history each iteration is a strand of
//             its own, with a number from kFirstIteration on. The numbers of a loop are handed out one by
//             one as its iterations begin; a piece is a run of iterations with consecutive numbers.
//             An iteration that reaches a construct becomes a task, another child of the creator: its
//             first strand keeps its number, and the table has the task's first strand for it.
//
//               parallel_for(0, 3, f)    task 1, strand 5: all iterations    piece: 0x80000007.. = 0, 1, 2
//               f(1) spawns              task 2, strand 7                    0x80000008 -> 7
//
// Invariant:  1. Numbers of pieces, and of iterations that became tasks, rise in the order of the tables.
//             2. An iteration that has run and is in no table precedes all that comes (Forget).
// Thread rule: one thread.
// Cost:       24 bytes a loop, 16 a piece, 12 an iteration that became a task, until they are forgotten. A question costs a search by halves,
//             or a comparison if it is about the same piece as the one before.
// Tested by:  test/detect/loop_table_test.cc, test/oracle/whole_detector_test.cc
#pragma once

#include <algorithm>
#include <cstdint>

#include "detect/ds/check.h"
#include "detect/ds/sparse_array.h"
#include "detect/reach/ids.h"

namespace taskrace {

class LoopTable {
 public:
  struct Loop {
    StrandId strand;  // stands for all iterations that are no tasks
    TaskId task;      // whose strand that is
    int64_t index;    // what reports call iteration 0
    uint64_t count;
  };

  // A loop begins. Returns its number, which is valid until it ends, or longer if one of its iterations is kept.
  uint32_t Add(const Loop& loop) {
    running_.Append(static_cast<uint32_t>(loops_.Size()));
    loops_.Append(loop);
    ++loops_ever_;
    iterations_ever_ += loop.count;
    return static_cast<uint32_t>(loops_.Size() - 1);
  }
  // The loop ends.
  void End(uint32_t loop) {
    size_t at = running_.Size() - 1;
    while (running_[at] != loop) --at;
    running_[at] = running_.Back();
    running_.PopBack();
  }
  // The number for the next iteration.
  StrandId Next() const { return next_; }
  // How many numbers are left.
  uint64_t Left() const { return uint64_t{Index(kLastStrand)} + 1 - Index(next_); }
  // The iterations [k, k + count) of the loop get the next numbers; returns the first. Requires: they are left.
  StrandId Take(uint32_t loop, uint64_t k, uint64_t count) {
    const StrandId first = next_;
    if (first_of_piece_ == kNoPiece || pieces_.Back().loop != loop ||
        pieces_.Back().k + (Index(first) - Index(first_of_piece_)) != k) {
      pieces_.Append({first, loop, k});
      first_of_piece_ = first;
      found_ = {};
    }
    next_ = StrandId{Index(next_) + static_cast<uint32_t>(count)};
    return first;
  }
  // The same for one more iteration of the newest piece.
  StrandId TakeNext() {
    const StrandId taken = next_;
    next_ = StrandId{Index(next_) + 1};
    return taken;
  }
  // The iteration, which runs, is the first strand of a task from now on.
  void BecomesTask(StrandId iteration, StrandId strand, TaskId task) {
    tasks_.Append({iteration, strand, task});
    ++tasks_ever_;
    first_of_piece_ = kNoPiece;  // others are no more like it
  }
  // The first iteration of the newest piece: all since then are of the same loop, and no tasks.
  StrandId FirstOfPiece() const { return first_of_piece_; }

  const Loop& operator[](uint32_t loop) const { return loops_[loop]; }
  // The strand that the engine knows for the iteration. Requires: !IsForgotten(u).
  StrandId EngineStrand(StrandId u) {
    if (const Task* task = TaskWith(u)) return task->strand;
    return loops_[PieceWith(u).loop].strand;
  }
  TaskId TaskOf(StrandId u) const {
    if (const Task* task = TaskWith(u)) return task->task;
    return loops_[FindPiece(u).loop].task;
  }
  // All iterations of one piece that are no tasks are alike to strands outside.
  struct Piece {
    StrandId first;
    uint32_t loop;
    uint64_t k;
  };
  // Which iteration of its loop it is, as reports call it.
  int64_t NumberOf(StrandId u) const {
    const Piece& piece = FindPiece(u);
    return loops_[piece.loop].index +
           static_cast<int64_t>(piece.k + (Index(u) - Index(piece.first)));
  }
  // The same for a task that was an iteration. False: it was none.
  bool NumberOf(TaskId task, int64_t& number) const {
    const Task* const end = tasks_.Data() + tasks_.Size();
    const Task* const found = std::lower_bound(
        tasks_.Data(), end, task, [](const Task& t, TaskId wanted) { return t.task < wanted; });
    if (found == end || found->task != task) return false;
    number = NumberOf(found->iteration);
    return true;
  }

  // Calls visit(loop) for each that runs.
  template <class Visit>
  void ForEachRunning(Visit visit) const {
    for (size_t i = 0; i < running_.Size(); ++i) visit(loops_[running_[i]]);
  }
  // The iteration is needed after ForgetOthers, with its loop. Requires: !IsForgotten(u).
  void Keep(StrandId u) { KeepPiece(FindPiece(u)); }
  // Forgets all others, but for those that run or have become tasks for which is_kept(task) is true.
  template <class IsKept>
  void ForgetOthers(IsKept is_kept) {
    size_t left = 0;
    for (size_t i = 0; i < tasks_.Size(); ++i) {
      const Task task = tasks_[i];
      if (!is_kept(task.task)) continue;
      KeepPiece(FindPiece(task.iteration));
      tasks_[left++] = task;
    }
    tasks_.Truncate(left);
    if (!pieces_.Empty()) KeepPiece(pieces_.Back());
    left = 0;
    for (size_t i = 0; i < pieces_.Size(); ++i) {
      if (pieces_.IsKept(i)) pieces_[left++] = pieces_[i];
    }
    pieces_.KeepAll();
    pieces_.Truncate(left);
    for (size_t i = 0; i < running_.Size(); ++i) loops_.Keep(running_[i]);
    loops_.ForgetOthers();
    found_ = {};
  }

  // Does it precede all that comes?
  bool IsForgotten(StrandId u) const { return u < remembered_; }
  // No iteration runs, and all that have run precede whatever comes.
  void Forget() {
    loops_.Truncate(0);
    pieces_.Truncate(0);
    tasks_.Truncate(0);
    running_.Truncate(0);
    found_ = {};
    first_of_piece_ = kNoPiece;
    remembered_ = next_;
  }

  uint64_t LoopsEver() const { return loops_ever_; }
  uint64_t IterationsEver() const { return iterations_ever_; }
  uint64_t TasksEver() const { return tasks_ever_; }
  size_t BytesUsed() const {
    return loops_.BytesUsed() + pieces_.BytesUsed() + tasks_.BytesUsed() + running_.BytesUsed();
  }

 private:
  static constexpr StrandId kNoPiece{UINT32_MAX};
  static_assert(sizeof(Piece) == 16);
  struct Task {
    StrandId iteration;
    StrandId strand;  // the task's first
    TaskId task;
  };
  static_assert(sizeof(Task) == 12);

  const Task* TaskWith(StrandId u) const {
    const Task* const end = tasks_.Data() + tasks_.Size();
    const Task* const found = std::lower_bound(
        tasks_.Data(), end, u, [](const Task& t, StrandId wanted) { return t.iteration < wanted; });
    return found != end && found->iteration == u ? found : nullptr;
  }
  // The piece that the iteration is in, which is kept for the next question.
  const Piece& PieceWith(StrandId u) {
    if (u < found_.first || u >= found_.end) {
      const Piece& piece = FindPiece(u);
      const size_t next = static_cast<size_t>(&piece - pieces_.Data()) + 1;
      found_ = {piece.first, next < pieces_.Size() ? pieces_[next].first : next_, &piece};
      return piece;
    }
    return *found_.piece;
  }
  const Piece& FindPiece(StrandId u) const {
    DCHECK(!IsForgotten(u) && u < next_, "an iteration that is not in the table");
    const Piece* const begin = pieces_.Data();
    const Piece* const after =
        std::upper_bound(begin, begin + pieces_.Size(), u,
                         [](StrandId wanted, const Piece& piece) { return wanted < piece.first; });
    return after[-1];
  }
  void KeepPiece(const Piece& piece) {
    if (pieces_.Keep(static_cast<size_t>(&piece - pieces_.Data()))) loops_.Keep(piece.loop);
  }
  struct Found {
    StrandId first = kNoStrand;
    StrandId end = kNoStrand;
    const Piece* piece = nullptr;
  };

  SparseArray<Loop> loops_{"the loops"};
  SparseArray<Piece> pieces_{"the loops"};
  MappedArray<Task> tasks_{"the loops"};
  MappedArray<uint32_t> running_{"the loops"};  // their numbers
  StrandId next_ = kFirstIteration;
  StrandId remembered_ = kFirstIteration;
  StrandId first_of_piece_ = kNoPiece;  // kNoPiece: a new piece begins next
  Found found_;
  uint64_t loops_ever_ = 0;
  uint64_t iterations_ever_ = 0;
  uint64_t tasks_ever_ = 0;
};

}  // namespace taskrace
