// Mistakes with tasks, locks and flags: each variable has a race, and is named.
// RUN: cd %S
// RUN: %taskrace cc -w -fopenmp -O0 -g %s -o %t && %not %taskrace run --group=0 --max-races=0 %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -w -fopenmp -O2 -g %s -o %t && %not %taskrace run --group=0 --max-races=0 %t 2>&1 | %FileCheck %s
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int two_tasks, other_element[2], parallel_set, grandchild, in_taskloop, only_x_waited_for[2],
    shared_sum;
int in_target, by_masked, two_names, one_without_lock, from_single, initialised, by_teams, mixed,
    taken, result;
int* created;
struct node {
  int value;
  struct node* next;
} nodes[20], *cursor;
omp_lock_t lock;

int fibonacci(int n) {
  if (n < 2) return n;
  int left, right;
#pragma omp task shared(left)
  left = fibonacci(n - 1);
#pragma omp task shared(right)
  right = fibonacci(n - 2);
  int sum = left + right;
#pragma omp taskwait
  return sum;
}

void tasks(void) {
#pragma omp task
  two_tasks = 1;
#pragma omp task
  two_tasks = 2;
#pragma omp task depend(out : other_element[0])
  other_element[0] = 1;
#pragma omp task depend(in : other_element[1])
  other_element[1] = other_element[0];
#pragma omp task depend(inoutset : parallel_set)
  parallel_set += 1;
#pragma omp task depend(inoutset : parallel_set)
  parallel_set += 2;
#pragma omp task
  {
#pragma omp task
    grandchild = 1;
  }
#pragma omp taskwait
  grandchild = 2;
#pragma omp taskloop
  for (int i = 0; i < 100; i++) in_taskloop += i;
#pragma omp task depend(out : only_x_waited_for[0])
  only_x_waited_for[0] = 1;
#pragma omp task depend(out : only_x_waited_for[1])
  only_x_waited_for[1] = 1;
#pragma omp taskwait depend(in : only_x_waited_for[0])
  shared_sum = only_x_waited_for[1];
#pragma omp target nowait map(tofrom : in_target)
  in_target = 5;
  in_target = 6;
  for (cursor = nodes; cursor != 0; cursor = cursor->next) {
#pragma omp task shared(cursor)
    cursor->value *= 2;
  }
  result = fibonacci(6);
}

int* get(void) {
  if (created == 0) {
#pragma omp critical(creation)
    if (created == 0) created = &result;
  }
  return created;
}

int main(void) {
  for (int i = 0; i < 19; i++) nodes[i].next = &nodes[i + 1];
  omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
  tasks();
#pragma omp parallel
  {
#pragma omp masked filter(1)
    by_masked++;
#pragma omp masked filter(2)
    by_masked++;
  }
#pragma omp parallel sections
  {
#pragma omp section
    {
#pragma omp critical(a)
      two_names++;
    }
#pragma omp section
    {
#pragma omp critical(b)
      two_names++;
    }
  }
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      omp_set_lock(&lock);
      one_without_lock++;
      omp_unset_lock(&lock);
    } else {
      one_without_lock++;
    }
  }
#pragma omp parallel
  {
#pragma omp single nowait
    from_single = 5;
    int copy = from_single;
    (void)*(volatile int*)&copy;
  }
#pragma omp parallel
  {
#pragma omp master
    initialised = 10;
    if (initialised == 77) result = 1;
  }
#pragma omp teams num_teams(3)
#pragma omp parallel
  {
#pragma omp critical
    by_teams++;
  }
#pragma omp parallel
  {
#pragma omp atomic
    mixed += 1;
    if (mixed == 100) result = 1;
  }
#pragma omp parallel
  while (taken < 100) taken++;
#pragma omp parallel for
  for (int i = 0; i < 100; i++)
    if (*get() == 12345) result = 2;
  return 0;
}
// CHECK-DAG: on 'two_tasks'
// CHECK-DAG: on 'other_element'
// CHECK-DAG: on 'parallel_set'
// CHECK-DAG: on 'grandchild'
// CHECK-DAG: on 'in_taskloop'
// CHECK-DAG: on 'only_x_waited_for'
// CHECK-DAG: on 'in_target'
// CHECK-DAG: on 'cursor'
// CHECK-DAG: on 'left'
// CHECK-DAG: on 'by_masked'
// CHECK-DAG: on 'two_names'
// CHECK-DAG: on 'one_without_lock'
// CHECK-DAG: on 'from_single'
// CHECK-DAG: on 'initialised'
// CHECK-DAG: on 'by_teams'
// CHECK-DAG: on 'mixed'
// CHECK-DAG: on 'taken'
// CHECK-DAG: on 'created'
