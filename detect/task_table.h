// The task table: who created each task, and where. For reports; nothing is ever removed.
// Thread rule: one thread. Cost: 8 bytes a task.
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
    return TaskId{static_cast<uint32_t>(tasks_.Size() - 1)};
  }

  TaskId Creator(TaskId task) const { return tasks_[Index(task)].creator; }
  Where CreatedAt(TaskId task) const { return tasks_[Index(task)].created_at; }
  size_t Size() const { return tasks_.Size(); }
  size_t BytesUsed() const { return tasks_.BytesUsed(); }

 private:
  struct Task {
    TaskId creator;
    Where created_at;
  };
  static_assert(sizeof(Task) == 8);

  MappedArray<Task> tasks_;
};

}  // namespace taskrace
