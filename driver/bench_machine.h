// On what a benchmark ran, named so that others can compare: no names of hosts or people.
//
// Thread rule: a value. Cost: a few files, and a call of the compiler.
#pragma once

#include <cstdint>
#include <string>

namespace taskrace::driver {

struct Machine {
  std::string cpu;
  int cores = 0;  // that this process may use
  uint64_t memory_gib = 0;
  std::string kernel;
  std::string compiler;
  double load = 0;  // before anything was started: what else the machine was doing

  // One line for a person.
  std::string Text() const;
  // Busy with something else, so that times mean little.
  bool IsBusy() const;
};
Machine DescribeMachine(const std::string& clang);

}  // namespace taskrace::driver
