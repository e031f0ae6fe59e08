#include "frontend/openmp/tasks.h"

#include <string.h>

#include <new>

#include "frontend/openmp/dependences.h"

namespace taskrace::openmp {

// A copy of a variable for one task of a taskgroup.
struct ReductionCopy {
  ReductionCopy* next;
  const void* task;  // whose it is; the task is over when the copy is used last
  uint64_t created;  // which one with this address
  void* bytes;
};

// A variable of a task_reduction clause, as clang describes it.
struct ReductionItem {
  void* shared;
  void* original;
  size_t size;
  void (*init)(void* copy, void* original);
  void (*fini)(void* copy);
  void (*combine)(void* into, void* from);
  uint32_t flags;
};

struct Reduction {
  Reduction* next;
  const ReductionItem* item;
  ReductionItem copied_item;
  ReductionCopy* copies;
};

struct Taskgroup {
  Taskgroup* outer = nullptr;
  const Task* task = nullptr;  // that began it
  __taskrace_group finish = {};
  ExplicitTask* older_children = nullptr;  // of the task, made before it
  Reduction* reductions = nullptr;
  bool is_cancelled = false;
};

bool CancelTaskgroup() {
  Taskgroup* const group = Here().task->taskgroup;
  if (group != nullptr) group->is_cancelled = true;
  return group != nullptr;
}
bool IsTaskgroupCancelled() {
  const Taskgroup* const group = Here().task->taskgroup;
  return group != nullptr && group->is_cancelled;
}

namespace {

// In front of each KmpTask.
struct Header {
  ExplicitTask* task;
  uint64_t padding;
};
static_assert(sizeof(Header) == 16);

ExplicitTask* TaskOf(KmpTask* kmp) { return reinterpret_cast<Header*>(kmp)[-1].task; }

size_t Rounded(size_t size) { return (size + 15) & ~size_t{15}; }

KmpTask* AllocateKmp(size_t size, size_t shareds_size) {
  char* const block = Allocate<char>(sizeof(Header) + Rounded(size) + shareds_size);
  memset(block, 0, sizeof(Header) + Rounded(size) + shareds_size);
  auto* const kmp = reinterpret_cast<KmpTask*>(block + sizeof(Header));
  if (shareds_size > 0) kmp->shareds = block + sizeof(Header) + Rounded(size);
  return kmp;
}

void Release(ExplicitTask* task) {
  if (--task->references != 0) return;
  // Another one is still to be fulfilled.
  if (task->event != nullptr && task->event->is_fulfilled) Free(task->event);
  Free(task);
}

// The event of the task is fulfilled by now, if it has one.
void WaitForEvent(const ExplicitTask& task, uintptr_t pc) {
  if (task.event == nullptr) return;
  for (uint64_t rounds = 1; !task.event->is_fulfilled;) Yield(++rounds, pc);
  __taskrace_happens_after(task.event);
}

ExplicitTask* MakeTask(KmpTask* kmp, uint32_t flags, size_t size, size_t shareds_size) {
  auto* const task = new (Allocate<ExplicitTask>()) ExplicitTask;
  task->kmp = kmp;
  task->flags = flags;
  task->size = size;
  task->shareds_size = shareds_size;
  task->as_explicit = task;
  reinterpret_cast<Header*>(kmp)[-1].task = task;
  return task;
}

// The task begins on the running thread, and the one that it ran is returned.
Task* Enter(ExplicitTask& task) {
  Thread& thread = Here();
  Task* const creator = thread.task;
  task.variables = creator->variables;
  task.taskgroup = creator->taskgroup;
  task.is_final = creator->is_final || (task.flags & kFinal) != 0;
  thread.task = &task;
  return creator;
}

// The task is over, and the thread goes on with the other.
void Exit(ExplicitTask& task, Task* creator) {
  ForgetChildren(task);
  Free(reinterpret_cast<Header*>(task.kmp) - 1);
  task.kmp = nullptr;
  Here().task = creator;
}

// The rest of the task, whose body has returned once.
void Finish(ExplicitTask& task) {
  const int32_t gtid = Here().identity;
  // An untied task that comes to a scheduling point creates itself again, and returns.
  while (task.goes_on) {
    task.goes_on = false;
    task.kmp->entry(gtid, task.kmp);
  }
  if ((task.flags & kHasDestructors) != 0 && task.kmp->data_1.destructors != nullptr) {
    task.kmp->data_1.destructors(gtid, task.kmp);
  }
}

void Run(ExplicitTask& task) {
  Task* const creator = Enter(task);
  if (!IsTaskgroupCancelled() && Here().team->cancelled != kWholeRegion) {
    task.kmp->entry(Here().identity, task.kmp);
  }
  Finish(task);
  Exit(task, creator);
}

// The running task goes on after those. One that was no future was a part of its creator.
void WaitFor(const Predecessors& predecessors, uintptr_t pc) {
  Executor* const executor = Detecting();
  predecessors.ForEach([&](ExplicitTask& predecessor) {
    if (executor != nullptr && predecessor.future.task != 0) {
      executor->Get(How::kGet, &predecessor.future, pc);
    }
    WaitForEvent(predecessor, pc);
    Release(&predecessor);
  });
}

// What the body of a future is given.
struct Closure {
  ExplicitTask* task;
  Predecessors predecessors;
  uintptr_t pc;
};

void RunAsFuture(void* argument) {
  const Closure& closure = *static_cast<Closure*>(argument);
  WaitFor(closure.predecessors, closure.pc);
  closure.predecessors.ForEachLock(
      [](uintptr_t address) { __taskrace_lock_acquired(reinterpret_cast<void*>(address), 0); });
  Run(*closure.task);
  closure.predecessors.ForEachLock(
      [](uintptr_t address) { __taskrace_lock_released(reinterpret_cast<void*>(address)); });
  closure.predecessors.FreeStorage();
}

// A task that its creator runs as a part of itself.
bool IsIncluded() { return Here().team->size == 1 || Here().task->is_final || !Detecting(); }
bool IsIncluded(const ExplicitTask& task) {
  return IsIncluded() && (!task.is_target || !Detecting());
}

void Create(ExplicitTask& task, const Predecessors& predecessors, uintptr_t pc) {
  if (IsIncluded(task)) {
    WaitFor(predecessors, pc);
    predecessors.FreeStorage();
    Run(task);
    Release(&task);
    return;
  }
  Task& creator = *Here().task;
  task.older = creator.children;
  creator.children = &task;
  const Closure closure{&task, predecessors, pc};
  Executor* const executor = Detecting();
  void* const storage = executor->Storage(sizeof(Closure), alignof(Closure));
  memcpy(storage, &closure, sizeof(closure));
  executor->CreateSingle(How::kFuture, &task.future, RunAsFuture, storage, pc);
}

Predecessors Depend(ExplicitTask* task, int32_t count, const Dependence* list) {
  Task& creator = *Here().task;
  if (creator.dependences == nullptr) {
    creator.dependences = new (Allocate<DependenceTable>()) DependenceTable;
  }
  return creator.dependences->Add(task, {list, static_cast<size_t>(count < 0 ? 0 : count)});
}

void WaitForThose(int32_t count, const Dependence* list, uintptr_t pc) {
  const Predecessors predecessors = Depend(nullptr, count, list);
  WaitFor(predecessors, pc);
  predecessors.FreeStorage();
}

void Taskwait(uintptr_t pc) {
  Task& task = *Here().task;
  Executor* const executor = Detecting();
  // The oldest first, as they ran.
  ExplicitTask* oldest = nullptr;
  while (task.children != nullptr) {
    ExplicitTask* const child = task.children;
    task.children = child->older;
    child->older = oldest;
    oldest = child;
  }
  while (oldest != nullptr) {
    ExplicitTask* const child = oldest;
    oldest = child->older;
    if (executor != nullptr) executor->Get(How::kGet, &child->future, pc);
    WaitForEvent(*child, pc);
    Release(child);
  }
  for (Taskgroup* group = task.taskgroup; group != nullptr && group->task == &task;
       group = group->outer) {
    group->older_children = nullptr;
  }
}

void BeginTaskgroup(uintptr_t pc) {
  Task& task = *Here().task;
  auto* const group = new (Allocate<Taskgroup>()) Taskgroup;
  group->outer = task.taskgroup;
  group->task = &task;
  group->older_children = task.children;
  task.taskgroup = group;
  if (!IsIncluded()) Detecting()->FinishBegin(&group->finish, pc);
}

void CombineReductions(Taskgroup& group) {
  while (group.reductions != nullptr) {
    Reduction* const reduction = group.reductions;
    const ReductionItem& item = *reduction->item;
    // In the order of their creation.
    ReductionCopy* first = nullptr;
    while (reduction->copies != nullptr) {
      ReductionCopy* const copy = reduction->copies;
      reduction->copies = copy->next;
      copy->next = first;
      first = copy;
    }
    while (first != nullptr) {
      ReductionCopy* const copy = first;
      first = copy->next;
      item.combine(item.shared, copy->bytes);
      if (item.fini != nullptr) item.fini(copy->bytes);
      Free(copy->bytes);
      Free(copy);
    }
    group.reductions = reduction->next;
    Free(reduction);
  }
}

void EndTaskgroup(uintptr_t pc) {
  Task& task = *Here().task;
  Taskgroup* const group = task.taskgroup;
  if (&task == &Here().implicit) JoinUnits(group);
  if (group->finish.id != 0) Detecting()->FinishEnd(&group->finish, pc);
  while (task.children != group->older_children) {
    ExplicitTask* const child = task.children;
    task.children = child->older;
    Release(child);
  }
  CombineReductions(*group);
  task.taskgroup = group->outer;
  Free(group);
}

void* InitReductions(int32_t count, const ReductionItem* items) {
  Taskgroup* const group = Here().task->taskgroup;
  if (group == nullptr) Runtime().Fail("a task reduction is outside of any taskgroup", 0);
  for (int32_t i = 0; i < count; ++i) {
    auto* const reduction = Allocate<Reduction>();
    *reduction = {group->reductions, nullptr, items[i], nullptr};
    reduction->item = &reduction->copied_item;
    group->reductions = reduction;
  }
  return group;
}

// A reduction of tasks that lasts as long as the region or loop of the thread: as a taskgroup, but barriers may be inside, and
// nobody waits at its end.
void* BeginReductions(int32_t count, const ReductionItem* items) {
  Task& task = *Here().task;
  auto* const group = new (Allocate<Taskgroup>()) Taskgroup;
  group->outer = task.taskgroup;
  group->task = &task;
  task.taskgroup = group;
  return InitReductions(count, items);
}

// The tasks of the thread have run when they were created, and nobody else knows their copies: what is combined here is
// in order.
void EndReductions() {
  Task& task = *Here().task;
  Taskgroup* const group = task.taskgroup;
  for (Reduction* reduction = group->reductions; reduction != nullptr;
       reduction = reduction->next) {
    for (ReductionCopy* copy = reduction->copies; copy != nullptr; copy = copy->next) {
      __taskrace_forget_range(copy->bytes, reduction->item->size);
    }
  }
  CombineReductions(*group);
  task.taskgroup = group->outer;
  Free(group);
}

bool Contains(const void* first, size_t size, const void* address) {
  return address >= first && address < static_cast<const char*>(first) + size;
}

// The copy of the running task for the variable at `data`: one that a clause names, or the copy of a task around it.
void* ReductionCopyOf(const void* data) {
  Thread& thread = Here();
  for (Taskgroup* group = thread.task->taskgroup; group != nullptr; group = group->outer) {
    for (Reduction* reduction = group->reductions; reduction != nullptr;
         reduction = reduction->next) {
      const ReductionItem& item = *reduction->item;
      bool is_it = Contains(item.shared, item.size, data);
      for (ReductionCopy* copy = reduction->copies; copy != nullptr; copy = copy->next) {
        is_it = is_it || Contains(copy->bytes, item.size, data);
      }
      if (!is_it) continue;
      const uint64_t created =
          thread.task->as_explicit == nullptr ? 0 : thread.task->as_explicit->future.task;
      for (ReductionCopy* copy = reduction->copies; copy != nullptr; copy = copy->next) {
        if (copy->task == thread.task && copy->created == created) return copy->bytes;
      }
      auto* const copy = Allocate<ReductionCopy>();
      *copy = {reduction->copies, thread.task, created, Allocate<char>(item.size)};
      reduction->copies = copy;
      if (item.init != nullptr) {
        item.init(copy->bytes, item.original);
      } else {
        memset(copy->bytes, 0, item.size);
      }
      return copy->bytes;
    }
  }
  Runtime().Fail("a task takes part in a reduction that it is not inside", 0);
}

// A copy of the task of a taskloop, for some of its iterations.
using Duplicate = void (*)(KmpTask* made, KmpTask* from, int32_t is_last);

// Without a clause: so many tasks at most.
constexpr uint64_t kMostLoopTasks = uint64_t{1} << 20;

void Taskloop(KmpTask* kmp, bool deferred, uint64_t* low, uint64_t* high, int64_t step, int32_t how,
              uint64_t value, bool strict, Duplicate duplicate, uintptr_t pc) {
  ExplicitTask& pattern = *TaskOf(kmp);
  const auto offset_of = [&](uint64_t* member) {
    return static_cast<size_t>(reinterpret_cast<char*>(member) - reinterpret_cast<char*>(kmp));
  };
  const size_t low_offset = offset_of(low), high_offset = offset_of(high);
  const uint64_t first = *low, last = *high;
  // Bounds are signed or not; a loop without iterations does not come here.
  const uint64_t distance = step > 0 ? last - first : first - last;
  const uint64_t trips =
      distance / (step > 0 ? static_cast<uint64_t>(step) : -static_cast<uint64_t>(step)) + 1;
  constexpr int32_t kGrain = 1, kTasks = 2;
  uint64_t tasks = how == kGrain && value > 0   ? (strict ? (trips - 1) / value + 1 : trips / value)
                   : how == kTasks && value > 0 ? value
                                                : trips;
  if (how != kGrain && how != kTasks && tasks > kMostLoopTasks) {
    tasks = kMostLoopTasks;
    Runtime().Warn(
        "a taskloop has more than 1 048 576 iterations: those of one task are not "
        "compared with each other",
        pc);
  }
  if (tasks > trips) tasks = trips;
  if (tasks == 0) tasks = 1;
  const uint64_t small = trips / tasks, longer = trips % tasks;
  uint64_t begin = 0;
  for (uint64_t i = 0; i < tasks; ++i) {
    uint64_t count = small + (i < longer ? 1 : 0);
    if (strict && how == kGrain) count = trips - begin < value ? trips - begin : value;
    KmpTask* const part = AllocateKmp(pattern.size, pattern.shareds_size);
    void* const shareds = part->shareds;
    memcpy(part, kmp, pattern.size);
    if (pattern.shareds_size > 0) {
      memcpy(shareds, kmp->shareds, pattern.shareds_size);
      part->shareds = shareds;
    }
    const auto at = [&](uint64_t k) { return first + k * static_cast<uint64_t>(step); };
    const uint64_t part_low = at(begin), part_high = at(begin + count - 1);
    memcpy(reinterpret_cast<char*>(part) + low_offset, &part_low, sizeof(part_low));
    memcpy(reinterpret_cast<char*>(part) + high_offset, &part_high, sizeof(part_high));
    begin += count;
    if (duplicate != nullptr) duplicate(part, kmp, begin == trips);
    ExplicitTask* const task = MakeTask(part, pattern.flags, pattern.size, pattern.shareds_size);
    if (deferred) {
      Create(*task, {}, pc);
    } else {
      Run(*task);
      Release(task);
    }
  }
  Free(reinterpret_cast<Header*>(kmp) - 1);
  Release(&pattern);
}

}  // namespace

void ForgetChildren(Task& task) {
  while (task.children != nullptr) {
    ExplicitTask* const child = task.children;
    task.children = child->older;
    Release(child);
  }
  if (task.dependences == nullptr) return;
  task.dependences->ForEachTask(Release);
  task.dependences->FreeStorage();
  Free(task.dependences);
  task.dependences = nullptr;
}

}  // namespace taskrace::openmp

