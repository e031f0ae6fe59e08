// Who lets go last of a future's or promise's state destroys the value: that comes after every use.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <string>
#include <taskrace/tasks.hpp>
#include <vector>

using Value = std::vector<std::string>;

std::size_t lengths[4];

int main() {
  taskrace::scope s;
  {
    taskrace::shared_future<Value> f =
        taskrace::make_future([] { return Value(3, "a long long long text"); });
    taskrace::promise<Value> p;
    p.set_value(Value(2, std::string(50, 'x')));
    taskrace::shared_future<Value> q = p.get_future();
    for (int i = 0; i < 4; ++i) {
      s.spawn([f, q, i]() mutable {
        lengths[i] = f.get()[2].size() + q.get()[1].size();
        f = {};
        q = {};
      });
    }
    // A value whose handles are gone before its task has ended.
    taskrace::promise<void> go;
    s.spawn([value = taskrace::make_future([wait = go.get_future()] {
               wait.get();
               return Value(1, "never got, but a long text");
             })] {});
    go.set_value();
  }
  s.sync();
  return lengths[3] != 21 + 50;
}
// CHECK: {{^}}taskrace: no races in 7 tasks
