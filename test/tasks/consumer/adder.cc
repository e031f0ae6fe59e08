#include <taskrace/tasks.hpp>

#ifndef __TASKRACE__
#error "this file must be compiled for detection"
#endif

extern "C" const int ones[8];

int AddOnes() {
  int left = 0, right = 0;
  taskrace::parallel_invoke(
      [&left] {
        for (int i = 0; i < 4; ++i) left += ones[i];
      },
      [&right] {
        for (int i = 4; i < 8; ++i) right += ones[i];
      });
  return left + right;
}
