// Shapes of practice with a race, each on a variable of its own. At -O0 the result of every atomic update counts as used.
// RUN: cd %S
// RUN: %taskrace c++ -std=c++20 -O0 -g %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -std=c++20 -O2 -g %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s --check-prefixes=CHECK,O2
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <atomic>
#include <barrier>
#include <condition_variable>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <queue>
#include <semaphore>
#include <shared_mutex>
#include <thread>
#include <vector>

// Each is written by what runs in one thread, and by what runs in another or in main.
int main_before_join, main_reads_early, other_lock, one_sided_lock, shared_lock, relaxed_flag, async_not_got;
int after_set_value, after_count_down, missing_barrier, after_release, no_predicate, detached_thread, double_checked;
int packaged_body, pool_counter, after_call_once, atomic_and_plain, of_the_creator, of_jthread;
int shared_future_readers, unused_update, after_store, of_pthread, of_c11, after_unlock, after_post, failed_exchange;
int stopped_flag, timed_lock, after_notify, recursive_lock, arrive_and_drop, wrong_flag, one_reader_writes, lazy_value;

template <class F, class G>
void Both(F f, G g) {
  std::thread first(f), second(g);
  first.join();
  second.join();
}

struct Pool {
  std::mutex mutex;
  std::condition_variable ready;
  std::queue<std::function<void()>> jobs;
  bool stops = false;
  std::vector<std::thread> threads;
  explicit Pool(int count) {
    for (int i = 0; i < count; ++i) threads.emplace_back([this] { Work(); });
  }
  ~Pool() {
    {
      std::lock_guard lock(mutex);
      stops = true;
    }
    ready.notify_all();
    for (auto& thread : threads) thread.join();
  }
  void Work() {
    for (;;) {
      std::function<void()> job;
      {
        std::unique_lock lock(mutex);
        ready.wait(lock, [&] { return stops || !jobs.empty(); });
        if (jobs.empty()) return;
        job = std::move(jobs.front());
        jobs.pop();
      }
      job();
      // Another worker gets the next job.
      std::this_thread::yield();
    }
  }
  void Add(std::function<void()> job) {
    {
      std::lock_guard lock(mutex);
      jobs.push(std::move(job));
    }
    ready.notify_one();
  }
};

void Locks() {
  static std::mutex a, b;
  Both([] { std::lock_guard lock(a); ++other_lock; }, [] { std::lock_guard lock(b); ++other_lock; });
  Both([] { ++one_sided_lock; }, [] { std::lock_guard lock(a); ++one_sided_lock; });
  Both([] { { std::lock_guard lock(a); } after_unlock = 1; }, [] { std::lock_guard lock(a); after_unlock = 2; });
  static std::shared_mutex s;
  Both([] { std::shared_lock lock(s); ++shared_lock; }, [] { std::shared_lock lock(s); ++shared_lock; });
  Both([] { std::unique_lock lock(s); lock.unlock(); one_reader_writes = 1; },
       [] { std::shared_lock lock(s); one_reader_writes = 2; });
  static std::timed_mutex t;
  Both([] { if (t.try_lock_for(std::chrono::seconds(1))) t.unlock(); timed_lock = 1; },
       [] { t.lock(); timed_lock = 2; t.unlock(); });
  static std::recursive_mutex r;
  Both([] { r.lock(); r.lock(); r.unlock(); r.unlock(); recursive_lock = 1; },
       [] { std::lock_guard lock(r); recursive_lock = 2; });
}

void Atomics() {
  static std::atomic<int> flag, other, count;
  auto wait = [](auto& flag, std::memory_order order) { while (flag.load(order) == 0) std::this_thread::yield(); };
  Both([&] { wait(flag, std::memory_order_relaxed); relaxed_flag = 1; }, [] { relaxed_flag = 2; flag.store(1, std::memory_order_relaxed); });
  flag = 0;
  Both([&] { wait(flag, std::memory_order_acquire); after_store = 1; }, [] { flag.store(1); after_store = 2; });
  flag = 0;
  Both([&] { wait(flag, std::memory_order_acquire); wrong_flag = 1; },
       [] { flag.store(1, std::memory_order_relaxed); wrong_flag = 2; other.store(1); });
  Both([] { unused_update = 1; count.fetch_add(1); }, [] { count.fetch_add(1); unused_update = 2; });
  Both([] { failed_exchange = 1; other.store(1, std::memory_order_relaxed); },
       [] { int expected = 5; other.compare_exchange_strong(expected, 6, std::memory_order_relaxed); failed_exchange = 2; });
  // Somebody forgot that it is one.
  static std::atomic<int> mixed;
  Both([] { mixed.fetch_add(1); atomic_and_plain = 1; }, [] { atomic_and_plain = *reinterpret_cast<volatile int*>(&mixed); });
  // Double-checked locking with a plain flag.
  static std::mutex mutex;
  static bool is_made;
  auto get = [] {
    if (!is_made) {
      std::lock_guard lock(mutex);
      if (!is_made) double_checked = 1, is_made = true;
    }
    return double_checked;
  };
  Both([=] { lazy_value = get(); }, [=] { lazy_value = get(); });
}

