#include "runtime/load_scheduler.h"

#include <dlfcn.h>
#include <string.h>

namespace taskrace {

const TaskScheduler* LoadScheduler() {
  static constexpr char kName[] = "libtaskrace_tbb.so";
  Dl_info self{};
  char path[4096] = "";
  if (dladdr(reinterpret_cast<void*>(&LoadScheduler), &self) != 0) {
    const char* slash = strrchr(self.dli_fname, '/');
    const size_t directory = slash == nullptr ? 0 : static_cast<size_t>(slash + 1 - self.dli_fname);
    if (directory + sizeof(kName) <= sizeof(path)) memcpy(path, self.dli_fname, directory);
  }
  strcat(path, kName);
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  return static_cast<const TaskScheduler*>(dlsym(library, kSchedulerSymbol));
}

}  // namespace taskrace
