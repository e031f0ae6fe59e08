// What front ends get from the runtime: exec/frontend.h.

#include "exec/frontend.h"

#include <stdlib.h>
#include <unistd.h>

#include <utility>

#include "runtime/real.h"
#include "runtime/runtime.h"

namespace taskrace {
namespace {

class RuntimeFrontend final : public Frontend {
 public:
  bool IsHere() override {
    if (Runtime::Get() == nullptr) return gettid() == getpid();
    // Other threads of the program take turns with it.
    return Runtime::IsWorker() && Runtime::Get()->ThisThread().id == 0;
  }
  Executor* executor() override {
    Runtime* runtime = Runtime::OfWorker();
    if (runtime == nullptr) return nullptr;
    if (runtime->is_parallel()) {
      runtime->FailAt("OpenMP is not covered by exec=parallel: run again with --exec=serial", 0);
    }
    return runtime->executor();
  }
  Coroutine* Begin(void (*body)(void*), void* argument) override {
    return coroutines_.Begin(body, argument, RunningHere());
  }
  bool Resume(Coroutine* coroutine) override {
    Runtime* runtime = Runtime::OfWorker();
    RunningStack outer;
    if (runtime != nullptr) outer = std::exchange(runtime->thread_stack, coroutine->bounds);
    const bool has_ended = coroutines_.Resume(coroutine, RunningHere());
    if (runtime != nullptr) {
      runtime->thread_stack = outer;
      runtime->OnSwitch();
    }
    if (!has_ended) return false;
    if (runtime != nullptr) {
      const RunningStack& stack = coroutine->bounds;
      runtime->Forgotten(stack.stack_touched, stack.stack_high - stack.stack_touched);
    }
    coroutines_.Release(coroutine);
    return true;
  }
  void Leave(Coroutine* coroutine) override {
    Coroutines::Leave(coroutine);
    if (Runtime* runtime = Runtime::OfWorker()) runtime->OnSwitch();
  }
  void SetThread(uint32_t number, uint32_t team_size, uint32_t identity) override {
    Runtime* runtime = Runtime::OfWorker();
    if (runtime != nullptr && executor() != nullptr) {
      runtime->SetThread(number, team_size, identity);
    }
  }
  void Warn(const char* text, uintptr_t pc) override {
    if (Runtime* runtime = Runtime::OfWorker()) runtime->Warn(text, pc);
  }
  [[noreturn]] void Fail(const char* text, uintptr_t pc) override {
    if (Runtime* runtime = Runtime::OfWorker()) runtime->FailAt(text, pc);
    FixedLine line;
    line << "taskrace: error: " << text;
    line.Print();
    _exit(2);
  }
  void CountRegion(uint32_t team_size) override {
    if (Runtime* runtime = Runtime::OfWorker()) runtime->teams().Count(team_size);
  }
  void CountLoop(bool by_units) override {
    if (Runtime* runtime = Runtime::OfWorker()) {
      ++(by_units ? runtime->teams().loops_by_units : runtime->teams().loops_by_threads);
    }
  }

 private:
  Running& RunningHere() {
    Runtime* runtime = Runtime::OfWorker();
    return runtime == nullptr ? unwatched_ : runtime->running();
  }

  Coroutines coroutines_;
  Running unwatched_;  // of a run without detection
};

constinit RuntimeFrontend frontend;

}  // namespace
}  // namespace taskrace

TASKRACE_EXPORT taskrace::Frontend* __taskrace_frontend() noexcept { return &taskrace::frontend; }
