/* Annotations: facts about a program that the detector cannot see. C and C++.

   In an ordinary build everything here is a no-op that generates no code: arguments are not evaluated,
   so they must have no side effects. In a detection build (compiled with `taskrace c++` or
   `taskrace cc`) each annotation is one call into the runtime. Thread rule: a lock is held by the task
   that makes the call; a region covers everything that runs between its two ends. Cost under detection:
   O(1), but O(size) at worst to forget a range, and each race is looked up in all ignored ranges.

     TASKRACE_IS_ON()                       1 while this process runs under detection, else 0

     TASKRACE_IGNORE_BEGIN()                What runs between the two, tasks created there included,
     TASKRACE_IGNORE_END()                  is neither checked nor remembered. Regions nest.
                                            C++: taskrace::ignore_region
     TASKRACE_IGNORE_RANGE(first, size)     No race on these bytes is reported, until they are
                                            forgotten, freed or allocated anew.
     TASKRACE_FREED_RANGE(first, size)      The bytes are returned to a pool. Checked like free: a parallel
                                            task that uses them races with it.
     TASKRACE_FORGET_RANGE(first, size)     The bytes are new memory: earlier accesses to them
                                            cannot race with later ones. For allocators that
                                            recycle blocks.

     TASKRACE_LOCK_ACQUIRED(lock)           This task now holds the lock with this address,
     TASKRACE_LOCK_ACQUIRED_SHARED(lock)    exclusively, or shared with other readers. Place it
                                            after the acquisition.
     TASKRACE_LOCK_RELEASED(lock)           This task releases the lock. Place it before the
                                            release. std::mutex and pthread locks need no annotation.

     TASKRACE_HAPPENS_BEFORE(tag)           The accesses of this task so far are ordered before the
     TASKRACE_HAPPENS_AFTER(tag)            accesses of any task after a later HAPPENS_AFTER with the
                                            same tag. Needs engine promises, which auto selects for
                                            programs with such edges. With another engine, or with
                                            exec=parallel, the run ends at the call with an error.

     TASKRACE_NO_INSTRUMENT                 Attribute of a function: its own accesses are not
                                            checked, and stacks do not show its frame. The
                                            functions that it calls are instrumented as usual. */
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
