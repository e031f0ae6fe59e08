// Shapes of practice without a race. They hand memory over by locks, which --locks=sets does not see, and by atomics.
// RUN: %taskrace c++ -std=c++20 -O0 -g %s -o %t && %taskrace run --timeout=60 %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -std=c++20 -O2 -g %s -o %t && %taskrace run --timeout=60 %t 2>&1 | %FileCheck %s
// RUN: %not %taskrace run --locks=sets %t 2>&1 | %FileCheck %s --check-prefix=SETS
// RUN: %not %taskrace run --atomics=none %t 2>&1 | %FileCheck %s --check-prefix=NONE
#include <taskrace/tasks.hpp>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <string>
#include <thread>
#include <vector>

class Pool {
 public:
  explicit Pool(int count) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { Work(); });
  }
  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      stops_ = true;
    }
    ready_.notify_all();
    for (auto& thread : threads_) thread.join();
  }
  template <class F>
  auto Add(F f) {
    auto task = std::make_shared<std::packaged_task<decltype(f())()>>(std::move(f));
    auto result = task->get_future();
    {
      std::lock_guard lock(mutex_);
      jobs_.push([task] { (*task)(); });
    }
    ready_.notify_one();
    return result;
  }

 private:
  void Work() {
    for (;;) {
      std::function<void()> job;
      {
        std::unique_lock lock(mutex_);
        ready_.wait(lock, [&] { return stops_ || !jobs_.empty(); });
        if (jobs_.empty()) return;
        job = std::move(jobs_.front());
        jobs_.pop();
      }
      job();
    }
  }
  std::mutex mutex_;
  std::condition_variable ready_;
  std::queue<std::function<void()>> jobs_;
  bool stops_ = false;
  std::vector<std::thread> threads_;
};

void JobsOfAPool() {
  std::vector<std::string> results(20);
  Pool pool(3);
  std::vector<std::future<int>> futures;
  for (int i = 0; i < 20; ++i) futures.push_back(pool.Add([&, i] { results[i] = std::to_string(i); return i; }));
  int sum = 0;
  for (int i = 0; i < 20; ++i) sum += futures[i].get() + static_cast<int>(results[i].size());
  if (sum != 220) __builtin_trap();
}

// What is pushed is not used by the producer any more.
template <class T>
class BoundedQueue {
 public:
  void Push(T value) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [&] { return values_.size() < 2; });
    values_.push_back(std::move(value));
    not_empty_.notify_one();
  }
  std::optional<T> Pop() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [&] { return is_closed_ || !values_.empty(); });
    if (values_.empty()) return std::nullopt;
    T value = std::move(values_.front());
    values_.pop_front();
    not_full_.notify_one();
    return value;
  }
  void Close() {
    std::lock_guard lock(mutex_);
    is_closed_ = true;
    not_empty_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable not_full_, not_empty_;
  std::deque<T> values_;
  bool is_closed_ = false;
};

struct Message { int value; };
int handed_over;

void Pipeline() {
  BoundedQueue<std::unique_ptr<Message>> first, second;
  std::thread doubles([&] {
    while (auto message = first.Pop()) (*message)->value *= 2, second.Push(std::move(*message));
    second.Close();
  });
  int sum = 0;
  std::thread adds([&] { while (auto message = second.Pop()) sum += (*message)->value; });
  for (int i = 0; i < 10; ++i) first.Push(std::make_unique<Message>(i));
  first.Close();
  doubles.join();
  adds.join();
  if (sum != 90) __builtin_trap();
}

// Handed over by a flag under a lock, without waiting.
// SETS: race: {{.*}} on 'handed_over'
void FlagUnderALock() {
  std::mutex mutex;
  bool is_ready = false;
  std::thread writer([&] { handed_over = 1; std::lock_guard lock(mutex); is_ready = true; });
  std::thread reader([&] {
    std::unique_lock lock(mutex);
    if (!is_ready) return;
    lock.unlock();
    ++handed_over;
  });
  writer.join();
  reader.join();
}

// Looked up and erased under a lock, used and deleted outside of it.
void Cache() {
  std::mutex mutex;
  std::map<int, std::shared_ptr<int>> cache;
  auto use = [&](int key) {
    std::shared_ptr<int> found;
    {
      std::lock_guard lock(mutex);
      auto& entry = cache[key % 3];
      if (!entry) entry = std::make_shared<int>(key % 3);
      found = entry;
    }
    if (*found != key % 3) __builtin_trap();
    std::lock_guard lock(mutex);
    if (key % 2 == 0) cache.erase(key % 3);
  };
  std::thread first([&] { for (int i = 0; i < 9; ++i) use(i); }), second([&] { for (int i = 0; i < 9; ++i) use(i); });
  first.join();
  second.join();
}

// Published once, then read by all.
// NONE: race: {{.*}}published
int published;
std::atomic<int*> place{nullptr};

void Publish() {
  std::thread reader([] {
    int* seen;
    while ((seen = place.load(std::memory_order_acquire)) == nullptr) std::this_thread::yield();
    if (*seen != 4) __builtin_trap();
  });
  std::thread writer([] { published = 4; place.store(&published, std::memory_order_release); });
  reader.join();
  writer.join();
}

// A ring between one producer and one consumer.
void Ring() {
  int slots[4];
  std::atomic<unsigned> head{0}, tail{0};
  long sum = 0;
  std::thread consumer([&] {
    for (unsigned i = 0; i < 20; ++i) {
      while (head.load(std::memory_order_acquire) == i) continue;
      sum += slots[i % 4];
      tail.store(i + 1, std::memory_order_release);
    }
  });
  for (unsigned i = 0; i < 20; ++i) {
    while (i - tail.load(std::memory_order_acquire) == 4) continue;
    slots[i % 4] = static_cast<int>(i);
    head.store(i + 1, std::memory_order_release);
  }
  consumer.join();
  if (sum != 190) __builtin_trap();
}

// Double-checked locking.
std::atomic<int*> lazy{nullptr};
std::mutex lazy_mutex;
int Lazy() {
  int* made = lazy.load(std::memory_order_acquire);
  if (made == nullptr) {
    std::lock_guard lock(lazy_mutex);
    made = lazy.load(std::memory_order_relaxed);
    if (made == nullptr) lazy.store(made = new int(5), std::memory_order_release);
  }
  return *made;
}

// Tasks inside of threads, and a promise of theirs between threads.
void Tasks() {
  taskrace::promise<int> promise;
  auto future = promise.get_future();
  int sum = 0, seen = 0;
  std::thread maker([&] {
    int x[4];
    taskrace::parallel_for(0, 4, [&](int i) { x[i] = i; });
    taskrace::scope s;
    s.spawn([&] { sum = x[0] + x[1]; });
    s.sync();
    sum += x[2] + x[3];
    promise.set_value(1);
  });
  std::thread user([&] {
    taskrace::scope s;
    s.spawn([&] { seen = future.get() + sum; });
    s.sync();
  });
  maker.join();
  user.join();
  if (seen != 7) __builtin_trap();
}

int main() {
  JobsOfAPool();
  Pipeline();
  FlagUnderALock();
  Cache();
  Publish();
  Ring();
  std::thread first([] { if (Lazy() != 5) __builtin_trap(); }), second([] { if (Lazy() != 5) __builtin_trap(); });
  first.join();
  second.join();
  delete lazy.load();
  Tasks();
}
// CHECK: {{^}}taskrace: no races in
// CHECK: no schedule of this input with the same order of locks and atomics
