// Reachability: the interface of every engine. An engine gets an event for each parallel construct, in
// execution order, and answers one question: does strand u, which ran earlier, precede the strand that runs now?
//
// Events; `strand` is the one that begins with the event:
//   OnStart(task, finish, strand)               the root task begins, inside its implicit finish
//   OnCreate(task, child, how, group, strand)   `child` begins at once; `task` waits. A spawn's
//                                               group is its scope, else the innermost finish
//   OnEnd(task)                                 the task's last strand has ended
//   OnProceed(task, strand)                     `task` continues, nothing joined (after create, set)
//   OnOpen(task, finish, strand)                a finish begins
//   OnJoin(task, group, how, singles, strand)   `task` continues after the last strands of all
//                                               children of the group that it has not joined yet.
//                                               singles: of a finish, the futures and forks among
//                                               them, in order of creation; it may contain some
//                                               that were got or joined before
//   OnGet(task, child, how, strand)             `task` continues after the last strand of `child`,
//                                               a future (kGet) or a fork (kJoin) that has ended
// and only where tasks can be switched (engine `promises`):
//   OnBlock(task)                               `task` cannot continue yet; another task does
//   OnSet(task, promise)                        the current strand of `task` sets the promise; then
//                                               OnProceed, perhaps after others have run
//   OnGetPromise(task, promise, strand)         `task` continues after the strand that set it
//   OnOver(promise)                             no task can get the promise any more. This event is
//                                               optional; no strand ends
// Engines that can compute it cheaply also have
//   IsSettled(u)                                true only if u precedes the strand that runs now
//   AllIsSettled(now)                           true only if all strands before `now`, which begins,
//                                               precede all later ones: they need not be remembered
//                                               any more
// Engines that can forget have
//   Collect(roots)                              of the strands that have ended, nobody will ask for others than those
//                                               that roots.ForEachStrand(visit) visits, and the tasks that run are
//                                               those that roots.ForEachRunning(visit) visits: memory for
//                                               all others is given back. The numbers of tasks and strands stay
// An event that leaves the engine's class returns why; everything else returns null.
//
// Without switching, OnEnd is followed by OnProceed of the task's creator. With switching, the
// task that continues is known by its next event. The strand before it is always the last one of that task.
//
// Example: { scope s; s.spawn(c); x; s.sync(); y }, task 0, child 1, strands from 1 on:
//   OnStart(0, f, 1)  OnCreate(0, 1, kSpawn, s, 2)  OnEnd(1)  OnProceed(0, 3)  OnJoin(0, s, kSync, {}, 4)
//   Strand 2 (c) does not precede 3 (x), but it precedes 4 (y).
//
// Thread rule: serial engines are called by one thread. Cost: each engine's head says.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include "detect/reach/ids.h"
#include "detect/reach/outside_class.h"

namespace taskrace {

enum class How : uint8_t { kSpawn, kAsync, kFuture, kFork, kSync, kFinish, kGet, kJoin };

// Tasks that are joined individually through a handle; the others are joined by their group.
constexpr bool IsSingle(How how) { return how == How::kFuture || how == How::kFork; }

template <class E>
concept Reachability = requires(E e, const E& asked, TaskId task, GroupId group, How how,
                                PromiseId promise, std::span<const TaskId> singles,
                                StrandId strand) {
  { E::kName } -> std::convertible_to<const char*>;
  // True if one reader per location is enough in this engine's class (design: the reader rule).
  { E::kOneReader } -> std::convertible_to<bool>;
  e.OnStart(task, group, strand);
  { e.OnCreate(task, task, how, group, strand) } -> std::same_as<OutsideClass>;
  { e.OnEnd(task) } -> std::same_as<OutsideClass>;
  e.OnProceed(task, strand);
  { e.OnOpen(task, group, strand) } -> std::same_as<OutsideClass>;
  { e.OnJoin(task, group, how, singles, strand) } -> std::same_as<OutsideClass>;
  { e.OnGet(task, task, how, strand) } -> std::same_as<OutsideClass>;
  { e.OnBlock(task) } -> std::same_as<OutsideClass>;
  { e.OnSet(task, promise) } -> std::same_as<OutsideClass>;
  { e.OnGetPromise(task, promise, strand) } -> std::same_as<OutsideClass>;
  e.OnOver(promise);
  { e.Precedes(strand) } -> std::same_as<bool>;
  { asked.TaskOf(strand) } -> std::same_as<TaskId>;
  { asked.BytesUsed() } -> std::convertible_to<size_t>;
} && (E::kOneReader || requires(E e, StrandId strand) {
                         // Equal for two strands: as readers of a location they are equivalent from now on.
                         { e.ReaderClass(strand) } -> std::same_as<uint64_t>;
                       });

// What an engine without switching inherits.
struct WithoutPromises {
  OutsideClass OnBlock(TaskId) { return &reasons::kBlocks; }
  OutsideClass OnSet(TaskId, PromiseId) { return &reasons::kPromise; }
  OutsideClass OnGetPromise(TaskId, PromiseId, StrandId) { return &reasons::kPromise; }
  void OnOver(PromiseId) {}
};

}  // namespace taskrace
