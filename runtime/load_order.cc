#include "runtime/load_order.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

namespace taskrace {

const char* LoadBeforeAllocators(char** arguments) {
  constexpr const char* kName = "LD_PRELOAD";
  const char* const wanted = getenv(kName);
  if (wanted == nullptr || *wanted == '\0' || getauxval(AT_SECURE) != 0) return nullptr;
  Dl_info self{}, provider{};
  link_map* module = nullptr;
  dladdr(kName, &self);
  const size_t length = strlen(self.dli_fname);
  if (strncmp(wanted, self.dli_fname, length) == 0) {
    wanted[length] == '\0' ? unsetenv(kName) : setenv(kName, wanted + length + 1, 1);
    return nullptr;
  }
  dladdr1(dlsym(RTLD_DEFAULT, "malloc"), &provider, reinterpret_cast<void**>(&module),
          RTLD_DL_LINKMAP);
  const bool is_the_programs = module->l_prev == nullptr;  // which comes before all libraries
  if (provider.dli_fbase == self.dli_fbase || is_the_programs) return nullptr;
  char both[4096];
  const int size = snprintf(both, sizeof(both), "%s:%s", self.dli_fname, wanted);
  if (strpbrk(self.dli_fname, ": ") == nullptr && size < static_cast<int>(sizeof(both)) &&
      setenv(kName, both, 1) == 0) {
    execve("/proc/self/exe", arguments, environ);
    setenv(kName, wanted, 1);
  }
  return "a library in LD_PRELOAD provides malloc: list libtaskrace_rt.so before it";
}

}  // namespace taskrace
