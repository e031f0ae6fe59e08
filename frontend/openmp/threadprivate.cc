// threadprivate variables, when they are compiled with -fnoopenmp-use-tls: the initial thread has the
// variable itself, each other one a copy that it keeps from region to region. They are not checked:
// the tasks of one thread do not run at the same time.

#include <string.h>

#include "detect/ds/intern_table.h"
#include "detect/ds/mapped_array.h"
#include "frontend/openmp/team.h"

namespace taskrace::openmp {
namespace {

// A copy, by variable and thread.
struct Owner {
  const void* variable;
  uint64_t identity;
  uint64_t Hash() const { return Mix(reinterpret_cast<uintptr_t>(variable) ^ Mix(identity + 1)); }
  bool operator==(const Owner&) const = default;
};

struct Variable {
  void* bytes;
  size_t size;
  void* (*construct)(void*);
  const char* image;  // as it was when it was first used
};

constinit InternTable<Owner> owners;
constinit MappedArray<char*> copies{"threadprivate variables"};
constinit InternTable<Owner> numbers;  // of variables: those of identity 0
constinit MappedArray<Variable> variables{"threadprivate variables"};

// Places in teams, as numbers.
constinit InternTable<Owner> places;

Variable& Of(void* bytes) {
  const uint32_t number = numbers.Intern({bytes, 0});
  if (variables.Size() <= number) variables.Resize(number + 1);
  Variable& variable = variables[number];
  variable.bytes = bytes;
  return variable;
}

char* CopyOf(void* bytes, size_t size) {
  MakeAware();
  Variable& variable = Of(bytes);
  if (variable.size == 0) {
    variable.size = size;
    if (variable.construct == nullptr) {
      char* const image = Allocate<char>(size);
      memcpy(image, bytes, size);
      variable.image = image;
    }
    __taskrace_ignore_range(bytes, size);
  }
  const int32_t identity = Here().identity;
  if (identity == 0) return static_cast<char*>(bytes);
  const uint32_t number = owners.Intern({bytes, static_cast<uint64_t>(identity)});
  if (copies.Size() <= number) copies.Resize(number + 1);
  if (copies[number] == nullptr) {
    char* const copy = Allocate<char>(size);
    copies[number] = copy;
    __taskrace_ignore_range(copy, size);
    if (variable.construct != nullptr) {
      variable.construct(copy);
    } else {
      memcpy(copy, variable.image, size);
    }
  }
  return copies[number];
}

}  // namespace

int32_t IdentityOf(int32_t parent, int32_t number) {
  if (number == 0) return parent;
  return static_cast<int32_t>(
      places.Intern({reinterpret_cast<const void*>(static_cast<uintptr_t>(parent)),
                     static_cast<uint64_t>(number)}));
}

}  // namespace taskrace::openmp

using namespace taskrace::openmp;

OPENMP_ENTRY void* __kmpc_threadprivate_cached(Ident*, int32_t, void* data, size_t size, void***) {
  return CopyOf(data, size);
}
OPENMP_ENTRY void* __kmpc_threadprivate(Ident*, int32_t, void* data, size_t size) {
  return CopyOf(data, size);
}
OPENMP_ENTRY void __kmpc_threadprivate_register(Ident*, void* data, void* (*construct)(void*),
                                                void* (*)(void*, void*), void (*)(void*)) {
  Of(data).construct = construct;
}
