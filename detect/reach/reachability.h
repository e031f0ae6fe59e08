// Reachability: what every engine offers. It hears of each parallel construct, in execution order,
// and answers one question: does strand u, which ran earlier, precede the strand that runs now?
//
// Events; `strand` is the one that begins with the event:
//   OnStart(task, finish, strand)               the root task begins, inside its implicit finish
//   OnCreate(task, child, how, group, strand)   `child` begins at once; `task` waits. A spawn's
//                                               group is its scope, else the innermost finish
//   OnEnd(task)                                 the task's last strand is over
//   OnProceed(task, strand)                     `task` goes on, nothing joined (after create, set)
//   OnOpen(task, finish, strand)                a finish begins
//   OnJoin(task, group, how, singles, strand)   `task` goes on after the last strands of all
//                                               children of the group that it has not joined yet.
//                                               singles: of a finish, the futures and forks among
//                                               them, in order of creation; those that somebody
//                                               got or joined before may be there too
//   OnGet(task, child, how, strand)             `task` goes on after the last strand of `child`,
//                                               a future (kGet) or a fork (kJoin) that has ended
// and only where tasks can be switched (engine `promises`):
//   OnBlock(task)                               `task` cannot go on yet; somebody else does
//   OnSet(task, promise)                        the current strand of `task` sets the promise; then
//                                               OnProceed, perhaps after others have run
//   OnGetPromise(task, promise, strand)         `task` goes on after the strand that set it
//   OnOver(promise)                             nobody can get the promise any more. Nobody need say
//                                               so; no strand ends
// Engines that can say so cheaply also have
//   IsSettled(u)                                true only if u precedes the strand that runs now
//   AllIsSettled(now)                           true only if all that ran before the strand `now`, which
//                                               begins, precedes whatever comes: nobody asks for it
//                                               any more
// An event that leaves the engine's class returns why; everything else returns null.
//
// Without switching, OnEnd is followed by OnProceed of the task's creator. With switching, whoever
// goes on is known by its next event. The strand before it is always the last one of that task.
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

// Those joined one by one, by whoever has the handle; the others are joined by their group.
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
