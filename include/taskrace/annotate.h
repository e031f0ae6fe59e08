/* What a program can tell the detector about itself. C and C++.

   Everything here is a no-op without code in an ordinary build: arguments are not evaluated then,
   so they must have no side effects. In a detection build (compiled with `taskrace c++` or
   `taskrace cc`) each line is one call into the runtime. Thread rule: each call speaks for the task
   that makes it. Cost under detection: ignore, lock and edge annotations O(1), ranges O(size) at
   worst.

     TASKRACE_IS_ON()                       1 while this process runs under detection, else 0

     TASKRACE_IGNORE_BEGIN()                accesses of this task between the two are neither
   checked TASKRACE_IGNORE_END()                  nor remembered. Regions nest. C++:
   taskrace::ignore_region TASKRACE_IGNORE_RANGE(first, size)     no access to these bytes counts,
   until they are forgotten, freed or allocated anew TASKRACE_FORGET_RANGE(first, size)     the
   bytes are new memory: earlier accesses to them cannot race with later ones. For allocators that
   recycle blocks

     TASKRACE_LOCK_ACQUIRED(lock)           this task now holds the lock that this address names,
   alone TASKRACE_LOCK_ACQUIRED_SHARED(lock)    or together with other readers. Say it after
   acquiring it TASKRACE_LOCK_RELEASED(lock)           either of the two ends. Say it before
   releasing it. std::mutex and pthread locks need no annotation

     TASKRACE_HAPPENS_BEFORE(tag)           what this task did so far precedes what any task does
   after TASKRACE_HAPPENS_AFTER(tag)            it says HAPPENS_AFTER with the same tag. No engine
   of this version can take such an edge: the runtime says so at the call, and the races it would
   order are still reported

     TASKRACE_NO_INSTRUMENT                 attribute of a function: its own accesses are invisible,
   and so is its frame. What it calls is instrumented as ever */
#ifndef TASKRACE_ANNOTATE_H
#define TASKRACE_ANNOTATE_H

#ifdef __TASKRACE__

#include <taskrace/hooks.h>

#define TASKRACE_IS_ON() (__taskrace_is_on())
#define TASKRACE_IGNORE_BEGIN() (__taskrace_ignore_begin())
#define TASKRACE_IGNORE_END() (__taskrace_ignore_end())
#define TASKRACE_IGNORE_RANGE(first, size) (__taskrace_ignore_range((first), (size)))
#define TASKRACE_FORGET_RANGE(first, size) (__taskrace_forget_range((first), (size)))
#define TASKRACE_LOCK_ACQUIRED(lock) (__taskrace_lock_acquired((lock), 0))
#define TASKRACE_LOCK_ACQUIRED_SHARED(lock) (__taskrace_lock_acquired((lock), 1))
#define TASKRACE_LOCK_RELEASED(lock) (__taskrace_lock_released((lock)))
#define TASKRACE_HAPPENS_BEFORE(tag) (__taskrace_happens_before((tag)))
#define TASKRACE_HAPPENS_AFTER(tag) (__taskrace_happens_after((tag)))
#define TASKRACE_NO_INSTRUMENT __attribute__((disable_sanitizer_instrumentation))

#else

/* sizeof leaves the argument unevaluated, yet uses it: a variable that only an annotation names
   draws no warning. */
#define TASKRACE_IS_ON() (0)
#define TASKRACE_IGNORE_BEGIN() ((void)0)
#define TASKRACE_IGNORE_END() ((void)0)
#define TASKRACE_IGNORE_RANGE(first, size) ((void)sizeof(first), (void)sizeof(size))
#define TASKRACE_FORGET_RANGE(first, size) ((void)sizeof(first), (void)sizeof(size))
#define TASKRACE_LOCK_ACQUIRED(lock) ((void)sizeof(lock))
#define TASKRACE_LOCK_ACQUIRED_SHARED(lock) ((void)sizeof(lock))
#define TASKRACE_LOCK_RELEASED(lock) ((void)sizeof(lock))
#define TASKRACE_HAPPENS_BEFORE(tag) ((void)sizeof(tag))
#define TASKRACE_HAPPENS_AFTER(tag) ((void)sizeof(tag))
#define TASKRACE_NO_INSTRUMENT

#endif

#ifdef __cplusplus

namespace taskrace {

/* Ignores the accesses of the task that made it, from its construction to its destruction. */
class [[nodiscard]] ignore_region {
 public:
  ignore_region() noexcept { TASKRACE_IGNORE_BEGIN(); }
  ~ignore_region() { TASKRACE_IGNORE_END(); }
  ignore_region(const ignore_region&) = delete;
  ignore_region& operator=(const ignore_region&) = delete;
};

}  // namespace taskrace

#endif

#endif
