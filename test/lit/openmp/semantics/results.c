// Every iteration is run once, and every construct gives the result that the program is written for: all schedules and
// types of loops, teams of 1 to 9 threads. Nothing here races.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --mode=off %t | %FileCheck --check-prefix=ALONE %s
// RUN: env OMP_SCHEDULE=dynamic,3 OMP_NUM_THREADS=3 %t | %FileCheck --check-prefix=ALONE %s
// CHECK-NOT: race:
// CHECK: taskrace: no races
// CHECK: fails 0
// ALONE: fails 0
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 1000
static int hit[N];
static int fails;
#define CHECK(c)                             \
  do {                                       \
    if (!(c)) {                              \
      printf("line %d: %s\n", __LINE__, #c); \
      fails++;                               \
    }                                        \
  } while (0)
static void clear(void) { memset(hit, 0, sizeof hit); }
static void all(int n, int line) {
  for (int i = 0; i < N; i++)
    if (hit[i] != (i < n)) {
      printf("line %d: hit[%d]=%d n=%d\n", line, i, hit[i], n);
      fails++;
      return;
    }
}
#define STR(x) #x
#define P(x) _Pragma(STR(x))
#define L2(type, sched, n)                                                                                                  \
  do {                                                                                                                      \
    clear(); P(omp parallel for schedule(sched)) for (type i = 0; i < (type)(n); i++) hit[i]++; \
    all(n, __LINE__);                                                                                                       \
    clear(); P(omp parallel for schedule(sched)) for (type i = (type)(n); i > 0; i--) hit[i-1]++;                             \
    all(n, __LINE__);                                                                                                       \
    clear();                                                                                                                \
    int last = -1; P(omp parallel for schedule(sched) lastprivate(last)) for (type i = 0; i < (type)(n); i++) {      \
      hit[i]++;                                                                                                             \
      last = (int)i;                                                                                                        \
    }                                                                                                                       \
    all(n, __LINE__);                                                                                                       \
    CHECK(last == (n) - 1);                                                                                                 \
  } while (0)
#define ALL(type, n)                                                                               \
  L2(type, static, n);                                                                             \
  L2(type, dynamic, n);                                                                            \
  L2(type, guided, n);                                                                             \
  L2(type, auto, n);                                                                               \
  L2(type, runtime, n);                                                                            \
  do {                                                                                             \
    clear();                                                                                       \
    _Pragma("omp parallel for schedule(static,1)") for (type i = 0; i < (type)(n); i++) hit[i]++;  \
    all(n, __LINE__);                                                                              \
  } while (0);                                                                                     \
  do {                                                                                             \
    clear();                                                                                       \
    _Pragma("omp parallel for schedule(static,7)") for (type i = 0; i < (type)(n); i++) hit[i]++;  \
    all(n, __LINE__);                                                                              \
  } while (0);                                                                                     \
  do {                                                                                             \
    clear();                                                                                       \
    _Pragma("omp parallel for schedule(dynamic,7)") for (type i = 0; i < (type)(n); i++) hit[i]++; \
    all(n, __LINE__);                                                                              \
  } while (0);                                                                                     \
  do {                                                                                             \
    clear();                                                                                       \
    _Pragma("omp parallel for schedule(guided,7)") for (type i = 0; i < (type)(n); i++) hit[i]++;  \
    all(n, __LINE__);                                                                              \
  } while (0);
static int tp = 5;
#pragma omp threadprivate(tp)
static _Thread_local int tls = 7;
static long fib(int n) {
  if (n < 2) return n;
  long a, b;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}
int main(void) {
  for (int n = 0; n <= 40; n++) {
    ALL(int, n) ALL(unsigned, n) ALL(long, n) ALL(unsigned long, n)
  }
  {
    int n = 999;
    ALL(int, n) ALL(unsigned long, n)
  }
  for (int t = 1; t <= 9; t++) {
    omp_set_num_threads(t);
    int sum = 0;
    double prod = 1;
    int size = 0;
#pragma omp parallel for reduction(+ : sum) reduction(* : prod)
    for (int i = 1; i <= 100; i++) {
      sum += i;
      if (i < 5) prod *= i;
    }
    CHECK(sum == 5050);
    CHECK(prod == 24);
    int singles = 0, masters = 0, barriers[16] = {0};
#pragma omp parallel
    {
#pragma omp single
      {
        singles++;
        size = omp_get_num_threads();
      }
#pragma omp single nowait
      singles++;
#pragma omp master
      masters++;
      barriers[omp_get_thread_num()] = omp_get_thread_num() + 1;
#pragma omp barrier
      int next = barriers[(omp_get_thread_num() + 1) % omp_get_num_threads()];
      CHECK(next == (omp_get_thread_num() + 1) % omp_get_num_threads() + 1);
    }
    CHECK(singles == 2);
    CHECK(masters == 1);
    CHECK(size == t);
    int cp = 0, ok = 0;
#pragma omp parallel firstprivate(cp)
    {
#pragma omp single copyprivate(cp)
      cp = 42;
#pragma omp critical
      ok += cp == 42;
    }
    CHECK(ok == t);
    int sec[5] = {0};
#pragma omp parallel sections
    {
#pragma omp section
      sec[0]++;
#pragma omp section
      sec[1]++;
#pragma omp section
      sec[2]++;
#pragma omp section
      sec[3]++;
#pragma omp section
      sec[4]++;
    }
    for (int i = 0; i < 5; i++) CHECK(sec[i] == 1);
    char text[300];
    int at = 0;
#pragma omp parallel for ordered
    for (int i = 0; i < 26; i++) {
#pragma omp ordered
      text[at++] = 'a' + i;
    }
    text[at] = 0;
    CHECK(!strcmp(text, "abcdefghijklmnopqrstuvwxyz"));
    at = 0;
#pragma omp parallel for ordered schedule(dynamic, 3)
    for (int i = 0; i < 26; i++) {
#pragma omp ordered
      text[at++] = 'a' + i;
    }
    text[at] = 0;
    CHECK(!strcmp(text, "abcdefghijklmnopqrstuvwxyz"));
    int d[101];
    d[0] = 1;
#pragma omp parallel for ordered(1)
    for (int i = 1; i <= 100; i++) {
#pragma omp ordered depend(sink : i - 1)
      d[i] = d[i - 1] + i;
#pragma omp ordered depend(source)
    }
    CHECK(d[100] == 5051);
    long f;
#pragma omp parallel
#pragma omp single
    f = fib(15);
    CHECK(f == 610);
    int x = 0, y = 0, z = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x)
      x = 1;
#pragma omp task depend(in : x) depend(out : y)
      y = x + 1;
#pragma omp task depend(in : x) depend(out : z)
      z = x + 2;
#pragma omp task depend(in : y, z) depend(inout : x)
      x = y + z;
    }
    CHECK(x == 5);
    int tl[100] = {0}, last = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(7) lastprivate(last)
    for (int i = 0; i < 100; i++) {
      tl[i]++;
      last = i;
    }
    for (int i = 0; i < 100; i++) CHECK(tl[i] == 1);
    CHECK(last == 99);
    int red = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : red)
    {
      for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : red) firstprivate(i)
        red += i;
      }
    }
    CHECK(red == 45);
    tp = 5;
    tls = 7;
    int tpsum = 0, tlssum = 0;
