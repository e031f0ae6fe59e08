// The function that an interposer stands in front of.
#pragma once

#include <dlfcn.h>

namespace taskrace {

// Looks the symbol up behind this library once. Thread rule: any; the same answer is
// stored twice at worst.
template <class Function>
class Real {
 public:
  explicit constexpr Real(const char* name) : name_(name) {}
  template <class... Arguments>
  auto operator()(Arguments... arguments) {
    return Get()(arguments...);
  }
  Function* Get() {
    if (function_ == nullptr) function_ = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name_));
    return function_;
  }

 private:
  const char* name_;
  Function* function_ = nullptr;
};

}  // namespace taskrace

#define TASKRACE_EXPORT extern "C" __attribute__((visibility("default")))
#define TASKRACE_CALLER reinterpret_cast<uintptr_t>(__builtin_return_address(0))
