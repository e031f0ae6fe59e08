/* pthread_once, and so std::call_once: whoever comes second finds everything done, so the
   initialisation is ordered before all of them. In C, because an exception may pass through and the
   region must end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>

#include "taskrace/hooks.h"

static void EndRegion(int* begun) {
  if (*begun) __taskrace_ordered_end();
}

__attribute__((visibility("default"))) int pthread_once(pthread_once_t* control,
                                                        void (*initialise)(void)) {
  static int (*real)(pthread_once_t*, void (*)(void));
  if (real == NULL)
    real = (int (*)(pthread_once_t*, void (*)(void)))dlsym(RTLD_NEXT, "pthread_once");
  __taskrace_ordered_begin();
  __attribute__((cleanup(EndRegion))) int begun = 1;
  return real(control, initialise);
}
