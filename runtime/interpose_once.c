/* pthread_once, and so std::call_once: whoever comes second finds everything done, so the
   initialisation is ordered before all of them. In C, because an exception may pass through and the
   region must end. A thread that finds another one in the middle of it waits for its turn, not in libc. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>

#include "runtime/once.h"
#include "taskrace/hooks.h"

struct Region {
  pthread_once_t* control;
  int entered;
};

static void EndRegion(struct Region* region) {
  __taskrace_ordered_end();
  if (region->entered) __taskrace_once_leave(region->control);
}

__attribute__((visibility("default"))) int pthread_once(pthread_once_t* control,
                                                        void (*initialise)(void)) {
  static int (*real)(pthread_once_t*, void (*)(void));
  if (real == NULL)
    real = (int (*)(pthread_once_t*, void (*)(void)))dlsym(RTLD_NEXT, "pthread_once");
  const int entered = __taskrace_once_enter(control);
  __taskrace_ordered_begin();
  __attribute__((cleanup(EndRegion))) struct Region region = {control, entered};
  return real(control, initialise);
}
