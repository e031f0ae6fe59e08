// Loops whose bounds are at the ends of their types, by calls of the runtime as clang makes them: every
// iteration is run once, in teams of 1 to 9 threads, for all types and schedules and both directions.
// RUN: %taskrace cc -fopenmp -O1 %s -o %t && %taskrace run --mode=off %t | %FileCheck %s
#include <limits.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { kMost = 64 };
static int hit[kMost], last_seen, fails;

#define LOOPS(suffix, type, stype)                                                                \
  void __kmpc_for_static_init_##suffix(void *, int, int, int *, type *, type *, stype *, stype,   \
                                       stype);                                                    \
  void __kmpc_dispatch_init_##suffix(void *, int, int, type, type, stype, stype);                 \
  int __kmpc_dispatch_next_##suffix(void *, int, int *, type *, type *, stype *);                 \
  static void hit_##suffix(type first, type low, type high, stype step) {                         \
    for (type at = low;; at = (type)((uint64_t)at + (uint64_t)step)) {                            \
      hit[step > 0 ? ((uint64_t)at - (uint64_t)first) / (uint64_t)step                            \
                   : ((uint64_t)first - (uint64_t)at) / -(uint64_t)step]++;                       \
      if (at == high) break;                                                                      \
    }                                                                                             \
  }                                                                                               \
  static void run_##suffix(type first, int count, stype step) {                                   \
    const type end = (type)((uint64_t)first + (uint64_t)(count - 1) * (uint64_t)step);            \
    for (int threads = 1; threads <= 9; threads++) {                                              \
      memset(hit, 0, sizeof hit);                                                                 \
      last_seen = 0;                                                                              \
      _Pragma("omp parallel num_threads(threads)") {                                              \
        type low = first, high = end;                                                             \
        stype stride;                                                                             \
        int last = 0;                                                                             \
        __kmpc_for_static_init_##suffix(0, 0, 34, &last, &low, &high, &stride, step, 1);          \
        if (step > 0 ? low <= high : low >= high) hit_##suffix(first, low, high, step);           \
        last_seen += last;                                                                        \
        __kmpc_for_static_fini(0, 0);                                                             \
      }                                                                                           \
      check(count, #suffix " static", threads);                                                   \
      for (int schedule = 33; schedule <= 38; schedule++) {                                       \
        if (schedule == 34) continue;                                                             \
        memset(hit, 0, sizeof hit);                                                               \
        last_seen = 0;                                                                            \
        _Pragma("omp parallel num_threads(threads)") {                                            \
          type low, high;                                                                         \
          stype stride;                                                                           \
          int last = 0, was_last = 0;                                                             \
          __kmpc_dispatch_init_##suffix(0, 0, schedule, first, end, step, 3);                     \
          while (__kmpc_dispatch_next_##suffix(0, 0, &last, &low, &high, &stride)) {              \
            hit_##suffix(first, low, high, step);                                                 \
            was_last |= last;                                                                     \
          }                                                                                       \
          last_seen += was_last;                                                                  \
        }                                                                                         \
        check(count, #suffix " dispatch", threads);                                               \
      }                                                                                           \
    }                                                                                             \
  }

void __kmpc_for_static_fini(void *, int);

static void check(int count, const char *what, int threads) {
  for (int i = 0; i < kMost; i++) {
    if (hit[i] == (i < count)) continue;
    printf("%s, %d threads: iteration %d of %d was run %d times\n", what, threads, i, count, hit[i]);
    fails++;
  }
  if (last_seen != 1) {
    printf("%s, %d threads: %d have the last iteration of %d\n", what, threads, last_seen, count);
    fails++;
  }
}

LOOPS(4, int32_t, int32_t)
LOOPS(4u, uint32_t, int32_t)
LOOPS(8, int64_t, int64_t)
LOOPS(8u, uint64_t, int64_t)

int main(void) {
  for (int count = 1; count <= 20; count++) {
    run_4(INT_MIN, count, 1);
    run_4(INT_MAX - count + 1, count, 1);
    run_4(INT_MIN + count - 1, count, -1);
    run_4(INT_MAX, count, -1);
    run_4(INT_MIN, count, 1000);
    run_4u(0, count, 1);
    run_4u(UINT_MAX - (unsigned)count + 1, count, 1);
    run_4u((unsigned)count - 1, count, -1);
    run_4u(UINT_MAX, count, -7);
    run_8(INT64_MIN, count, 1);
    run_8(INT64_MAX - count + 1, count, 1);
    run_8(INT64_MIN + count - 1, count, -1);
    run_8u(0, count, 1);
    run_8u(UINT64_MAX - (uint64_t)count + 1, count, 1);
    run_8u(UINT64_MAX, count, -1);
  }
  // CHECK: 0 failures
  printf("%d failures\n", fails);
}
