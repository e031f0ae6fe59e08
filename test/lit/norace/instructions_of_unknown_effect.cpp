// What xsave writes depends on the processor: the pass does not know it, and the report says so.
// RUN: %taskrace c++ -O0 -mxsave %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 -mxsave %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 -mxsave -DHIDDEN %s -o %t && %taskrace run %t 2>&1 | %FileCheck --check-prefix=HIDDEN %s
#include <immintrin.h>
#include <taskrace/tasks.hpp>

alignas(64) char area[8192];

#ifdef HIDDEN
__attribute__((disable_sanitizer_instrumentation))
#endif
void save() { _xsave(area, 0); }

int main() {
  taskrace::scope s;
  s.spawn([] { save(); });
  s.sync();
}
// CHECK: warning: some instructions were not checked, because their accesses are unknown,
// CHECK-NEXT: in instructions_of_unknown_effect.cpp
// CHECK: no races in 1 task, {{.*}}as far as it was instrumented

// Nothing is checked in this function, and that is its author's will.
// HIDDEN-NOT: warning
// HIDDEN: no schedule of this input has a determinacy race
