// What programs do right: loops, tasks, locks, waits, per-thread data.
// RUN: cd %S
// RUN: %taskrace cc -w -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -w -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N 40
double a[N][N], b[N][N], c[N][N], u[N][N];
int numbers[1000], counts[16], part[65], taken, wavefront[N][N], ping[2][64], flags[64],
    steps[64][10], triangle[N][N];
char bytes[1000];

void loops(void) {
  int i, j, k;
#pragma omp parallel for private(j, k)
  for (i = 0; i < N; i++)
    for (k = 0; k < N; k++)
      for (j = 0; j < N; j++) c[i][j] += a[i][k] * b[k][j];
#pragma omp parallel for collapse(2)
  for (i = 0; i < N; i++)
    for (j = i; j < N; j++) triangle[i][j] = i + j;
#pragma omp parallel for schedule(guided)
  for (long n = 999; n >= 0; n--) bytes[n] = (char)n;
  // Gauss without pivots, red and black points, diagonals
  for (k = 0; k < N; k++) {
#pragma omp parallel for private(j)
    for (i = k + 1; i < N; i++) {
      a[i][k] /= a[k][k] + 1;
      for (j = k + 1; j < N; j++) a[i][j] -= a[i][k] * a[k][j];
    }
  }
  for (int color = 0; color < 2; color++) {
#pragma omp parallel for private(j)
    for (i = 1; i < N - 1; i++)
      for (j = 1 + (i + color) % 2; j < N - 1; j += 2)
        u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
  }
#pragma omp parallel
  for (int d = 2; d <= 2 * (N - 1); d++) {
    const int low = d - (N - 1) > 1 ? d - (N - 1) : 1, high = d - 1 < N - 1 ? d - 1 : N - 1;
#pragma omp for
    for (int n = low; n <= high; n++)
      wavefront[n][d - n] = wavefront[n - 1][d - n] + wavefront[n][d - n - 1] + 1;
  }
#pragma omp parallel for
#pragma omp tile sizes(8, 8)
  for (int n = 0; n < N; n++)
    for (int m = 0; m < N; m++) triangle[n][m] = n;
  int length = 10, x = 0, at = 0;
  double scratch[length];
#pragma omp parallel for private(scratch) lastprivate(conditional : x) linear(at : 2)
  for (int n = 0; n < 100; n++) {
    scratch[n % 10] = n;
    if (n % 7 == 0) x = n;
    numbers[at] = (int)scratch[n % 10];
    at += 2;
  }
  int sums[8] = {0}, *sum = sums;
#pragma omp parallel for reduction(+ : sum[0 : 8])
  for (int n = 0; n < 1000; n++) sum[n & 7]++;
  printf("loops %d %d\n", x, sums[3]);
}

void threads(void) {
#pragma omp parallel
  for (;;) {
    int next;
#pragma omp atomic capture
    next = taken++;
    if (next >= 1000) break;
    numbers[next] = 1;
  }
  int own[65] = {0};
#pragma omp parallel
  {
    const int t = omp_get_thread_num(), n = omp_get_num_threads();
    const int low = 1000 * t / n, high = 1000 * (t + 1) / n;
    for (int i = low + 1; i < high; i++) numbers[i] += numbers[i - 1];
    part[t + 1] = numbers[high - 1];
#pragma omp barrier
#pragma omp single
    for (int i = 1; i <= n; i++) part[i] += part[i - 1];
    for (int i = low; i < high; i++) numbers[i] += part[t];
    for (int s = 0; s < 10; s++) {
      ping[s & 1][t] = ping[(s + 1) & 1][(t + 1) % n] + 1;
#pragma omp barrier
    }
#pragma omp for
    for (int i = 0; i < 1000; i++) own[t]++;
  }
  omp_lock_t locks[10];
  int buckets[10] = {0}, *heap = malloc(sizeof(int) * 10);
  for (int i = 0; i < 10; i++) omp_init_lock(&locks[i]);
#pragma omp parallel for
  for (int i = 0; i < 1000; i++) {
    const int bucket = i * i % 10;
    omp_set_lock(&locks[bucket]);
    buckets[bucket]++;
    omp_unset_lock(&locks[bucket]);
#pragma omp atomic
    counts[i % 16]++;
  }
  free(heap);
  printf("threads %d %d\n", numbers[999], buckets[0]);
}

int fibonacci(int n) {
  if (n < 2) return n;
  int left, right;
#pragma omp task shared(left) final(n < 5)
  left = fibonacci(n - 1);
#pragma omp task shared(right) if (n > 3)
  right = fibonacci(n - 2);
#pragma omp taskwait
  return left + right;
}

void sort(int* array, int low, int high) {
  if (low >= high) return;
  int pivot = array[high], i = low;
  for (int j = low; j < high; j++) {
    if (array[j] >= pivot) continue;
    int t = array[i];
    array[i++] = array[j];
    array[j] = t;
  }
  array[high] = array[i];
  array[i] = pivot;
#pragma omp task
  sort(array, low, i - 1);
#pragma omp task
  sort(array, i + 1, high);
}

void tasks(void) {
  int array[200], blocks[50] = {0}, x = 0, y = 0, z = 0, reduced = 0, all = 0;
  for (int i = 0; i < 200; i++) array[i] = i * 7919 % 1000;
#pragma omp parallel
#pragma omp single
  {
    x = fibonacci(10);
#pragma omp taskgroup
    sort(array, 0, 199);
    for (int step = 0; step < 3; step++) {
      for (int i = 0; i < 5; i++) {
#pragma omp task depend(inout : blocks[i * 10 : 10])
        for (int j = 0; j < 10; j++) blocks[i * 10 + j] += step;
      }
    }
    omp_depend_t object;
#pragma omp depobj(object) depend(inout : y)
#pragma omp task depend(depobj : object)
    y = 1;
#pragma omp task depend(depobj : object)
    y += 2;
#pragma omp task depend(mutexinoutset : z)
    z += 1;
#pragma omp task depend(mutexinoutset : z)
    z += 2;
#pragma omp task depend(iterator(int k = 0 : 5), in : blocks[k * 10]) depend(in : y, z)
    for (int i = 0; i < 50; i++) all += blocks[i];
#pragma omp taskgroup task_reduction(+ : reduced)
    for (int i = 0; i < 100; i++) {
#pragma omp task in_reduction(+ : reduced)
      reduced += i;
    }
#pragma omp taskgroup
    {
#pragma omp task
      {
#pragma omp task
        array[0] = 1;
      }
    }
    array[0] = 2;
#pragma omp taskwait
#pragma omp depobj(object) destroy
  }
  printf("tasks %d %d %d %d %d\n", x, y, z, reduced, all);
}

int main(void) {
  loops();
  threads();
  tasks();
}
// CHECK: no races
// CHECK: {{^}}loops 98 125
// CHECK: {{^}}threads 1000 100
// CHECK: {{^}}tasks 55 3 3 4950 150
