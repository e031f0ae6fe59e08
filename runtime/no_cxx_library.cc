// What compiled C++ asks of libstdc++, which the runtime is not linked with. Hidden from the program.

#include "detect/ds/check.h"

extern "C" __attribute__((visibility("hidden"))) void __cxa_pure_virtual() {
  CHECK(false, "a pure virtual function was called");
}
