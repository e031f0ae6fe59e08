// The structures that clang 19 and an OpenMP runtime share (x86-64), and the values in them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace taskrace::openmp {

// Where a construct is.
struct Ident {
  int32_t reserved_1;
  int32_t flags;
  int32_t reserved_2;
  int32_t reserved_3;
  const char* source;  // ";file;function;line;column;;"
};

enum IdentFlag : int32_t { kIsSections = 0x400 };

// kmp_task_t; the task's private variables follow.
struct KmpTask {
  void* shareds;
  int32_t (*entry)(int32_t gtid, KmpTask* task);
  int32_t part_id;
  union {
    int32_t (*destructors)(int32_t gtid, KmpTask* task);
    int32_t priority;
  } data_1;
  union {
    int32_t (*destructors)(int32_t gtid, KmpTask* task);
    int32_t priority;
  } data_2;
};
static_assert(sizeof(KmpTask) == 40);

enum TaskFlag : uint32_t { kTied = 1, kFinal = 2, kHasDestructors = 8, kDetachable = 64 };

// kmp_depend_info
struct Dependence {
  uintptr_t address;
  size_t length;
  uint8_t flags;
};
static_assert(sizeof(Dependence) == 24);

enum DependenceFlag : uint8_t {
  kIn = 1,
  kOut = 3,
  kMutexInOutSet = 4,
  kInOutSet = 8,
  kAllMemory = 0x80
};

// Schedules, without the modifiers monotonic and nonmonotonic.
enum Schedule : int32_t {
  kStaticChunked = 33,
  kStatic = 34,
  kDynamic = 35,
  kGuided = 36,
  kRuntime = 37,
  kAuto = 38,
  kStaticBalancedChunked = 45,  // static,c with simd
  kOrdered = 32,                // is added for a loop with an ordered clause
  kFirstOrdered = 65,
  kLastOrdered = 72,
  kDistributeChunked = 91,
  kDistribute = 92,
};
inline constexpr int32_t kScheduleModifiers = 3 << 29;

// One dimension of a doacross loop.
struct Dimension {
  int64_t low;
  int64_t high;
  int64_t step;
};

using Microtask = void (*)(int32_t* gtid, int32_t* btid, ...);

}  // namespace taskrace::openmp

#define OPENMP_ENTRY extern "C" __attribute__((visibility("default")))
#define OPENMP_CALLER reinterpret_cast<uintptr_t>(__builtin_return_address(0))
