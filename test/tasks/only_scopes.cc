// A program without async and finish must not be taken for one that has them: exits 0 if so.
#include <taskrace/tasks.hpp>

#include "test/tasks/fake_runtime.h"

int main() {
  taskrace::scope tasks;
  tasks.spawn([] {});
  taskrace::parallel_for(0, 3, [](int) {});
  return fake::constructs == TASKRACE_USES_SCOPE ? 0 : 1;
}
