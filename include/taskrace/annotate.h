/* What a program can tell the detector about itself. C and C++.

   Everything here is a no-op without code in an ordinary build: arguments are not evaluated then,
   so they must have no side effects. In a detection build (compiled with `taskrace c++` or
   `taskrace cc`) each line is one call into the runtime. Thread rule: a lock is held by the task
   that makes the call; a region covers whatever runs between its two ends. Cost under detection:
   O(1), but O(size) at worst to forget a range, and each race is looked up in all ignored ranges.

     TASKRACE_IS_ON()                       1 while this process runs under detection, else 0

     TASKRACE_IGNORE_BEGIN()                What runs between the two, tasks created there included,
     TASKRACE_IGNORE_END()                  is neither checked nor remembered. Regions nest.
                                            C++: taskrace::ignore_region
     TASKRACE_IGNORE_RANGE(first, size)     No race on these bytes is reported, until they are
                                            forgotten, freed or allocated anew.
     TASKRACE_FREED_RANGE(first, size)      The bytes go back to a pool. Checked like free: a parallel
                                            task that uses them races with it.
     TASKRACE_FORGET_RANGE(first, size)     The bytes are new memory: earlier accesses to them
                                            cannot race with later ones. For allocators that
                                            recycle blocks.

     TASKRACE_LOCK_ACQUIRED(lock)           This task now holds the lock that this address names,
     TASKRACE_LOCK_ACQUIRED_SHARED(lock)    alone, or together with other readers. Say it after
                                            acquiring the lock.
     TASKRACE_LOCK_RELEASED(lock)           Either of the two ends. Say it before releasing the
                                            lock. std::mutex and pthread locks need no annotation.

     TASKRACE_HAPPENS_BEFORE(tag)           What this task did so far precedes what any task does
     TASKRACE_HAPPENS_AFTER(tag)            after it says HAPPENS_AFTER with the same tag. No engine
                                            of this version takes such an edge: the run ends at the
                                            call with a message and exit code 2.

     TASKRACE_NO_INSTRUMENT                 Attribute of a function: its own accesses are invisible,
                                            and so is its frame. What it calls is instrumented as
                                            ever. */
#ifndef TASKRACE_ANNOTATE_H
#define TASKRACE_ANNOTATE_H

#ifdef __TASKRACE__

#include <taskrace/hooks.h>

#define TASKRACE_IS_ON() (__taskrace_is_on())
#define TASKRACE_IGNORE_BEGIN() (__taskrace_ignore_begin())
#define TASKRACE_IGNORE_END() (__taskrace_ignore_end())
#define TASKRACE_IGNORE_RANGE(first, size) (__taskrace_ignore_range((first), (size)))
#define TASKRACE_FREED_RANGE(first, size) (__taskrace_freed_range((first), (size)))
#define TASKRACE_FORGET_RANGE(first, size) (__taskrace_forget_range((first), (size)))
#define TASKRACE_LOCK_ACQUIRED(lock) (__taskrace_lock_acquired((lock), 0))
#define TASKRACE_LOCK_ACQUIRED_SHARED(lock) (__taskrace_lock_acquired((lock), 1))
#define TASKRACE_LOCK_RELEASED(lock) (__taskrace_lock_released((lock)))
#define TASKRACE_HAPPENS_BEFORE(tag) (__taskrace_happens_before((tag)))
#define TASKRACE_HAPPENS_AFTER(tag) (__taskrace_happens_after((tag)))
#define TASKRACE_NO_INSTRUMENT __attribute__((disable_sanitizer_instrumentation))
#define TASKRACE_DETAIL_ANNOTATIONS annotated

#else

/* sizeof leaves the argument unevaluated, yet uses it: a variable that only an annotation names
   draws no warning. */
#define TASKRACE_IS_ON() (0)
#define TASKRACE_IGNORE_BEGIN() ((void)0)
#define TASKRACE_IGNORE_END() ((void)0)
#define TASKRACE_IGNORE_RANGE(first, size) ((void)sizeof(first), (void)sizeof(size))
#define TASKRACE_FREED_RANGE(first, size) ((void)sizeof(first), (void)sizeof(size))
#define TASKRACE_FORGET_RANGE(first, size) ((void)sizeof(first), (void)sizeof(size))
#define TASKRACE_LOCK_ACQUIRED(lock) ((void)sizeof(lock))
#define TASKRACE_LOCK_ACQUIRED_SHARED(lock) ((void)sizeof(lock))
#define TASKRACE_LOCK_RELEASED(lock) ((void)sizeof(lock))
#define TASKRACE_HAPPENS_BEFORE(tag) ((void)sizeof(tag))
#define TASKRACE_HAPPENS_AFTER(tag) ((void)sizeof(tag))
#define TASKRACE_NO_INSTRUMENT
#define TASKRACE_DETAIL_ANNOTATIONS not_annotated

#endif

#ifdef __cplusplus

namespace taskrace {
/* Objects of both builds can meet in one program: each has a class of its own. */
inline namespace TASKRACE_DETAIL_ANNOTATIONS {

/* Ignores whatever runs from its construction to its destruction. */
class [[nodiscard]] ignore_region {
 public:
  ignore_region() noexcept { TASKRACE_IGNORE_BEGIN(); }
  ~ignore_region() { TASKRACE_IGNORE_END(); }
  ignore_region(const ignore_region&) = delete;
  ignore_region& operator=(const ignore_region&) = delete;
};

}  // namespace TASKRACE_DETAIL_ANNOTATIONS
}  // namespace taskrace

#endif

#endif
