// Explicit tasks: futures to the engine. A task runs when it is created; taskwait gets the children, a
// successor by `depend` gets its predecessors when it begins, and a taskgroup is a finish. Whatever
// nobody got is joined by the finish around it: that of a taskgroup, or of the phase.
#pragma once

#include "frontend/openmp/team.h"

namespace taskrace::openmp {

// What a detached task waits for after its end. Its address is the tag of the edge.
struct Event {
  bool is_fulfilled = false;
};

struct ExplicitTask : Task {
  __taskrace_future future = {};
  ExplicitTask* older = nullptr;  // of the same parent
  uint32_t references = 1;        // the list of the parent, and sets of dependences
  KmpTask* kmp = nullptr;         // while it is not over
  uint32_t flags = 0;
  size_t size = 0;          // of the KmpTask with its private variables
  size_t shareds_size = 0;  // behind it
  bool goes_on = false;     // an untied task has asked to be continued
  Event* event = nullptr;   // of a task with a detach clause
  bool is_target = false;   // a target region with nowait: not even a team of one runs it at once
};

// The innermost taskgroup that the running task is in is cancelled: its tasks that have not begun never will. False: there
// is none.
bool CancelTaskgroup();
bool IsTaskgroupCancelled();
// The children of a task are joined, or will be by the finish around them.
void ForgetChildren(Task& task);

}  // namespace taskrace::openmp
