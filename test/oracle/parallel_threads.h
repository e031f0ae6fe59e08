// Threads that run programs: tasks wait in one queue; who waits for a group runs others meanwhile.
// At each hook a thread may pause, so that they meet in many ways.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "detect/parallel/worker.h"
#include "test/oracle/parallel_delays.h"

namespace taskrace::oracle {

class Threads {
 public:
  // A thread as tasks see it.
  struct Thread {
    ParallelWorker worker;
    RandomDelays delays;
  };
  using Task = std::function<void(Thread&)>;

  // What a join waits for.
  class Group {
   public:
    // Requires: the creator has made the task's place.
    void Run(Threads& threads, Task task) {
      ++running_;
      threads.Submit([this, task = std::move(task)](Thread& thread) {
        task(thread);
        --running_;
      });
    }
    // Runs tasks of the queue until all have ended. Requires: the strand was stopped.
    void Wait(Threads& threads, Thread& thread) {
      while (running_ != 0) {
        if (!threads.RunOne(thread)) std::this_thread::yield();
      }
    }
    TaskTree::Group tree = {};

   private:
    std::atomic<size_t> running_ = 0;
  };

  Threads(ParallelDetection& detection, size_t count, uint64_t seed) {
    for (size_t i = 0; i < count; ++i) {
      states_.emplace_back(ParallelWorkerOf(detection), RandomDelays(seed * 1000 + i));
    }
    for (size_t i = 1; i < count; ++i) {
      threads_.emplace_back([this, i] {
        while (!stops_) {
          if (!RunOne(states_[i])) Idle(states_[i]);
        }
      });
    }
  }
  ~Threads() {
    stops_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

  // The caller is the first thread.
  Thread& First() { return states_[0]; }
  std::deque<Thread>& All() { return states_; }

 private:
  // Workers cannot be moved.
  struct ParallelWorkerOf {
    explicit ParallelWorkerOf(ParallelDetection& detection) : detection(detection) {}
    operator ParallelWorker() const { return ParallelWorker(detection); }
    ParallelDetection& detection;
  };

  void Submit(Task task) {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(task));
  }
  bool RunOne(Thread& thread) {
    Task task;
    {
      const std::lock_guard lock(mutex_);
      if (queue_.empty()) return false;
      const bool newest = ++taken_ % 3 != 0;
      task = std::move(newest ? queue_.back() : queue_.front());
      newest ? queue_.pop_back() : queue_.pop_front();
    }
    task(thread);
    return true;
  }
  void Idle(Thread& thread) {
    thread.worker.Rest();
    std::this_thread::yield();
  }

  std::deque<Thread> states_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::deque<Task> queue_;
  size_t taken_ = 0;
  std::atomic<bool> stops_ = false;
};

}  // namespace taskrace::oracle
