// Holdings: which locks the worker holds, on behalf of which task.
//
// One worker runs tasks that would run on many: a task may lock what a waiting creator of it holds.
// In a parallel run it would wait; here it continues, the lock is held twice, and only the first
// holding is real. Thread rule: the worker. Cost: O(locks held at once).
#pragma once

#include <cstdint>

#include "detect/ds/mapped_array.h"
#include "detect/reach/ids.h"

namespace taskrace {

enum class Holder { kNobody, kThisTask, kWaitingTask };

class Holdings {
 public:
  struct Released {
    bool really;      // the operating system's lock goes with it
    bool still_held;  // by the same task: a recursive lock
  };

  void Add(uintptr_t lock, TaskId task, bool really) { held_.Append({lock, task, really}); }

  // The youngest holding of the lock ends; a lock whose acquisition was not seen is
  // given back as it is.
  Released Remove(uintptr_t lock, TaskId task) {
    Released released{.really = true, .still_held = false};
    for (size_t i = held_.Size(); i-- > 0;) {
      if (held_[i].lock != lock) continue;
      released.really = held_[i].really;
      for (; i + 1 < held_.Size(); ++i) held_[i] = held_[i + 1];
      held_.PopBack();
      break;
    }
    released.still_held = HolderOf(lock, task) == Holder::kThisTask;
    return released;
  }

  Holder HolderOf(uintptr_t lock, TaskId task) const {
    Holder holder = Holder::kNobody;
    for (size_t i = 0; i < held_.Size(); ++i) {
      if (held_[i].lock != lock) continue;
      if (held_[i].task == task) return Holder::kThisTask;
      holder = Holder::kWaitingTask;
    }
    return holder;
  }

 private:
  struct Holding {
    uintptr_t lock;
    TaskId task;
    bool really;
  };

  MappedArray<Holding> held_{"held locks"};
};

}  // namespace taskrace
