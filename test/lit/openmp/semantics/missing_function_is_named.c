// A function of the runtime that we do not have ends the run with its name.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O1 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <omp.h>

int main(void) {
  omp_event_handle_t event;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task detach(event)
    omp_fulfill_event(event);
  }
}
// CHECK: taskrace: error: the program calls __kmpc_task_allow_completion_event,
// CHECK: missing_function_is_named.c:11:
