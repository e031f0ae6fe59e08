// What is not supported is an error that says what to do; the library's own headers are the way out.
// RUN: %not %taskrace c++ -fsyntax-only -DINTERNAL %s 2>&1 | %FileCheck %s --check-prefix=INTERNAL
// RUN: %not %taskrace c++ -fsyntax-only -DPOOL %s 2>&1 | %FileCheck %s --check-prefix=POOL
// RUN: %not %taskrace c++ -fsyntax-only -std=c++14 %s 2>&1 | %FileCheck %s --check-prefix=OLD
// RUN: %not %taskrace c++ -fsyntax-only -DCLASSIC %s 2>&1 | %FileCheck %s --check-prefix=CLASSIC
// RUN: %taskrace c++ -fsyntax-only -DINTERNAL -DPOOL -DREAL -ftaskrace-real-tbb %s
// INTERNAL: error: {{.*}}_task.h> is internal to oneTBB{{.*}}-ftaskrace-real-tbb
// POOL: error: {{.*}}does not support memory pools
// OLD: error: "taskrace needs C++17 for oneTBB
// CLASSIC: error: {{.*}}was removed from oneTBB in 2021
#ifdef INTERNAL
#include <oneapi/tbb/detail/_task.h>
#endif
#ifdef POOL
#define TBB_PREVIEW_MEMORY_POOL 1
#include <tbb/memory_pool.h>
#endif
#ifdef CLASSIC
#include <tbb/task_scheduler_init.h>
#endif
#include <tbb/parallel_for.h>
