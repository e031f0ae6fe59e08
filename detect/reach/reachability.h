// Reachability: what every engine offers. It hears of each parallel construct, in execution order,
// and answers one question: does strand u, which ran earlier, precede the strand that runs now?
//
// Events (the model's engine.py has the same ones); `strand` is the one that begins with the event:
//   OnStart(task, finish, strand)               the root task begins, inside its implicit finish
//   OnCreate(task, child, how, group, strand)   `child` begins at once; `task` waits
//   OnEnd(task)                                 the task's last strand is over; then OnProceed of
//                                               its creator
//   OnProceed(task, strand)                     `task` goes on, nothing joined
//   OnOpen(task, finish, strand)                a finish begins
//   OnJoin(task, group, how, strand)            `task` goes on after the last strands of all
//                                               unjoined children of the group
// An event that leaves the engine's class returns why; everything else returns a null reason.
//
// Thread rule: serial engines are called by one thread. Cost: each engine's head says.
#pragma once

#include <concepts>
#include <cstddef>

#include "detect/reach/ids.h"

namespace taskrace {

enum class How : uint8_t { kSpawn, kAsync, kSync, kFinish };

// Null, or a sentence about what the program did that the engine is not exact for.
using OutsideClass = const char*;

template <class E>
concept Reachability =
    requires(E e, const E& asked, TaskId task, GroupId group, How how, StrandId strand) {
      { E::kName } -> std::convertible_to<const char*>;
      // True if one reader per location is enough in this engine's class (design: the reader rule).
      { E::kOneReader } -> std::convertible_to<bool>;
      e.OnStart(task, group, strand);
      { e.OnCreate(task, task, how, group, strand) } -> std::same_as<OutsideClass>;
      { e.OnEnd(task) } -> std::same_as<OutsideClass>;
      e.OnProceed(task, strand);
      e.OnOpen(task, group, strand);
      { e.OnJoin(task, group, how, strand) } -> std::same_as<OutsideClass>;
      { e.Precedes(strand) } -> std::same_as<bool>;
      { asked.TaskOf(strand) } -> std::same_as<TaskId>;
      { asked.BytesUsed() } -> std::convertible_to<size_t>;
    };

}  // namespace taskrace