void Waiting() {
  std::latch latch(1);
  Both([&] { latch.count_down(); after_count_down = 1; }, [&] { latch.wait(); after_count_down = 2; });
  std::barrier barrier(2);
  Both([&] { missing_barrier = 1; barrier.arrive_and_wait(); }, [&] { missing_barrier = 2; barrier.arrive_and_wait(); });
  std::barrier drops(2);
  Both([&] { drops.arrive_and_drop(); arrive_and_drop = 1; }, [&] { drops.arrive_and_wait(); arrive_and_drop = 2; });
  std::binary_semaphore semaphore(0);
  Both([&] { semaphore.release(); after_release = 1; }, [&] { semaphore.acquire(); after_release = 2; });
  static sem_t posix;
  sem_init(&posix, 0, 0);
  Both([] { sem_post(&posix); after_post = 1; }, [] { sem_wait(&posix); after_post = 2; });
  static std::mutex mutex;
  static std::condition_variable ready;
  static bool stops = false;
  Both([] { std::unique_lock lock(mutex); ready.wait_for(lock, std::chrono::milliseconds(1)); no_predicate = 1; },
       [] { no_predicate = 2; ready.notify_one(); });
  Both([] { std::unique_lock lock(mutex); ready.wait(lock, [] { return stops; }); after_notify = 1; },
       [] { { std::lock_guard lock(mutex); stops = true; } ready.notify_one(); after_notify = 2; });
  static bool plain_stop;
  Both([] { if (!plain_stop) stopped_flag = 1; }, [] { plain_stop = true; });
}

void Futures() {
  auto result = std::async(std::launch::async, [] { async_not_got = 1; });
  async_not_got = 2;
  result.get();
  std::promise<int> promise;
  auto future = promise.get_future();
  Both([&] { promise.set_value(1); after_set_value = 1; }, [&] { after_set_value = future.get(); });
  std::packaged_task<void()> one([] { ++packaged_body; }), two([] { ++packaged_body; });
  Both([&] { one(); }, [&] { two(); });
  std::promise<void> start;
  auto shared = start.get_future().share();
  std::thread first([=] { shared.get(); ++shared_future_readers; }), second([=] { shared.get(); ++shared_future_readers; });
  start.set_value();
  first.join();
  second.join();
  static std::once_flag once;
  auto use = [] { std::call_once(once, [] { after_call_once = 1; }); ++after_call_once; };
  Both(use, use);
  { Pool pool(2); for (int i = 0; i < 4; ++i) pool.Add([] { ++pool_counter; }); }
}

thread_local int own;

void Threads() {
  std::thread thread([] { main_before_join = 1; });
  main_before_join = 2;
  thread.join();
  std::thread writer([] { main_reads_early = 1; });
  of_the_creator = main_reads_early;
  writer.join();
  { std::jthread other([] { of_jthread = 1; }); of_jthread = 2; }
  pthread_t posix;
  pthread_create(&posix, nullptr, [](void*) -> void* { of_pthread = 1; return nullptr; }, nullptr);
  of_pthread = 2;
  pthread_join(posix, nullptr);
  thrd_t c11;
  thrd_create(&c11, [](void*) { of_c11 = 1; return 0; }, nullptr);
  of_c11 = 2;
  thrd_join(c11, nullptr);
  int* const mine = &own;
  Both([=] { *mine = 1; }, [=] { *mine = 2; });
  std::thread([] { detached_thread = 1; }).detach();
  detached_thread = 2;
}

int main() {
  Locks();
  Atomics();
  Waiting();
  Futures();
  Threads();
}
// CHECK-DAG: race: write-{{(write|read)}} on 'other_lock'
// CHECK-DAG: race: write-{{(write|read)}} on 'one_sided_lock'
// CHECK-DAG: race: write-write on 'after_unlock'
// CHECK-DAG: race: write-{{(write|read)}} on 'shared_lock'
// CHECK-DAG: race: write-write on 'one_reader_writes'
// CHECK-DAG: race: write-write on 'timed_lock'
// CHECK-DAG: race: write-write on 'recursive_lock'
// CHECK-DAG: race: write-write on 'relaxed_flag'
// CHECK-DAG: race: write-write on 'after_store'
// CHECK-DAG: race: write-write on 'wrong_flag'
// O2-DAG: race: write-write on 'unused_update'
// CHECK-DAG: race: write-write on 'failed_exchange'
// CHECK-DAG: race: {{.*}} on '{{.*}}mixed'
// CHECK-DAG: race: {{.*}} on '{{.*}}is_made'
// CHECK-DAG: race: write-write on 'after_count_down'
// CHECK-DAG: race: write-write on 'missing_barrier'
// CHECK-DAG: race: write-write on 'arrive_and_drop'
// CHECK-DAG: race: write-write on 'after_release'
// CHECK-DAG: race: write-write on 'after_post'
// CHECK-DAG: race: write-write on 'no_predicate'
// CHECK-DAG: race: write-write on 'after_notify'
// CHECK-DAG: race: read-write on '{{.*}}plain_stop'
// CHECK-DAG: race: write-write on 'async_not_got'
// CHECK-DAG: race: write-write on 'after_set_value'
// CHECK-DAG: race: write-{{(write|read)}} on 'packaged_body'
// CHECK-DAG: race: write-{{(write|read)}} on 'shared_future_readers'
// CHECK-DAG: race: write-{{(write|read)}} on 'after_call_once'
// CHECK-DAG: race: write-{{(write|read)}} on 'pool_counter'
// CHECK-DAG: race: write-write on 'main_before_join'
// CHECK-DAG: race: write-read on 'main_reads_early'
// CHECK-DAG: race: write-write on 'of_jthread'
// CHECK-DAG: race: write-write on 'of_pthread'
// CHECK-DAG: race: write-write on 'of_c11'
// CHECK-DAG: race: write-write on {{memory|a thread_local variable}}
// CHECK-DAG: race: write-write on 'detached_thread'
// CHECK: {{^}}taskrace: 3{{[67]}} races
