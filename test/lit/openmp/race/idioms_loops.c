// Mistakes in loops, as they are made: each variable has a race, and is named.
// RUN: cd %S
// RUN: %taskrace cc -w -fopenmp -O0 -g %s -o %t && %not %taskrace run --group=0 --max-races=0 %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -w -fopenmp -O2 -g %s -o %t && %not %taskrace run --group=0 --max-races=0 %t 2>&1 | %FileCheck %s
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dependences(int n) {
  int true_dependence[n], anti_dependence[n + 1];
  memset(true_dependence, 0, sizeof true_dependence);
  memset(anti_dependence, 0, sizeof anti_dependence);
#pragma omp parallel for
  for (int i = 0; i < n - 1; i++) true_dependence[i + 1] = true_dependence[i] + 1;
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; i++) anti_dependence[i] = anti_dependence[i + 1] + 1;
  printf("%d %d\n", true_dependence[n / 2], anti_dependence[n / 2]);
}

int last_value, shared_scratch, sum_without_reduction, index_of_array;
int of_rows[50][50], of_collapsed[50][50], scratch[10], out[100], marked[16], chunked[100],
    copied[1000];
double largest = -1, numbers[100];

void variables(void) {
  int i, j;
#pragma omp parallel for
  for (int k = 0; k < 100; k++) last_value = k;
#pragma omp parallel for
  for (int k = 0; k < 100; k++) {
    shared_scratch = k * 2;
    out[k] = shared_scratch;
  }
#pragma omp parallel for
  for (int k = 0; k < 100; k++) sum_without_reduction += k;
#pragma omp parallel for
  for (int k = 0; k < 50; k++) {
    out[index_of_array] = k;
    index_of_array += 2;
  }
#pragma omp parallel for private(j)
  for (i = 1; i < 50; i++)
    for (j = 0; j < 50; j++) of_rows[i][j] = of_rows[i - 1][j];
#pragma omp parallel for collapse(2)
  for (i = 0; i < 50; i++)
    for (j = 1; j < 50; j++) of_collapsed[i][j] += of_collapsed[i][j - 1];
#pragma omp parallel for
  for (int k = 0; k < 100; k++) {
    for (int m = 0; m < 10; m++) scratch[m] = k + m;
    numbers[k] = scratch[3];
  }
#pragma omp parallel for
  for (int k = 0; k < 100; k++)
    if (numbers[k] > largest) largest = numbers[k];
#pragma omp parallel for
  for (int k = 0; k < 100; k++) marked[(k * 7) % 16]++;
#pragma omp parallel for schedule(static, 5)
  for (int k = 0; k < 100; k++) chunked[k] = k % 10 == 0 ? k : chunked[k - 1] + 1;
#pragma omp parallel for
  for (int k = 0; k < 90; k++) memcpy(copied + k * 10, copied + k * 10 + 5, 40);
}

void add_one(int* to, const int* from, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) to[i] = from[i] + 1;
}

int accumulate(int value) {
  static int static_local;
  return static_local += value;
}

struct {
  unsigned low : 10, high : 10;
} bits;
struct {
  int* data;
  int length;
} holder;
int aliased[101], at[100], indirect[200], with_teams[101], of_loop[101], by_two_threads[8];
int nowait_result;

int main(void) {
  dependences(100);
  variables();
  add_one(aliased, aliased + 1, 100);
#pragma omp parallel for
  for (int i = 0; i < 100; i++) out[i] = accumulate(i);
#pragma omp parallel sections
  {
#pragma omp section
    bits.low = 1;
#pragma omp section
    bits.high = 2;
  }
  holder.length = 0;
#pragma omp parallel for
  for (int i = 0; i < 100; i++) holder.length++;
  for (int i = 0; i < 100; i++) at[i] = 2 * i;
  at[5] = at[90];
#pragma omp parallel for
  for (int i = 0; i < 100; i++) indirect[at[i]] += 1;
#pragma omp target teams distribute parallel for
  for (int i = 0; i < 100; i++) with_teams[i] = with_teams[i + 1];
#pragma omp parallel loop
  for (int i = 0; i < 100; i++) of_loop[i] = of_loop[i + 1];
#pragma omp parallel num_threads(4)
  by_two_threads[omp_get_thread_num() / 2]++;
  int result = 0;
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < 100; i++) out[i] = i;
#pragma omp single
    nowait_result = out[9];
  }
  return 0;
}
// CHECK-DAG: on 'true_dependence'
// CHECK-DAG: on 'anti_dependence'
// CHECK-DAG: on 'last_value'
// CHECK-DAG: on 'shared_scratch'
// CHECK-DAG: on 'sum_without_reduction'
// CHECK-DAG: on 'index_of_array'
// CHECK-DAG: on 'of_rows'
// CHECK-DAG: on 'of_collapsed'
// CHECK-DAG: on 'scratch'
// CHECK-DAG: on 'largest'
// CHECK-DAG: on 'marked'
// CHECK-DAG: on 'chunked'
// CHECK-DAG: on 'copied'
// CHECK-DAG: on 'aliased'
// CHECK-DAG: on 'accumulate.static_local'
// CHECK-DAG: on 'bits'
// CHECK-DAG: on 'holder'
// CHECK-DAG: on 'indirect'
// CHECK-DAG: on 'with_teams'
// CHECK-DAG: on 'of_loop'
// CHECK-DAG: on 'by_two_threads'
// CHECK-DAG: on 'out'