#pragma omp parallel copyin(tp) reduction(+ : tpsum, tlssum)
    {
      tls = 100 + omp_get_thread_num();
      tp += omp_get_thread_num();
#pragma omp barrier
      tpsum += tp;
      tlssum += tls - 100;
    }
    CHECK(tpsum == 5 * t + t * (t - 1) / 2);
    CHECK(tlssum == t * (t - 1) / 2);
    int nested = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(3)
    {
#pragma omp critical
      {
        nested++;
        CHECK(omp_get_level() == 2);
        CHECK(omp_get_ancestor_thread_num(1) < 2);
        CHECK(omp_get_team_size(2) == 3);
      }
#pragma omp barrier
    }
    CHECK(nested == 6);
    omp_set_max_active_levels(1);
    omp_lock_t l;
    omp_init_lock(&l);
    int locked = 0;
#pragma omp parallel
    {
      omp_set_lock(&l);
      locked++;
      omp_unset_lock(&l);
    }
    CHECK(locked == t);
    omp_destroy_lock(&l);
    omp_nest_lock_t nl;
    omp_init_nest_lock(&nl);
#pragma omp parallel
    {
      omp_set_nest_lock(&nl);
      omp_set_nest_lock(&nl);
      locked--;
      omp_unset_nest_lock(&nl);
      omp_unset_nest_lock(&nl);
    }
    CHECK(locked == 0);
    int teams = 0;
#pragma omp target teams distribute parallel for reduction(+ : teams)
    for (int i = 0; i < 50; i++) teams += i;
    CHECK(teams == 1225);
    int a1[3] = {1, 2, 3};
    int many = 0;
    int b1 = 1, b2 = 2, b3 = 3, b4 = 4, b5 = 5, b6 = 6, b7 = 7, b8 = 8;
#pragma omp parallel reduction(+ : many) firstprivate(b1, b2) shared(b3, b4, b5, b6, b7, b8, a1)
    many += b1 + b2 + b3 + b4 + b5 + b6 + b7 + b8 + a1[0] + a1[1];
    CHECK(many == 39 * t);
    int um = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task untied shared(um)
      {
        int k = 3;
#pragma omp task shared(um) firstprivate(k)
        um += k;
#pragma omp taskwait
        um += k * 10;
      }
    }
    CHECK(um == 33);
    int col = 0;
#pragma omp parallel for collapse(2) reduction(+ : col)
    for (int i = 0; i < 7; i++)
      for (int j = 0; j < 11; j++) col += i * j;
    CHECK(col == 21 * 55);
  }
  printf("fails %d\n", fails);
  return fails != 0;
}
