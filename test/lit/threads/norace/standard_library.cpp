// What the standard library has for threads, used right; each prints what it should.
// RUN: %taskrace c++ -std=c++20 -O0 -g %s -o %t && %taskrace run --timeout=60 %t > %t.out 2>&1 && %FileCheck %s < %t.out
// RUN: %taskrace c++ -std=c++20 -O2 -g %s -o %t && %taskrace run --timeout=60 %t > %t.out 2>&1 && %FileCheck %s < %t.out
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

struct Expect {
  const char* what;
  void operator()(long is, long should) const {
    if (is != should) std::printf("%s: %ld instead of %ld\n", what, is, should);
  }
};

template <class F>
void OnThreads(int count, F body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([=] { body(i); });
  for (auto& thread : threads) thread.join();
}

void Futures() {
  int value = 0, other = 0;
  {
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread thread([&] { value = future.get() + other; });
    other = 3;
    promise.set_value(5);
    thread.join();
    Expect{"promise"}(value, 8);
  }
  Expect{"async"}(std::async(std::launch::async, [&] { value = 1; return 7; }).get() + value, 8);
  Expect{"deferred"}(std::async(std::launch::deferred, [&] { value = 2; return 7; }).get() + value, 9);
  {
    std::promise<void> promise;
    auto future = promise.get_future().share();
    auto reader = [&, future] { future.get(); Expect{"shared_future"}(value, 4); };
    std::thread first(reader), second(reader);
    value = 4;
    promise.set_value();
    first.join();
    second.join();
  }
  {
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread thread([&](std::promise<int> promise) { promise.set_value_at_thread_exit(4); value = 5; },
                       std::move(promise));
    Expect{"at thread exit"}(future.get() + value, 9);
    thread.join();
  }
  {
    std::packaged_task<int()> task([&] { value = 6; return 1; });
    auto future = task.get_future();
    std::thread thread(std::move(task));
    Expect{"packaged_task"}(future.get() + value, 7);
    thread.join();
  }
  {
    auto future = std::async(std::launch::async, []() -> int { throw 3; });
    try {
      future.get();
    } catch (int thrown) {
      Expect{"exception"}(thrown, 3);
    }
  }
}

void LatchesBarriersSemaphores() {
  {
    std::latch latch(3);
    int x[3];
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back([&, i] { x[i] = i; latch.count_down(); });
    latch.wait();
    Expect{"latch"}(x[0] + x[1] + x[2], 3);
    for (auto& thread : threads) thread.join();
  }
  {
    std::barrier barrier(4);
    int x[4] = {}, y[4] = {};
    OnThreads(4, [&](int i) {
      for (int round = 0; round < 5; ++round) {
        x[i] += round;
        barrier.arrive_and_wait();
        y[i] += x[(i + 1) % 4];
        barrier.arrive_and_wait();
      }
    });
    Expect{"barrier"}(y[0] + y[1] + y[2] + y[3], 80);
  }
  {
    int sum = 0;
    std::barrier barrier(3, [&]() noexcept { ++sum; });
    OnThreads(3, [&](int) { for (int i = 0; i < 4; ++i) barrier.arrive_and_wait(); });
    Expect{"completion of a barrier"}(sum, 4);
  }
  {
    std::binary_semaphore ping(0), pong(0);
    int value = 0;
    std::thread thread([&] { for (int i = 0; i < 10; ++i) ping.acquire(), ++value, pong.release(); });
    for (int i = 0; i < 10; ++i) ++value, ping.release(), pong.acquire();
    thread.join();
    Expect{"semaphores"}(value, 20);
  }
}

