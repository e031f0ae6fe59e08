// The task table: who created each task, and where. For reports.
// Thread rule: one thread. Cost: 8 bytes a task since it was last forgotten,
// 12 more for one that is a thread of a team.
#pragma once

#include <algorithm>

#include "detect/ds/mapped_array.h"
#include "detect/reach/ids.h"
#include "report/race.h"

namespace taskrace {

class TaskTable {
 public:
  // A new task; the first one is the root, whose creator is itself.
  TaskId Add(TaskId creator, Where created_at) {
    tasks_.Append({creator, created_at});
    return TaskId{static_cast<uint32_t>(Size() - 1)};
  }
  // The task is what one thread of a team does between two barriers.
  struct Thread {
    uint32_t number;
    uint32_t team_size;  // 0: it is none
  };
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
    threads_.Truncate(0);
  }

  // Requires: the task was not forgotten.
  TaskId Creator(TaskId task) const { return At(task).creator; }
  Where CreatedAt(TaskId task) const { return At(task).created_at; }
  // How many there were, with those that were forgotten.
  size_t Size() const { return tasks_.Size() + forgotten_; }
  size_t BytesUsed() const { return tasks_.BytesUsed() + threads_.BytesUsed(); }

 private:
  struct Task {
    TaskId creator;
    Where created_at;
  };
  static_assert(sizeof(Task) == 8);
  struct TeamTask {
    TaskId task;
    Thread thread;
  };

  const Task& At(TaskId task) const {
    return tasks_[task == kRootTask ? 0 : Index(task) - forgotten_];
  }

  MappedArray<Task> tasks_;  // the root, and those that are not forgotten
  MappedArray<TeamTask> threads_{"the threads of teams"};  // in the order of the tasks
  size_t forgotten_ = 0;
};

}  // namespace taskrace
