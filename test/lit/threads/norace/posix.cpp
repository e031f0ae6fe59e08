// Threads of POSIX and C11, used right.
// RUN: %taskrace c++ -O0 -g %s -o %t && %taskrace run --timeout=60 %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 -g %s -o %t && %taskrace run --timeout=60 %t 2>&1 | %FileCheck %s
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static void Expect(bool holds, const char* what) {
  if (!holds) printf("wrong: %s\n", what);
}
static pthread_t Start(void* (*body)(void*), void* argument = nullptr) {
  pthread_t thread;
  Expect(pthread_create(&thread, nullptr, body, argument) == 0, "create");
  return thread;
}
static void* Join(pthread_t thread) {
  void* result = nullptr;
  Expect(pthread_join(thread, &result) == 0, "join");
  return result;
}

pthread_barrier_t barrier;
int x[4], y[4];
void Barriers() {
  pthread_barrier_init(&barrier, nullptr, 4);
  pthread_t threads[4];
  for (long i = 0; i < 4; ++i) {
    threads[i] = Start([](void* p) -> void* {
      const long i = reinterpret_cast<long>(p);
      for (int round = 0; round < 3; ++round) {
        x[i] += 1;
        pthread_barrier_wait(&barrier);
        y[i] += x[(i + 1) % 4];
        pthread_barrier_wait(&barrier);
      }
      return p;
    }, reinterpret_cast<void*>(i));
  }
  for (long i = 0; i < 4; ++i) Expect(Join(threads[i]) == reinterpret_cast<void*>(i), "result");
  Expect(y[0] == 6 && y[3] == 6, "barrier");
}

mtx_t c11_lock;
cnd_t c11_ready;
int value;
void C11() {
  mtx_init(&c11_lock, mtx_timed);
  cnd_init(&c11_ready);
  thrd_t thread;
  thrd_create(&thread, [](void*) {
    mtx_lock(&c11_lock);
    while (value == 0) cnd_wait(&c11_ready, &c11_lock);
    ++value;
    mtx_unlock(&c11_lock);
    return 5;
  }, nullptr);
  mtx_lock(&c11_lock);
  value = 1;
  cnd_broadcast(&c11_ready);
  mtx_unlock(&c11_lock);
  int result = 0;
  thrd_join(thread, &result);
  Expect(result == 5 && value == 2, "C11");
}

int ends[2];
void Pipe() {
  Expect(pipe(ends) == 0, "pipe");
  const pthread_t reader = Start([](void*) -> void* {
    char c = 0;
    Expect(read(ends[0], &c, 1) == 1 && c == 'A', "read");
    return nullptr;
  });
  Expect(write(ends[1], "A", 1) == 1, "write");
  Join(reader);
}

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
pthread_key_t key;
int destroyed, cleaned;
void Ends() {
  pthread_key_create(&key, [](void* p) { ++*static_cast<int*>(p); });
  Expect(Join(Start([](void*) -> void* { pthread_setspecific(key, &destroyed); pthread_exit(&value); })) == &value,
         "pthread_exit");
  Expect(destroyed == 1, "destructor of a key");
  pthread_t thread = Start([](void*) -> void* {
    pthread_mutex_lock(&lock);
    pthread_cleanup_push([](void*) { ++cleaned; pthread_mutex_unlock(&lock); }, nullptr);
    for (;;) pthread_cond_wait(&ready, &lock);
    pthread_cleanup_pop(0);
    return nullptr;
  });
  pthread_cancel(thread);
  Expect(Join(thread) == PTHREAD_CANCELED && cleaned == 1, "cancelled in a wait");
  thread = Start([](void*) -> void* { for (;;) pause(); });
  pthread_cancel(thread);
  Expect(Join(thread) == PTHREAD_CANCELED, "cancelled in a system call");
}

pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t spin;
int guarded, spun;
void Locks() {
  pthread_spin_init(&spin, 0);
  pthread_t threads[4];
  for (pthread_t& thread : threads) {
    thread = Start([](void*) -> void* {
      pthread_rwlock_rdlock(&shared);
      const int seen = guarded;
      pthread_rwlock_unlock(&shared);
      pthread_rwlock_wrlock(&shared);
      sched_yield();
      guarded += seen >= 0;
      pthread_rwlock_unlock(&shared);
      pthread_spin_lock(&spin);
      sched_yield();
      ++spun;
      pthread_spin_unlock(&spin);
      return nullptr;
    });
  }
  for (const pthread_t thread : threads) Join(thread);
  Expect(guarded == 4 && spun == 4, "locks");
}

sem_t semaphore;
int posted;
void Semaphores() {
  sem_init(&semaphore, 0, 0);
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  Expect(sem_timedwait(&semaphore, &until) == -1, "time is up");
  const pthread_t thread = Start([](void*) -> void* { sem_wait(&semaphore); ++posted; return nullptr; });
  posted = 1;
  sem_post(&semaphore);
  Join(thread);
  Expect(posted == 2, "semaphore");
  // Only a handler can wake it: that is no deadlock.
  signal(SIGUSR1, [](int) { sem_post(&semaphore); });
  if (fork() == 0) {
    usleep(20000);
    kill(getppid(), SIGUSR1);
    _exit(0);
  }
  while (sem_wait(&semaphore) != 0) continue;
  int status = 1;
  Expect(wait(&status) > 0 && status == 0, "a child of a program with threads");
}

int main() {
  Barriers();
  C11();
  Pipe();
  Ends();
  Locks();
  Semaphores();
  // The program ends with its last thread.
  pthread_detach(Start([](void*) -> void* { usleep(1000); return nullptr; }));
  pthread_exit(nullptr);
}
// CHECK-NOT: wrong
// CHECK: {{^}}taskrace: no races in
// CHECK-NOT: wrong