using namespace taskrace::openmp;

OPENMP_ENTRY KmpTask* __kmpc_omp_task_alloc(Ident*, int32_t, int32_t flags, size_t size,
                                            size_t shareds_size,
                                            int32_t (*entry)(int32_t, KmpTask*)) {
  KmpTask* const kmp = AllocateKmp(size, shareds_size);
  kmp->entry = entry;
  MakeTask(kmp, static_cast<uint32_t>(flags), size, shareds_size);
  return kmp;
}
OPENMP_ENTRY KmpTask* __kmpc_omp_target_task_alloc(Ident* ident, int32_t gtid, int32_t flags,
                                                   size_t size, size_t shareds_size,
                                                   int32_t (*entry)(int32_t, KmpTask*), int64_t) {
  KmpTask* const kmp = __kmpc_omp_task_alloc(ident, gtid, flags, size, shareds_size, entry);
  TaskOf(kmp)->is_target = true;
  return kmp;
}
OPENMP_ENTRY int32_t __kmpc_omp_task(Ident*, int32_t, KmpTask* kmp) {
  ExplicitTask& task = *TaskOf(kmp);
  if (Here().task == &task) {
    task.goes_on = true;
    return 0;
  }
  Create(task, {}, OPENMP_CALLER);
  return 0;
}
OPENMP_ENTRY int32_t __kmpc_omp_task_parts(Ident*, int32_t, KmpTask* kmp) {
  ExplicitTask& task = *TaskOf(kmp);
  if (Here().task == &task) {
    task.goes_on = true;
    return 0;
  }
  Create(task, {}, OPENMP_CALLER);
  return 0;
}
OPENMP_ENTRY int32_t __kmpc_omp_task_with_deps(Ident*, int32_t, KmpTask* kmp, int32_t count,
                                               Dependence* list, int32_t, Dependence*) {
  ExplicitTask& task = *TaskOf(kmp);
  if (Here().task == &task) {
    task.goes_on = true;
    return 0;
  }
  const Predecessors predecessors = Depend(&task, count, list);
  Create(task, predecessors, OPENMP_CALLER);
  return 0;
}
OPENMP_ENTRY void __kmpc_omp_wait_deps(Ident*, int32_t, int32_t count, Dependence* list, int32_t,
                                       Dependence*) {
  WaitForThose(count, list, OPENMP_CALLER);
}
OPENMP_ENTRY void __kmpc_omp_taskwait_deps_51(Ident*, int32_t, int32_t count, Dependence* list,
                                              int32_t, Dependence*, int32_t nowait) {
  if (nowait == 0) return WaitForThose(count, list, OPENMP_CALLER);
  KmpTask* const kmp = AllocateKmp(sizeof(KmpTask), 0);
  kmp->entry = [](int32_t, KmpTask*) -> int32_t { return 0; };
  ExplicitTask* const task = MakeTask(kmp, kTied, sizeof(KmpTask), 0);
  Create(*task, Depend(task, count, list), OPENMP_CALLER);
}
OPENMP_ENTRY void __kmpc_omp_task_begin_if0(Ident*, int32_t, KmpTask* kmp) {
  ExplicitTask& task = *TaskOf(kmp);
  // Who created it is kept where only deferred tasks have something.
  task.future.waiters = Enter(task);
}
OPENMP_ENTRY void __kmpc_omp_task_complete_if0(Ident*, int32_t, KmpTask* kmp) {
  ExplicitTask& task = *TaskOf(kmp);
  Finish(task);
  Exit(task, static_cast<Task*>(task.future.waiters));
  Release(&task);
}
OPENMP_ENTRY int32_t __kmpc_omp_taskwait(Ident*, int32_t) {
  Taskwait(OPENMP_CALLER);
  return 0;
}
OPENMP_ENTRY Event* __kmpc_task_allow_completion_event(Ident*, int32_t, KmpTask* kmp) {
  ExplicitTask& task = *TaskOf(kmp);
  if (task.event == nullptr) task.event = new (Allocate<Event>()) Event;
  return task.event;
}
OPENMP_ENTRY void omp_fulfill_event(Event* event) {
  __taskrace_happens_before(event);
  event->is_fulfilled = true;
}
OPENMP_ENTRY int32_t __kmpc_omp_taskyield(Ident*, int32_t, int32_t) { return 0; }
OPENMP_ENTRY int32_t __kmpc_omp_reg_task_with_affinity(Ident*, int32_t, KmpTask*, int32_t, void*) {
  return 0;
}
OPENMP_ENTRY void __kmpc_taskgroup(Ident*, int32_t) { BeginTaskgroup(OPENMP_CALLER); }
OPENMP_ENTRY void __kmpc_end_taskgroup(Ident*, int32_t) { EndTaskgroup(OPENMP_CALLER); }
OPENMP_ENTRY void __kmpc_taskloop(Ident*, int32_t, KmpTask* kmp, int32_t condition, uint64_t* low,
                                  uint64_t* high, int64_t step, int32_t nogroup, int32_t how,
                                  uint64_t value, Duplicate duplicate) {
  if (nogroup == 0) BeginTaskgroup(OPENMP_CALLER);
  Taskloop(kmp, condition != 0, low, high, step, how, value, false, duplicate, OPENMP_CALLER);
  if (nogroup == 0) EndTaskgroup(OPENMP_CALLER);
}
OPENMP_ENTRY void __kmpc_taskloop_5(Ident*, int32_t, KmpTask* kmp, int32_t condition, uint64_t* low,
                                    uint64_t* high, int64_t step, int32_t nogroup, int32_t how,
                                    uint64_t value, int32_t modifier, Duplicate duplicate) {
  if (nogroup == 0) BeginTaskgroup(OPENMP_CALLER);
  Taskloop(kmp, condition != 0, low, high, step, how, value, modifier != 0, duplicate,
           OPENMP_CALLER);
  if (nogroup == 0) EndTaskgroup(OPENMP_CALLER);
}
OPENMP_ENTRY void* __kmpc_taskred_init(int32_t, int32_t count, void* items) {
  return InitReductions(count, static_cast<const ReductionItem*>(items));
}
OPENMP_ENTRY void* __kmpc_taskred_modifier_init(Ident*, int32_t, int32_t, int32_t count,
                                                void* items) {
  return BeginReductions(count, static_cast<const ReductionItem*>(items));
}
OPENMP_ENTRY void __kmpc_task_reduction_modifier_fini(Ident*, int32_t, int32_t) { EndReductions(); }
OPENMP_ENTRY void* __kmpc_task_reduction_get_th_data(int32_t, void*, void* data) {
  return ReductionCopyOf(data);
}
