// Cancellation, on and off, gives the results of libomp.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck --check-prefix=OFF %s
// RUN: env OMP_CANCELLATION=true %taskrace run %t 2>&1 | %FileCheck --check-prefix=ON %s
// RUN: env OMP_CANCELLATION=true OMP_NUM_THREADS=2 %taskrace run %t 2>&1 | %FileCheck --check-prefix=ON %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && env OMP_CANCELLATION=true %t 2>&1 | %FileCheck --check-prefix=PLAIN %s
#include <omp.h>
#include <stdio.h>

int main(void) {
  int runs = 0, found = -1, after = 0;
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < 1000; i++) {
#pragma omp cancellation point for
#pragma omp atomic
      runs++;
      if (i == 5) {
#pragma omp atomic write
        found = i;
#pragma omp cancel for
      }
    }
    // The threads are together again, and the next loop is not cancelled.
#pragma omp for
    for (int i = 0; i < 100; i++)
#pragma omp atomic
      after++;
  }
  printf("for %s %d %d\n", runs == 1000 ? "all" : "some", found, after);

  runs = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 2)
    for (int i = 0; i < 1000; i++) {
#pragma omp cancellation point for
#pragma omp atomic
      runs++;
#pragma omp cancel for if (i >= 2)
    }
  }
  printf("dynamic %s\n", runs == 1000 ? "all" : "some");

  int ended = 0;
#pragma omp parallel
  {
#pragma omp cancel parallel
#pragma omp barrier
#pragma omp atomic
    ended++;
  }
  printf("parallel %s\n", ended == 0 ? "none" : "all");

  int sections = 0;
#pragma omp parallel sections
  {
#pragma omp section
    {
#pragma omp cancel sections
#pragma omp atomic
      sections++;
    }
#pragma omp section
    {
#pragma omp cancellation point sections
#pragma omp atomic
      sections++;
    }
  }
  printf("sections %d\n", sections);

  int tasks = 0, outside = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < 10; i++) {
#pragma omp task
      {
#pragma omp atomic
        tasks++;
        if (i == 3) {
#pragma omp cancel taskgroup
        }
#pragma omp cancellation point taskgroup
      }
    }
#pragma omp task
    outside = 1;
  }
  printf("taskgroup %s %d\n", tasks == 10 ? "all" : "some", outside);
  printf("cancellation %d\n", omp_get_cancellation());
}
// OFF: for all 5 100
// OFF: dynamic all
// OFF: parallel all
// OFF: sections 2
// OFF: taskgroup all 1
// OFF: cancellation 0
// ON: warning: a construct is cancelled:
// ON-NEXT: another schedule may run iterations or tasks that this one leaves out
// ON: no races
// ON: coverage is incomplete
// ON: for some 5 100
// ON: dynamic some
// ON: parallel none
// ON: sections 0
// ON: taskgroup some 1
// ON: cancellation 1
// PLAIN: for some 5 100
// PLAIN: dynamic some
// PLAIN: parallel none
// PLAIN: sections 0
// PLAIN: taskgroup some 1
// PLAIN: cancellation 1
