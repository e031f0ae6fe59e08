// Lanes of loops that are shared out in chunks, of tasks, of teams, and inside of iterations.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 -g %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 -g %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
int in_chunks[100], dynamically[100], in_tasks[100], in_teams[101], inside[50][50];

int main(void) {
#pragma omp parallel for simd schedule(static, 100)
  for (int i = 0; i < 99; i++) in_chunks[i + 1] = in_chunks[i] + 1;
#pragma omp parallel for simd schedule(dynamic, 100)
  for (int i = 0; i < 99; i++) dynamically[i + 1] = dynamically[i] + 1;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop simd grainsize(100)
  for (int i = 0; i < 99; i++) in_tasks[i + 1] = in_tasks[i] + 1;
#pragma omp teams distribute simd dist_schedule(static, 100)
  for (int i = 0; i < 100; i++) in_teams[i] = in_teams[i + 1];
#pragma omp parallel for
  for (int i = 0; i < 50; i++)
#pragma omp simd
    for (int j = 1; j < 50; j++) inside[i][j] = inside[i][j - 1] + 1;
  return 0;
}
// CHECK-DAG: race: write-read on 'in_chunks'
// CHECK-DAG: race: write-read on 'dynamically'
// CHECK-DAG: race: write-read on 'in_tasks'
// CHECK-DAG: race: read-write on 'in_teams'
// CHECK-DAG: race: write-read on 'inside'
// CHECK-DAG: iteration 0 of the simd loop at simd_of_other_loops.c:20:1 in main [parallel region]
// CHECK-DAG: by iteration 0 of the loop at simd_of_other_loops.c:18:1
// CHECK: 5 races
