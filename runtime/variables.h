// Stack variables whose address has left their function, as far as they are alive:
// their names for reports.
//
// Variables that a throw or a longjmp has skipped lie below the stack pointer; they go when
// the next one comes. Thread rule: the worker. Cost: a few instructions per variable; 24
// bytes for each live one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "detect/ds/mapped_array.h"
#include "taskrace/hooks.h"

namespace taskrace {

class Variables {
 public:
  struct Live {
    uintptr_t first;
    size_t size;
    const __taskrace_variable* variable;
  };

  // Requires: [stack_low, stack_pointer) is the free part of the stack that the variable is on.
  void Begin(uintptr_t first, size_t size, const __taskrace_variable* variable, uintptr_t stack_low,
             uintptr_t stack_pointer) {
    while (!live_.Empty() && live_.Back().first >= stack_low &&
           live_.Back().first < stack_pointer) {
      live_.PopBack();
    }
    live_.Append({first, size, variable});
  }

  void End(uintptr_t first) {
    for (size_t i = live_.Size(); i-- > 0;) {
      if (live_[i].first != first) continue;
      for (; i + 1 < live_.Size(); ++i) live_[i] = live_[i + 1];
      live_.PopBack();
      return;
    }
  }

  // The youngest variable around the address, or null.
  const Live* Containing(uintptr_t address) const {
    for (size_t i = live_.Size(); i-- > 0;) {
      if (address - live_[i].first < live_[i].size) return &live_[i];
    }
    return nullptr;
  }

 private:
  MappedArray<Live> live_{"the table of stack variables"};
};

}  // namespace taskrace
