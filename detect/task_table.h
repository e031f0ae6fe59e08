// The task table: the creator of each task, and where it was created. For reports.
// Thread rule: one thread. Cost: 8 bytes a task since it was last forgotten.
#pragma once

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
  // Forgets all but the root. Numbers are not used again.
  void Forget() {
    forgotten_ = Size() - 1;
    tasks_.Truncate(1);
  }

  // Requires: the task was not forgotten.
  TaskId Creator(TaskId task) const { return At(task).creator; }
  Where CreatedAt(TaskId task) const { return At(task).created_at; }
  // How many there were, with those that were forgotten.
  size_t Size() const { return tasks_.Size() + forgotten_; }
  size_t BytesUsed() const { return tasks_.BytesUsed(); }

 private:
  struct Task {
    TaskId creator;
    Where created_at;
  };
  static_assert(sizeof(Task) == 8);

  const Task& At(TaskId task) const {
    return tasks_[task == kRootTask ? 0 : Index(task) - forgotten_];
  }

  MappedArray<Task> tasks_;  // the root, and those that are not forgotten
  size_t forgotten_ = 0;
};

}  // namespace taskrace
