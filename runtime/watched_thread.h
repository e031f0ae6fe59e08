// What the runtime has for a thread that runs tasks: one of a parallel run, or one of the program's.
//
// Thread rule: the thread itself, or the one that has the baton (runtime_threads.cc); atomic members any thread.
#pragma once

#include <pthread.h>

#include <atomic>

#include "exec/baton.h"
#include "exec/executor.h"
#include "exec/fibers.h"
#include "runtime/holdings.h"
#include "runtime/variables.h"

namespace taskrace {

struct WatchedThread {
  Running* running = nullptr;
  Holdings holdings = {};
  Variables variables = {};
  WatchedThread* next = nullptr;  // of all of them
  int number = 0;                 // the operating system's
  std::atomic<bool> runs{false};
  std::atomic<bool> has_told{false};
  // Of a thread of the program, which takes turns with others.
  enum class State { kUnused, kRuns, kEnded };
  std::atomic<State> state{State::kUnused};
  Baton::Thread turn = {};
  RestingThread rests = {};  // while another one runs
  TaskId task = kRootTask;
  pthread_t handle = 0;
  bool is_detached = false;
  Waiting waiting = {};     // while it is blocked
  uintptr_t atomic = 0;     // that it used last
  uint32_t used_again = 0;  // how many times in a row
  uint32_t used = 0;        // how many times it has used any since it last released something
  // Atomics that were read without an order: an acquire fence orders them. The oldest one goes first.
  static constexpr size_t kLoads = 16;
  uintptr_t loads[kLoads] = {};
  size_t next_load = 0;
  bool has_fenced = false;  // by a release fence: it orders all later atomic writes
  uint32_t id = 0;          // in reports; 0: the thread that called main
};

}  // namespace taskrace
