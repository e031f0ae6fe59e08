// The reader forgot the lock.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <pthread.h>

#include <taskrace/tasks.hpp>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int count;

int main() {
  taskrace::scope s;
  // CHECK: race: write-read on 'count'
  // CHECK: earlier: write of 4 bytes by task 1
  s.spawn([] {
    pthread_mutex_lock(&lock);
    count = 1;
    // CHECK: #0{{.*}}lock_in_one_task_only.cpp:[[#@LINE-1]]:
    pthread_mutex_unlock(&lock);
  });
  // CHECK: later: read of 4 bytes by the main task
  int seen = count;
  // CHECK: #0{{.*}}lock_in_one_task_only.cpp:[[#@LINE-1]]:
  s.sync();
  return seen != 1;
}
// CHECK: {{^}}taskrace: 1 race
