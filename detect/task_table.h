// The task table: the creator of each task, and where it was created, for reports; and which tasks run.
// Thread rule: one thread. Cost: 8 1/8 bytes a task, until it is forgotten, 12 more for one that is a
// thread of a team.
// Tested by:  test/detect/task_table_test.cc
#pragma once

#include <algorithm>
#include <bit>

#include "detect/ds/mapped_array.h"
#include "detect/ds/sparse_array.h"
#include "detect/reach/ids.h"
#include "report/race.h"

namespace taskrace {

class TaskTable {
 public:
  // A new task, which runs; the first one is the root, whose creator is itself. `is_loop`: it stands for the
  // iterations of a loop.
  TaskId Add(TaskId creator, Where created_at, bool is_loop = false) {
    const size_t number = tasks_.Size();
    if (number % 64 == 0) running_.Append(0);
    running_[number / 64] |= Bit(number);
    tasks_.Append({creator, is_loop, created_at});
    return TaskId{static_cast<uint32_t>(Size() - 1)};
  }
  // The task has ended.
  void End(TaskId task) { running_[NumberOf(task) / 64] &= ~Bit(NumberOf(task)); }
  // Calls visit(task) for each that runs.
  template <class Visit>
  void ForEachRunning(Visit visit) {
    running_.ForEach([&](size_t word, uint64_t bits) {
      for (; bits != 0; bits &= bits - 1) {
        const size_t number = 64 * word + static_cast<size_t>(std::countr_zero(bits));
        visit(TaskId{static_cast<uint32_t>(number == 0 ? 0 : number + forgotten_)});
      }
    });
  }

  // The task is what one thread of a team does between two barriers.
  struct Thread {
    uint32_t number;
    uint32_t team_size;  // 0: it is none
  };
  // The size of the team of a thread that the program has started by itself.
  static constexpr uint32_t kNoTeam = UINT32_MAX;
  // Requires: no newer task is one.
  void SetThread(TaskId task, Thread thread) { threads_.Append({task, thread}); }
  Thread ThreadOf(TaskId task) const {
    const TeamTask* const end = threads_.Data() + threads_.Size();
    const TeamTask* const found =
        std::lower_bound(threads_.Data(), end, task,
                         [](const TeamTask& one, TaskId wanted) { return one.task < wanted; });
    return found == end || found->task != task ? Thread{0, 0} : found->thread;
  }
  // Forgets all but the root. Numbers are not used again.
  void Forget() {
    forgotten_ = Size() - 1;
    tasks_.Truncate(1);
    running_.Truncate(1);
    running_[0] = Bit(0);
    threads_.Truncate(0);
  }
  // The task is needed after ForgetOthers, and those that created it.
  void Keep(TaskId task) {
    while (tasks_.Keep(NumberOf(task)) && task != kRootTask) task = Creator(task);
  }
  bool IsKept(TaskId task) const { return tasks_.IsKept(NumberOf(task)); }
  void ForgetOthers() {
    size_t left = 0;
    for (size_t i = 0; i < threads_.Size(); ++i) {
      if (IsKept(threads_[i].task)) threads_[left++] = threads_[i];
    }
    threads_.Truncate(left);
    tasks_.ForgetOthers();
    running_.ForEach([&](size_t word, uint64_t bits) {
      if (bits != 0) running_.Keep(word);
    });
    running_.ForgetOthers();
  }

  // Requires: the task was not forgotten.
  TaskId Creator(TaskId task) const { return At(task).creator; }
  Where CreatedAt(TaskId task) const { return At(task).created_at; }
  bool IsLoop(TaskId task) const { return At(task).is_loop; }
  // How many there were, with those that were forgotten.
  size_t Size() const { return tasks_.Size() + forgotten_; }
  size_t BytesUsed() const {
    return tasks_.BytesUsed() + running_.BytesUsed() + threads_.BytesUsed();
  }

 private:
  struct Task {
    TaskId creator : 31;  // each task has two strands, which are numbers of 31 bits
    bool is_loop : 1;
    Where created_at;
  };
  static_assert(sizeof(Task) == 8);
  struct TeamTask {
    TaskId task;
    Thread thread;
  };

  static constexpr uint64_t Bit(size_t number) { return uint64_t{1} << (number % 64); }
  // In tables in which the root is followed by those that Forget has left.
  size_t NumberOf(TaskId task) const { return task == kRootTask ? 0 : Index(task) - forgotten_; }
  const Task& At(TaskId task) const { return tasks_[NumberOf(task)]; }

  SparseArray<Task> tasks_{"the tasks"};
  SparseArray<uint64_t> running_{"the tasks"};             // a bit a task
  MappedArray<TeamTask> threads_{"the threads of teams"};  // in the order of the tasks
  size_t forgotten_ = 0;
};

}  // namespace taskrace
