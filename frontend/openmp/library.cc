// The functions of omp.h. Places and devices have one trivial answer: there are none.

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frontend/openmp/settings.h"
#include "frontend/openmp/team.h"

using namespace taskrace::openmp;

namespace {

// The schedule kinds of omp.h, with the modifier that a program may add.
constexpr int32_t kApiStatic = 1, kApiDynamic = 2, kApiGuided = 3, kApiAuto = 4;
constexpr uint32_t kApiMonotonic = 0x80000000u;

double Seconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

// ---- teams and threads

OPENMP_ENTRY int omp_get_thread_num() {
  const Thread& thread = Here();
  if (thread.team->size == 1) return 0;
  MakeAware();
  return thread.team->is_league ? 0 : thread.number;
}
OPENMP_ENTRY int omp_get_num_threads() { return Here().team->is_league ? 1 : Here().team->size; }
OPENMP_ENTRY int omp_get_max_threads() { return Here().task->variables.threads; }
OPENMP_ENTRY int omp_get_num_procs() { return TheSettings().threads; }
OPENMP_ENTRY void omp_set_num_threads(int threads) {
  if (threads > 0) Here().task->variables.threads = threads;
}
OPENMP_ENTRY int omp_in_parallel() { return Here().team->active_level > 0; }
OPENMP_ENTRY void omp_set_dynamic(int dynamic) { Here().task->variables.dynamic = dynamic != 0; }
OPENMP_ENTRY int omp_get_dynamic() { return Here().task->variables.dynamic; }
OPENMP_ENTRY void omp_set_nested(int nested) {
  Here().task->variables.most_active_levels = nested != 0 ? INT32_MAX : 1;
}
OPENMP_ENTRY int omp_get_nested() { return Here().task->variables.most_active_levels > 1; }
OPENMP_ENTRY void omp_set_max_active_levels(int levels) {
  if (levels >= 0) Here().task->variables.most_active_levels = levels;
}
OPENMP_ENTRY int omp_get_max_active_levels() { return Here().task->variables.most_active_levels; }
OPENMP_ENTRY int omp_get_supported_active_levels() { return INT32_MAX; }
OPENMP_ENTRY int omp_get_level() { return Here().team->level; }
OPENMP_ENTRY int omp_get_active_level() { return Here().team->active_level; }
OPENMP_ENTRY int omp_get_ancestor_thread_num(int level) {
  MakeAware();
  const Thread* thread = AncestorAt(level);
  return thread == nullptr ? -1 : thread->team->is_league ? 0 : thread->number;
}
OPENMP_ENTRY int omp_get_team_size(int level) {
  const Thread* thread = AncestorAt(level);
  return thread == nullptr ? -1 : thread->team->is_league ? 1 : thread->team->size;
}
OPENMP_ENTRY int omp_get_thread_limit() { return TheSettings().thread_limit; }
OPENMP_ENTRY int omp_in_final() { return Here().task->is_final; }
OPENMP_ENTRY int omp_in_explicit_task() { return Here().task->as_explicit != nullptr; }
OPENMP_ENTRY int omp_get_proc_bind() { return 0; }
OPENMP_ENTRY int omp_get_max_task_priority() { return 0; }
OPENMP_ENTRY void omp_set_schedule(int kind, int chunk) {
  Variables& variables = Here().task->variables;
  switch (static_cast<int32_t>(static_cast<uint32_t>(kind) & ~kApiMonotonic)) {
    case kApiStatic:
      variables.schedule = kStatic;
      break;
    case kApiDynamic:
      variables.schedule = kDynamic;
      break;
    case kApiGuided:
      variables.schedule = kGuided;
      break;
    default:
      variables.schedule = kAuto;
  }
  variables.chunk = chunk > 0 ? chunk : 0;
}
OPENMP_ENTRY void omp_get_schedule(int* kind, int* chunk) {
  const Variables& variables = Here().task->variables;
  *kind = variables.schedule == kStatic    ? kApiStatic
          : variables.schedule == kDynamic ? kApiDynamic
          : variables.schedule == kGuided  ? kApiGuided
                                           : kApiAuto;
  *chunk = variables.chunk;
}

// ---- leagues

OPENMP_ENTRY int omp_get_num_teams() {
  const Thread* initial = InitialOfLeague();
  return initial == nullptr ? 1 : initial->team->size;
}
OPENMP_ENTRY int omp_get_team_num() {
  MakeAware();
  const Thread* initial = InitialOfLeague();
  return initial == nullptr ? 0 : initial->number;
}
OPENMP_ENTRY void omp_set_num_teams(int teams) {
  if (teams > 0) TheSettings().teams = teams;
}
OPENMP_ENTRY int omp_get_max_teams() { return TheSettings().teams; }
OPENMP_ENTRY void omp_set_teams_thread_limit(int limit) {
  if (limit > 0) TheSettings().teams_thread_limit = limit;
}
OPENMP_ENTRY int omp_get_teams_thread_limit() { return TheSettings().teams_thread_limit; }

// ---- time

OPENMP_ENTRY double omp_get_wtime() { return Seconds(CLOCK_MONOTONIC); }
OPENMP_ENTRY double omp_get_wtick() { return 1e-9; }

// ---- places

OPENMP_ENTRY int omp_get_num_places() { return 0; }
OPENMP_ENTRY int omp_get_place_num_procs(int) { return 0; }
OPENMP_ENTRY void omp_get_place_proc_ids(int, int*) {}
OPENMP_ENTRY int omp_get_place_num() { return -1; }
OPENMP_ENTRY int omp_get_partition_num_places() { return 0; }
OPENMP_ENTRY void omp_get_partition_place_nums(int*) {}
OPENMP_ENTRY void omp_set_affinity_format(const char*) {}
OPENMP_ENTRY size_t omp_get_affinity_format(char* buffer, size_t size) {
  if (size > 0) buffer[0] = '\0';
  return 0;
}
OPENMP_ENTRY void omp_display_affinity(const char*) {}
OPENMP_ENTRY size_t omp_capture_affinity(char* buffer, size_t size, const char*) {
  if (size > 0) buffer[0] = '\0';
  return 0;
}
OPENMP_ENTRY void omp_display_env(int) {}

// ---- devices: the host, which is number 0

OPENMP_ENTRY int omp_get_num_devices() { return 0; }
OPENMP_ENTRY int omp_get_default_device() { return 0; }
OPENMP_ENTRY void omp_set_default_device(int) {}
OPENMP_ENTRY int omp_get_initial_device() { return 0; }
OPENMP_ENTRY int omp_get_device_num() { return 0; }
OPENMP_ENTRY int omp_is_initial_device() { return 1; }
OPENMP_ENTRY int omp_pause_resource(int, int) { return 0; }
OPENMP_ENTRY int omp_pause_resource_all(int) { return 0; }
OPENMP_ENTRY void* omp_target_alloc(size_t size, int) { return malloc(size); }
OPENMP_ENTRY void omp_target_free(void* block, int) { free(block); }
OPENMP_ENTRY int omp_target_is_present(const void*, int) { return 1; }
OPENMP_ENTRY int omp_target_memcpy(void* to, const void* from, size_t size, size_t to_offset,
                                   size_t from_offset, int, int) {
  void* const first = static_cast<char*>(to) + to_offset;
  const void* const source = static_cast<const char*>(from) + from_offset;
  __taskrace_read_range(source, size);
  __taskrace_write_range(first, size);
  memcpy(first, source, size);
  return 0;
}

// ---- allocators: malloc and its kin

OPENMP_ENTRY void* omp_alloc(size_t size, uintptr_t) { return malloc(size); }
OPENMP_ENTRY void* omp_calloc(size_t count, size_t size, uintptr_t) { return calloc(count, size); }
OPENMP_ENTRY void* omp_realloc(void* block, size_t size, uintptr_t, uintptr_t) {
  return realloc(block, size);
}
OPENMP_ENTRY void* omp_aligned_alloc(size_t alignment, size_t size, uintptr_t) {
  return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
OPENMP_ENTRY void* omp_aligned_calloc(size_t alignment, size_t count, size_t size, uintptr_t) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
  void* const block = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (block != nullptr) memset(block, 0, bytes);
  return block;
}
OPENMP_ENTRY void omp_free(void* block, uintptr_t) { free(block); }
OPENMP_ENTRY uintptr_t omp_init_allocator(uintptr_t, int, void*) { return 1; }
OPENMP_ENTRY void omp_destroy_allocator(uintptr_t) {}
OPENMP_ENTRY void omp_set_default_allocator(uintptr_t) {}
OPENMP_ENTRY uintptr_t omp_get_default_allocator() { return 1; }
OPENMP_ENTRY void* __kmpc_alloc(int32_t, size_t size, uintptr_t) { return malloc(size); }
OPENMP_ENTRY void* __kmpc_aligned_alloc(int32_t, size_t alignment, size_t size, uintptr_t) {
  return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
OPENMP_ENTRY void __kmpc_free(int32_t, void* block, uintptr_t) { free(block); }
OPENMP_ENTRY uintptr_t __kmpc_init_allocator(int32_t, uintptr_t, int32_t, void*) { return 1; }
OPENMP_ENTRY void __kmpc_destroy_allocator(int32_t, uintptr_t) {}

// ---- those of LLVM's library

OPENMP_ENTRY void* kmp_malloc(size_t size) { return malloc(size); }
OPENMP_ENTRY void* kmp_calloc(size_t count, size_t size) { return calloc(count, size); }
OPENMP_ENTRY void* kmp_realloc(void* block, size_t size) { return realloc(block, size); }
OPENMP_ENTRY void kmp_free(void* block) { free(block); }
OPENMP_ENTRY void kmp_set_blocktime(int) {}
OPENMP_ENTRY int kmp_get_blocktime() { return 0; }
OPENMP_ENTRY void kmp_set_defaults(const char*) {}
OPENMP_ENTRY void kmp_set_stacksize_s(size_t) {}

// `#pragma omp error at(execution)`
OPENMP_ENTRY void __kmpc_error(Ident*, int32_t severity, const char* message) {
  constexpr int32_t kFatal = 2;
  if (severity == kFatal) Runtime().Fail(message == nullptr ? "omp error" : message, OPENMP_CALLER);
  Runtime().Warn(message == nullptr ? "omp error" : message, OPENMP_CALLER);
}
