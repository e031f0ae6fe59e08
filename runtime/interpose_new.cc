// operator new and delete by their linker names, so that reports show the program's line and not
// libstdc++.
//
// A program may replace some of them, and the C++ library's others call those. So where the program has
// replaced what the library's version would call, that version is called; and where memory has run out,
// as it knows handlers and exceptions.

#include <stddef.h>

#include <new>

#include "runtime/allocator.h"
#include "runtime/interpose_memory.h"
#include "runtime/real.h"
#include "runtime/runtime.h"

namespace taskrace {
namespace {

// References are pointers to the linker.
using NoThrow = const std::nothrow_t*;
using Alignment = std::align_val_t;

// Whether the program calls another function of this name than the one here.
class Replaced {
 public:
  explicit constexpr Replaced(const char* name) : name_(name) {}
  operator bool() {
    if (state_ == State::kUnknown) {
      Dl_info theirs{}, ours{};
      dladdr(dlsym(RTLD_DEFAULT, name_), &theirs);
      dladdr(name_, &ours);
      state_ = theirs.dli_fbase == ours.dli_fbase ? State::kOurs : State::kReplaced;
    }
    return state_ == State::kReplaced;
  }

 private:
  enum class State { kUnknown, kOurs, kReplaced };
  const char* name_;
  State state_ = State::kUnknown;
};

constinit Replaced plain_new("_Znwm"), array_new("_Znam"), aligned_new("_ZnwmSt11align_val_t");
constinit Replaced plain_delete("_ZdlPv"), array_delete("_ZdaPv"),
    aligned_delete("_ZdlPvSt11align_val_t"), aligned_array_delete("_ZdaPvSt11align_val_t");

void* Allocate(size_t size) { return allocator::Allocate(size == 0 ? 1 : size); }
void* Allocate(size_t size, NoThrow) { return Allocate(size); }
void* Allocate(size_t size, Alignment alignment) {
  return allocator::AllocateAligned(static_cast<size_t>(alignment), size == 0 ? 1 : size);
}

template <class... More>
void* New(bool is_replaced, Real<void*(size_t, More...)>& library, uintptr_t pc, size_t size,
          More... more) {
  if (is_replaced) return library(size, more...);
  void* block = Allocate(size, more...);
  if (block == nullptr) block = library(size, more...);
  return Allocated(block, size, pc);
}

template <class... More>
void Delete(bool is_replaced, Real<void(void*, More...)>& library, uintptr_t pc, void* block,
            More... more) {
  if (is_replaced) return library(block, more...);
  Freed(block, pc);
}

}  // namespace
}  // namespace taskrace

using namespace taskrace;

// `replaced`: whether the program replaces something that the library's version calls.
#define TASKRACE_NEW(name, replaced)                      \
  TASKRACE_EXPORT void* name(size_t size) {               \
    static constinit Real<void*(size_t)> library(#name);  \
    return New(replaced, library, TASKRACE_CALLER, size); \
  }
#define TASKRACE_NEW_WITH(name, replaced, Type)                 \
  TASKRACE_EXPORT void* name(size_t size, Type more) {          \
    static constinit Real<void*(size_t, Type)> library(#name);  \
    return New(replaced, library, TASKRACE_CALLER, size, more); \
  }
TASKRACE_NEW(_Znwm, false)
TASKRACE_NEW(_Znam, plain_new)
TASKRACE_NEW_WITH(_ZnwmRKSt9nothrow_t, plain_new, NoThrow)
TASKRACE_NEW_WITH(_ZnamRKSt9nothrow_t, plain_new || array_new, NoThrow)
TASKRACE_NEW_WITH(_ZnwmSt11align_val_t, false, Alignment)
TASKRACE_NEW_WITH(_ZnamSt11align_val_t, aligned_new, Alignment)

#define TASKRACE_DELETE(name, replaced)                \
  TASKRACE_EXPORT void name(void* block) noexcept {    \
    static constinit Real<void(void*)> library(#name); \
    Delete(replaced, library, TASKRACE_CALLER, block); \
  }
#define TASKRACE_DELETE_WITH(name, replaced, Type)             \
  TASKRACE_EXPORT void name(void* block, Type more) noexcept { \
    static constinit Real<void(void*, Type)> library(#name);   \
    Delete(replaced, library, TASKRACE_CALLER, block, more);   \
  }
#define TASKRACE_DELETE_WITH_BOTH(name, replaced)                                     \
  TASKRACE_EXPORT void name(void* block, size_t size, Alignment alignment) noexcept { \
    static constinit Real<void(void*, size_t, Alignment)> library(#name);             \
    Delete(replaced, library, TASKRACE_CALLER, block, size, alignment);               \
  }
TASKRACE_DELETE(_ZdlPv, false)
TASKRACE_DELETE(_ZdaPv, plain_delete)
TASKRACE_DELETE_WITH(_ZdlPvm, plain_delete, size_t)
TASKRACE_DELETE_WITH(_ZdaPvm, plain_delete || array_delete, size_t)
TASKRACE_DELETE_WITH(_ZdlPvRKSt9nothrow_t, plain_delete, NoThrow)
TASKRACE_DELETE_WITH(_ZdaPvRKSt9nothrow_t, plain_delete || array_delete, NoThrow)
TASKRACE_DELETE_WITH(_ZdlPvSt11align_val_t, false, Alignment)
TASKRACE_DELETE_WITH(_ZdaPvSt11align_val_t, aligned_delete, Alignment)
TASKRACE_DELETE_WITH_BOTH(_ZdlPvmSt11align_val_t, aligned_delete)
TASKRACE_DELETE_WITH_BOTH(_ZdaPvmSt11align_val_t, aligned_delete || aligned_array_delete)
