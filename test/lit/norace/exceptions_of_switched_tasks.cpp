// Tasks switched out while they handle an exception: each rethrows its own.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <exception>
#include <taskrace/tasks.hpp>

int caught[3], uncaught[3];

int main() {
  taskrace::promise<void> p, q;
  taskrace::finish([&] {
    for (int i = 0; i < 3; ++i) {
      taskrace::async([&, i] {
        try {
          try {
            throw i + 1;
          } catch (...) {
            (i == 1 ? q : p).get_future().get();
            throw;
          }
        } catch (int number) {
          caught[i] = number;
        }
      });
    }
    try {
      throw 'm';
    } catch (...) {
      p.set_value();
      try {
        throw;
      } catch (char) {
        q.set_value();
      }
    }
    // A task that waits in a destructor while an exception unwinds its stack.
    taskrace::promise<void> last;
    struct Waits {
      taskrace::shared_future<void> f;
      int* seen;
      ~Waits() {
        f.get();
        *seen = std::uncaught_exceptions();
      }
    };
    taskrace::async([f = last.get_future()] {
      try {
        Waits waits{f, &uncaught[0]};
        throw 1;
      } catch (int) {
      }
    });
    uncaught[1] = std::uncaught_exceptions();
    last.set_value();
    uncaught[2] = std::uncaught_exceptions();
  });
  return caught[0] != 1 || caught[1] != 2 || caught[2] != 3 || uncaught[0] != 1 ||
         uncaught[1] != 0 || uncaught[2] != 0;
}
// CHECK: {{^}}taskrace: no races in 4 tasks
