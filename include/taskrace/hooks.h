/* The hook ABI: what instrumented code and <taskrace/tasks.hpp> call, and the runtime implements.

   Three parties meet here: the compiler pass (emits the calls of sections 1 to 3), the task
   interface (section 4) and the runtime (defines all of them). None of them knows more of the
   others than this file. Any change of a signature or of a struct below raises
   TASKRACE_ABI_VERSION; every object file carries the version it was compiled for, and the runtime
   refuses to start with another one.

   Where an access happened is the hook's own return address: a hook call carries the debug location
   of the access that it stands for, stands directly before it, and is never a tail call. */
#ifndef TASKRACE_HOOKS_H
#define TASKRACE_HOOKS_H

#include <stddef.h>
#include <stdint.h>

#define TASKRACE_ABI_VERSION 7

#ifdef __cplusplus
extern "C" {
#define TASKRACE_NOEXCEPT noexcept
#else
#define TASKRACE_NOEXCEPT
#endif

/* ---- 1. Memory accesses ---------------------------------------------------------------------
   Any address, no alignment asked for. The sized forms are the common ones; ranges may be empty. */
void __taskrace_read1(const void* address) TASKRACE_NOEXCEPT;
void __taskrace_read2(const void* address) TASKRACE_NOEXCEPT;
void __taskrace_read4(const void* address) TASKRACE_NOEXCEPT;
void __taskrace_read8(const void* address) TASKRACE_NOEXCEPT;
void __taskrace_read16(const void* address) TASKRACE_NOEXCEPT;
void __taskrace_write1(const void* address) TASKRACE_NOEXCEPT;
void __taskrace_write2(const void* address) TASKRACE_NOEXCEPT;
void __taskrace_write4(const void* address) TASKRACE_NOEXCEPT;
void __taskrace_write8(const void* address) TASKRACE_NOEXCEPT;
void __taskrace_write16(const void* address) TASKRACE_NOEXCEPT;
void __taskrace_read_range(const void* first, size_t size) TASKRACE_NOEXCEPT;
void __taskrace_write_range(const void* first, size_t size) TASKRACE_NOEXCEPT;
/* `rows` ranges of `size` bytes each, the next one `distance` bytes after the one before; distances
   may be negative, rows may overlap, and there may be none. */
void __taskrace_read_rows(const void* first, size_t size, size_t rows,
                          ptrdiff_t distance) TASKRACE_NOEXCEPT;
void __taskrace_write_rows(const void* first, size_t size, size_t rows,
                           ptrdiff_t distance) TASKRACE_NOEXCEPT;
/* The same for accesses of several lines that lie side by side: `parts` lists those of a row, each by a
   call of `part` that has the line of the access. It is called when a race is reported, if at all. */
typedef void (*__taskrace_part)(void* visitor, const void* first, size_t size);
typedef void (*__taskrace_parts)(const void* first, void* visitor, __taskrace_part part);
void __taskrace_read_parts(const void* first, size_t size, size_t rows, ptrdiff_t distance,
                           __taskrace_parts parts) TASKRACE_NOEXCEPT;
void __taskrace_write_parts(const void* first, size_t size, size_t rows, ptrdiff_t distance,
                            __taskrace_parts parts) TASKRACE_NOEXCEPT;
/* A NUL-terminated string with its terminator; the second form looks at `most` bytes at most. */
void __taskrace_read_string(const char* string) TASKRACE_NOEXCEPT;
void __taskrace_read_string_n(const char* string, size_t most) TASKRACE_NOEXCEPT;
/* The buffers that an array of `count` struct iovec lists, without the array. In the second form `bytes` of them
   were filled, beginning with the first; a negative number: none. */
void __taskrace_read_buffers(const void* vectors, int count) TASKRACE_NOEXCEPT;
void __taskrace_write_buffers(const void* vectors, int count, ptrdiff_t bytes) TASKRACE_NOEXCEPT;
/* Atomic operations; a read-modify-write is a write. */
void __taskrace_atomic_read(const void* address, size_t size) TASKRACE_NOEXCEPT;
void __taskrace_atomic_write(const void* address, size_t size) TASKRACE_NOEXCEPT;
/* What an atomic operation orders, by enum __taskrace_order. `acquire` comes before the check of the operation,
   `release` after it, and the operation itself follows; a fence has no check. Only operations whose value the program
   reads have an `acquire`, and only those that write have a `release`. */
enum __taskrace_order {
  TASKRACE_READS = 1,    /* and the program uses what was read */
  TASKRACE_WRITES = 2,   /* without TASKRACE_UPDATES: whatever was there before */
  TASKRACE_UPDATES = 4,  /* depending on what was there before */
  TASKRACE_ACQUIRES = 8, /* if it reads */
  TASKRACE_RELEASES = 16 /* if it writes */
};
void __taskrace_atomic_acquire(const void* address, unsigned order) TASKRACE_NOEXCEPT;
void __taskrace_atomic_release(const void* address, unsigned order) TASKRACE_NOEXCEPT;
void __taskrace_atomic_fence(unsigned order) TASKRACE_NOEXCEPT;

/* ---- 2. Memory that comes and goes, and code that is ordered by other means ----------------- */

/* A stack variable whose address leaves its function. One constant per variable, for reports. */
struct __taskrace_variable {
  const char* name;     /* as in the source; "" if unknown */
  const char* function; /* demangled or mangled; "" if unknown */
  const char* file;     /* "" if unknown */
  uint32_t line;
};
/* Its lifetime begins: what was known of these bytes is forgotten. `variable` may be null. */
void __taskrace_lifetime_start(const void* address, size_t size,
                               const struct __taskrace_variable* variable) TASKRACE_NOEXCEPT;
/* Its lifetime ends: checked like a write (a task may still use it), then forgotten. */
void __taskrace_lifetime_end(const void* address, size_t size) TASKRACE_NOEXCEPT;

/* The address of a thread_local leaves the function here: this task uses its own instance, so what
   was known of the bytes is forgotten, and of the heap blocks that they point to. Direct accesses to a
   thread_local have no hook at all. The same for an element of a container with one for each thread. */
void __taskrace_thread_local(const void* address, size_t size) TASKRACE_NOEXCEPT;

/* Between the two, accesses are ordered after all earlier and before all later ones by something
   that the dag does not show (the last release of a shared_ptr). They nest. */
void __taskrace_ordered_begin(void) TASKRACE_NOEXCEPT;
void __taskrace_ordered_end(void) TASKRACE_NOEXCEPT;

/* The program's own operator new, global or of a class, returns this block. */
void __taskrace_allocated(const void* block, size_t size) TASKRACE_NOEXCEPT;
/* Its operator delete takes a block back, between the two. If it keeps the block in a pool, that is checked
   like free, and what it does inside is not checked. The second call gets what the first has returned. */
int __taskrace_deallocating(const void* block) TASKRACE_NOEXCEPT;
void __taskrace_deallocated(int is_pooled) TASKRACE_NOEXCEPT;

/* ---- 3. Functions, modules ------------------------------------------------------------------ */

/* The shadow call stack. On entry a function does, inline,
       struct __taskrace_frame* mine = __taskrace_top + 1;
       mine->return_address = __builtin_return_address(0);
       mine->context = 0;  __taskrace_top = mine;
   on return `__taskrace_top = mine - 1`, and `__taskrace_top = mine` in every landing pad and after
   every call that may return twice, so that unwinding and longjmp need no hook. */
struct __taskrace_frame {
  const void* return_address;
  uint32_t context; /* the runtime's: calling context of this frame, 0 until it is needed */
  uint32_t reserved;
};
extern __thread struct __taskrace_frame* __taskrace_top __attribute__((tls_model("initial-exec")));

/* What a program can do that matters for the choice of an engine, by the hooks that it calls. */
enum __taskrace_construct {
  TASKRACE_USES_SCOPE = 1,          /* __taskrace_scope_begin */
  TASKRACE_USES_FINISH = 2,         /* __taskrace_finish_begin, __taskrace_async */
  TASKRACE_USES_FUTURE = 4,         /* __taskrace_make_future */
  TASKRACE_USES_FORK = 8,           /* __taskrace_fork */
  TASKRACE_USES_PROMISE = 16,       /* __taskrace_promise_begin */
  TASKRACE_USES_EDGE = 32,          /* __taskrace_happens_before, __taskrace_happens_after */
  TASKRACE_USES_NEST = 64,          /* __taskrace_nest_begin, __taskrace_loop */
  TASKRACE_USES_STAGE = 128,        /* __taskrace_stage */
  TASKRACE_USES_LOOSE_SCOPE = 256,  /* a scope whose joins are not proved to nest */
  TASKRACE_UNCHECKED = 512,         /* compiled without checks of accesses: only for mode=reach */
  TASKRACE_UNKNOWN_ACCESSES = 1024, /* has instructions that touch memory unknown to the pass */
  TASKRACE_USES_THREAD = 2048       /* pthread_create, std::thread and what is made of them */
};

/* Every object has one in the section "taskrace_objects" (the marker), kept by the linker. */
struct __taskrace_object {
  uint32_t abi_version;
  uint32_t constructs; /* __taskrace_construct: those that the object can use */
  const char* source;  /* the name of the main source file, as given to the compiler */
};
/* Called by a constructor of each executable or shared library (one per module, hidden comdat),
   with the module's own __start_taskrace_objects and __stop_taskrace_objects. */
void __taskrace_module(const struct __taskrace_object* begin,
                       const struct __taskrace_object* end) TASKRACE_NOEXCEPT;

/* Called when `main` returns: the root task joins what is left, then global destructors run. */
void __taskrace_main_end(void) TASKRACE_NOEXCEPT;

/* ---- 4. Tasks ----------------------------------------------------------------------------------
   Called by <taskrace/tasks.hpp> (from functions that are not instrumented) and by front ends. The
   runtime's own parts of the structs are zero before the first call. */

/* What one join waits for: a scope or a finish. Lives inside the object of the task interface. */
struct __taskrace_group {
  uint32_t id;       /* 0 while not in use */
  uint32_t task;     /* its creator */
  uint32_t unjoined; /* children since the last join */
  uint32_t running;  /* those of them that have not ended */
  uint32_t singles;  /* runtime's: the futures and forks of a finish */
  uint32_t made_at;  /* runtime's: where, for messages */
  struct __taskrace_group*
      finish;   /* the finish around it when it was made; null: the implicit one */
  void* waiter; /* runtime's: the task that waits in its join */
};

/* What a get waits for: the end of a future's or a forked task, or the set of a promise. Lives
   inside the shared state of the task interface, and does not move. */
struct __taskrace_future {
  uint32_t task;    /* whose end it is; 0: a promise's */
  uint32_t promise; /* 0: a task's */
  uint32_t ready;   /* the task has ended, or the promise was set */
  uint32_t made_at; /* runtime's: where, for messages */
  void* waiters;    /* runtime's */
};

/* Storage for such a state, from any thread; the state begins with its struct. What was done to it is
   forgotten when it is freed: the last of those that refer to it does that. */
void* __taskrace_state_storage(size_t size, size_t alignment) TASKRACE_NOEXCEPT;
void __taskrace_state_free(void* state) TASKRACE_NOEXCEPT;
/* Storage for a task's closure. Belongs to the task created next; that task's end frees it. */
void* __taskrace_task_storage(size_t size, size_t alignment) TASKRACE_NOEXCEPT;
/* Each runs `body(closure)` as a task and returns when the task has ended or waits; `body` must not
   throw. The scope waits for a spawned task, the innermost finish for all others. `future` and
   `fork` outlive the task, and are got or joined by any task that has them. */
void __taskrace_spawn(struct __taskrace_group* scope, void (*body)(void*),
                      void* closure) TASKRACE_NOEXCEPT;
void __taskrace_async(void (*body)(void*), void* closure) TASKRACE_NOEXCEPT;
void __taskrace_make_future(struct __taskrace_future* future, void (*body)(void*),
                            void* closure) TASKRACE_NOEXCEPT;
void __taskrace_fork(struct __taskrace_future* fork, void (*body)(void*),
                     void* closure) TASKRACE_NOEXCEPT;
/* The same for a fork that is joined only by its right neighbour (lattice2d): that of a pipeline. */
void __taskrace_stage(struct __taskrace_future* fork, void (*body)(void*),
                      void* closure) TASKRACE_NOEXCEPT;
/* Returns when it is ready; what made it ready precedes whatever the caller does then. For a future
   or a promise; any task, any number of times. */
void __taskrace_get(struct __taskrace_future* future) TASKRACE_NOEXCEPT;
/* The same for a fork. */
void __taskrace_join(struct __taskrace_future* fork) TASKRACE_NOEXCEPT;
/* `promise` is now a promise that is not set. */
void __taskrace_promise_begin(struct __taskrace_future* promise) TASKRACE_NOEXCEPT;
/* Makes it ready; tasks that wait for it may run before this returns. Called once, after the value
   is in its place. */
void __taskrace_promise_set(struct __taskrace_future* promise) TASKRACE_NOEXCEPT;
/* No task can get it any more, nor set it. A front end need not call this: detection then remembers more
   than it must. */
void __taskrace_promise_end(struct __taskrace_future* promise) TASKRACE_NOEXCEPT;

/* A parallel loop: calls range(closure, begin, end) for parts [begin, end) of [0, count), each part not
   empty, until every iteration has run; any two iterations are parallel. Returns when all are over.
   `index`: the number that reports show for iteration 0. `range` must not throw. It calls
   __taskrace_iteration(k) before each iteration k of its part, in order, and returns at once when that
   says false: the rest of the part runs elsewhere. */
void __taskrace_loop(size_t count, int64_t index,
                     void (*range)(void* closure, size_t begin, size_t end),
                     void* closure) TASKRACE_NOEXCEPT;
int __taskrace_iteration(size_t k) TASKRACE_NOEXCEPT;
/* Accesses of the iterations [k, k + count) of the running loop, which the pass has moved before them:
   iteration k + i touches `rows` ranges of `size` bytes, at first + i * step, the next one `distance`
   bytes after the one before. `parts` as above, or null. A part of a loop whose accesses are all moved
   has no calls of __taskrace_iteration. */
void __taskrace_loop_read(const void* first, size_t size, size_t rows, ptrdiff_t distance,
                          __taskrace_parts parts, ptrdiff_t step, size_t k,
                          size_t count) TASKRACE_NOEXCEPT;
void __taskrace_loop_write(const void* first, size_t size, size_t rows, ptrdiff_t distance,
                           __taskrace_parts parts, ptrdiff_t step, size_t k,
                           size_t count) TASKRACE_NOEXCEPT;
/* The same for accesses that stay in the loop because an iteration makes them under a condition of its own: it
   touches these bytes, some of them, or none. */
void __taskrace_loop_may_read(const void* first, size_t size, size_t rows, ptrdiff_t distance,
                              ptrdiff_t step, size_t k, size_t count) TASKRACE_NOEXCEPT;
void __taskrace_loop_may_write(const void* first, size_t size, size_t rows, ptrdiff_t distance,
                               ptrdiff_t step, size_t k, size_t count) TASKRACE_NOEXCEPT;
/* Where the accesses that stay in the loop must be checked: those that touch bytes of [first, end). Called after the
   hooks above, before the first iteration. `staying`: which ones there are, and for which the zone is. An
   iteration calls __taskrace_iteration before each access that it checks, and need not call it otherwise. */
struct __taskrace_zone {
  uintptr_t first;
  uintptr_t end; /* 0: no byte */
};
enum __taskrace_staying {
  TASKRACE_READS_STAY = 1,  /* of addresses that were not described before the loop */
  TASKRACE_WRITES_STAY = 2, /* the same */
  TASKRACE_ZONE_OF_POSSIBLE =
      4 /* for those of loop_may_*; else for reads that were not described */
};
struct __taskrace_zone __taskrace_loop_zone(unsigned staying) TASKRACE_NOEXCEPT;

/* A simd loop of OpenMP, whose iterations i and j are not ordered if 0 < |i - j| < safelen; 0: if i != j. The pass
   calls `lane` before each iteration k, in rising order, and may move accesses before the first one: loop_read and
   loop_write. lane_ordered: the running iteration begins or ends its `ordered simd` block. lane_owns: each iteration
   has its own copy of these bytes; lane_owns_state: of a block of __taskrace_state_storage. lanes_share: does nothing, but the address of the variable leaves the function. */
void __taskrace_simd_begin(size_t safelen) TASKRACE_NOEXCEPT;
void __taskrace_lane(size_t k) TASKRACE_NOEXCEPT;
void __taskrace_lane_ordered(int begins) TASKRACE_NOEXCEPT;
void __taskrace_lane_owns(const void* first, size_t size) TASKRACE_NOEXCEPT;
void __taskrace_lane_owns_state(void* state) TASKRACE_NOEXCEPT;
void __taskrace_lanes_share(const void* variable) TASKRACE_NOEXCEPT;
void __taskrace_simd_end(void) TASKRACE_NOEXCEPT;

void __taskrace_scope_begin(struct __taskrace_group* scope) TASKRACE_NOEXCEPT;
/* The same for a scope that its maker syncs before it uses any other: that of a parallel loop. */
void __taskrace_nest_begin(struct __taskrace_group* scope) TASKRACE_NOEXCEPT;
void __taskrace_scope_sync(struct __taskrace_group* scope) TASKRACE_NOEXCEPT;
/* The scope's end; the caller has synced. */
void __taskrace_scope_end(struct __taskrace_group* scope) TASKRACE_NOEXCEPT;
void __taskrace_finish_begin(struct __taskrace_group* finish) TASKRACE_NOEXCEPT;
void __taskrace_finish_end(struct __taskrace_group* finish) TASKRACE_NOEXCEPT;
/* The innermost finish around the running task; null: the implicit one of main. */
struct __taskrace_group* __taskrace_innermost_finish(void) TASKRACE_NOEXCEPT;

/* The number of the worker that the running task is on, below that of max_workers. Tasks of one number
   do not run at the same time. */
unsigned __taskrace_this_worker(void) TASKRACE_NOEXCEPT;
unsigned __taskrace_max_workers(void) TASKRACE_NOEXCEPT;
/* The same for a program that counts only `workers` of them, at least one. */
unsigned __taskrace_this_worker_of(unsigned workers) TASKRACE_NOEXCEPT;

/* ---- 5. Annotations: <taskrace/annotate.h> says what they mean ------------------------------ */
void __taskrace_ignore_begin(void) TASKRACE_NOEXCEPT;
void __taskrace_ignore_end(void) TASKRACE_NOEXCEPT;
void __taskrace_ignore_range(const void* first, size_t size) TASKRACE_NOEXCEPT;
void __taskrace_freed_range(const void* first, size_t size) TASKRACE_NOEXCEPT;
void __taskrace_forget_range(const void* first, size_t size) TASKRACE_NOEXCEPT;
void __taskrace_lock_acquired(const void* lock, int shared) TASKRACE_NOEXCEPT;
void __taskrace_lock_released(const void* lock) TASKRACE_NOEXCEPT;
void __taskrace_happens_before(const void* tag) TASKRACE_NOEXCEPT;
void __taskrace_happens_after(const void* tag) TASKRACE_NOEXCEPT;
int __taskrace_is_on(void) TASKRACE_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
