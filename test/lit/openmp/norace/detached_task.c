// A task is over when its event is fulfilled: by itself, or by another thread, which its parent waits for.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <omp.h>
int x, y;

int main(void) {
  omp_event_handle_t event;
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    {
#pragma omp task detach(event)
      x = 1;
#pragma omp task
      {
        y = 1;
        omp_fulfill_event(event);
      }
#pragma omp taskwait
      x += y;
    }
#pragma omp master
    {
#pragma omp task detach(event) depend(out : x)
      {
        x = 3;
        omp_fulfill_event(event);
      }
#pragma omp task depend(in : x)
      y = x;
    }
  }
  return y != 3;
}
// CHECK: {{^}}taskrace: no races