void Atomics() {
  int value = 0;
  {
    std::atomic<int> atomic{0};
    std::thread thread([&] { atomic.wait(0); ++value; });
    value = 1;
    atomic = 1;
    atomic.notify_all();
    thread.join();
    Expect{"atomic wait"}(value, 2);
  }
  {
    std::atomic<bool> flag{false};
    std::thread thread([&] { while (!flag.load(std::memory_order_acquire)) continue; ++value; });
    value = 5;
    flag.store(true, std::memory_order_release);
    thread.join();
    Expect{"spinning"}(value, 6);
  }
  {
    std::atomic<bool> flag{false};
    std::thread thread([&] {
      while (!flag.load(std::memory_order_relaxed)) continue;
      std::atomic_thread_fence(std::memory_order_acquire);
      ++value;
    });
    value = 7;
    std::atomic_thread_fence(std::memory_order_release);
    flag.store(true, std::memory_order_relaxed);
    thread.join();
    Expect{"fences"}(value, 8);
  }
  {
    std::atomic_flag lock;
    int count = 0;
    OnThreads(3, [&](int) {
      for (int i = 0; i < 50; ++i) {
        while (lock.test_and_set(std::memory_order_acquire)) continue;
        ++count;
        lock.clear(std::memory_order_release);
      }
    });
    Expect{"spin lock"}(count, 150);
  }
  {
    // The last one to come sees what the others have done.
    std::atomic<int> left{3};
    int x[3] = {}, sum = 0;
    OnThreads(3, [&](int i) { x[i] = 1; if (left.fetch_sub(1) == 1) sum = x[0] + x[1] + x[2]; });
    Expect{"last one"}(sum, 3);
  }
  {
    struct Node { int value; Node* next; };
    std::atomic<Node*> top{nullptr};
    OnThreads(3, [&](int i) {
      Node* node = new Node{i, top.load(std::memory_order_relaxed)};
      while (!top.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) continue;
    });
    std::thread reader([&] {
      int sum = 0;
      for (Node* node = top.exchange(nullptr, std::memory_order_acquire); node != nullptr;) {
        sum += node->value;
        delete std::exchange(node, node->next);
      }
      Expect{"stack"}(sum, 3);
    });
    reader.join();
  }
  {
    auto shared = std::make_shared<int>(3);
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back([shared] { Expect{"shared_ptr"}(*shared, 3); });
    shared.reset();
    for (auto& thread : threads) thread.join();
  }
}

void Locks() {
  {
    std::mutex mutex;
    std::condition_variable ready;
    bool is_ready = false;
    std::thread thread([&] {
      std::unique_lock lock(mutex);
      Expect{"time is up"}(ready.wait_for(lock, 5ms, [&] { return is_ready; }), false);
      ready.wait(lock, [&] { return is_ready; });
    });
    std::this_thread::sleep_for(20ms);
    {
      std::lock_guard lock(mutex);
      is_ready = true;
    }
    ready.notify_one();
    thread.join();
  }
  {
    std::jthread thread([](std::stop_token stop) {
      std::mutex mutex;
      std::condition_variable_any ready;
      std::unique_lock lock(mutex);
      Expect{"stop"}(ready.wait(lock, stop, [] { return false; }), false);
    });
  }
  {
    std::shared_mutex mutex;
    int value = 0;
    OnThreads(6, [&](int i) {
      if (i % 2 == 0) {
        std::unique_lock lock(mutex);
        ++value;
      } else {
        std::shared_lock lock(mutex);
        Expect{"shared_mutex"}(value >= 0, true);
      }
    });
    Expect{"shared_mutex"}(value, 3);
  }
  {
    std::mutex a, b;
    int value = 0;
    std::thread first([&] { for (int i = 0; i < 20; ++i) { std::scoped_lock lock(a, b); ++value; std::this_thread::yield(); } });
    std::thread second([&] { for (int i = 0; i < 20; ++i) { std::scoped_lock lock(b, a); ++value; } });
    first.join();
    second.join();
    Expect{"two locks"}(value, 40);
  }
  {
    std::recursive_timed_mutex mutex;
    int value = 0;
    std::thread thread([&] { std::lock_guard lock(mutex), again(mutex); ++value; std::this_thread::sleep_for(2ms); });
    if (mutex.try_lock_for(1h)) ++value, mutex.unlock();
    thread.join();
    Expect{"recursive"}(value, 2);
  }
  {
    std::once_flag once;
    int value = 0;
    OnThreads(3, [&](int) {
      std::call_once(once, [&] { value = 5; std::this_thread::sleep_for(1ms); });
      Expect{"call_once"}(value, 5);
    });
  }
  OnThreads(3, [](int) {
    static auto made = [] { std::this_thread::sleep_for(1ms); return std::make_unique<int>(3); }();
    Expect{"static"}(*made, 3);
  });
}

thread_local int own = 1;
thread_local std::vector<int> owned;

void ThreadLocals() {
  OnThreads(3, [](int i) {
    int* const mine = &own;
    *mine += i;
    Expect{"thread_local"}(own, 1 + i);
    owned.push_back(i);
    Expect{"thread_local vector"}(static_cast<long>(owned.size()), 1);
  });
}

int main() {
  Futures();
  LatchesBarriersSemaphores();
  Atomics();
  Locks();
  ThreadLocals();
}
// CHECK-NOT: instead of
// CHECK: {{^}}taskrace: no races in
// CHECK: no schedule of this input
// CHECK-NOT: instead of
