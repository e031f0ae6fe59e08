/* A runtime that does nothing but say which modules register, for tests of the marker. */
#include <stdio.h>

#include "taskrace/hooks.h"

static struct __taskrace_frame frames[64];
_Thread_local struct __taskrace_frame* __taskrace_top __attribute__((tls_model("initial-exec"))) =
    frames;

void __taskrace_read_string(const char* string) {}
void __taskrace_main_end(void) {}
void __taskrace_module(const struct __taskrace_object* begin, const struct __taskrace_object* end) {
  printf("module of %d objects\n", (int)(end - begin));
  for (; begin != end; ++begin) printf("version %u, %s\n", begin->abi_version, begin->source);
}
