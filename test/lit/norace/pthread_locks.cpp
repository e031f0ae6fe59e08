// The locks of pthread: mutexes, spin locks, and writers of a read-write lock.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <pthread.h>

#include <taskrace/tasks.hpp>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t spin;
int a, b, c;

int main() {
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  taskrace::parallel_for(0, 4, [](int) {
    pthread_mutex_lock(&mutex);
    ++a;
    pthread_mutex_unlock(&mutex);
    pthread_rwlock_wrlock(&rwlock);
    ++b;
    pthread_rwlock_unlock(&rwlock);
    pthread_spin_lock(&spin);
    ++c;
    pthread_spin_unlock(&spin);
  });
  return a + b + c != 12;
}
// CHECK: {{^}}taskrace: no races in {{4 tasks|4 iterations of 1 loop}}
