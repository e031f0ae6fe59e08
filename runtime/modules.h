// Modules: the executable and shared libraries of the process, to turn a program counter into a
// place in a file, and to know which of them are instrumented.
//
// Thread rule: one thread at a time. Cost: a walk over the loaded modules per
// question; reports only.
#pragma once

#include <cstdint>

#include "runtime/log.h"
#include "taskrace/hooks.h"

namespace taskrace {

class Modules {
 public:
  static constexpr int kMost = 256;

  // A module has registered its objects. Returns the first one of another ABI version, or null.
  const __taskrace_object* Register(const __taskrace_object* begin, const __taskrace_object* end);

  // Writes a line for every module that is loaded now and that the log does not know yet.
  void Introduce(Log& log);
  // Writes [module, offset] for the address, inside a line. Requires: the module was introduced.
  void Write(Log& log, uintptr_t address);
  // True if the address is part of a module's image; then which one, and where in it.
  bool Find(uintptr_t address, int& module, uintptr_t& offset);
  // The innermost return address of the calling thread's stack that is in instrumented code; 0: none.
  uintptr_t InstrumentedCaller();
  // Called in a signal handler: the signal came while this library was at work.
  bool IsRuntimeInterrupted();
  // True if the address is in the calling thread's block of some module's thread_local variables.
  static bool IsThreadLocal(uintptr_t address);
  // The log is a new one: nothing is known to it.
  void Forget();

 private:
  struct Module {
    uintptr_t base = 0;
    uintptr_t low = 0;
    uintptr_t high = 0;
    bool written = false;
    bool instrumented = false;
    char path[1024] = "";
  };
  struct Search;

  Module* Lookup(uintptr_t address);
  void WriteLine(Log& log, Module& module);

  Module modules_[kMost];
  int size_ = 0;
};

}  // namespace taskrace
