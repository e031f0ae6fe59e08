// What the one who fulfils the event does afterwards is not waited for.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <omp.h>
int x, y;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x)
    x = 1;
#pragma omp task
    {
      x = 2;
      omp_fulfill_event(event);
      y = 1;
    }
#pragma omp task depend(in : x)
    y = 2;
  }
}
// CHECK-DAG: race: write-write on 'x'
// CHECK-DAG: race: write-write on 'y'
