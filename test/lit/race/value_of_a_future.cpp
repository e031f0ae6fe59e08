// A race on what a future or a promise holds says so, and where that was made.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run --json=%t.json %t 2>&1 | %FileCheck %s
// RUN: %FileCheck --check-prefix=JSON %s < %t.json
#include <taskrace/tasks.hpp>

struct counter {
  mutable int hits = 0;
};
struct alignas(128) aligned {
  mutable int hits = 0;
};

int main() {
  taskrace::scope s;
  {
    // CHECK: race: write-write on the value of a future
    auto f = taskrace::make_future([] { return counter(); }).share();
    s.spawn([f] { f.get().hits = 1; });
    s.spawn([f] { f.get().hits = 2; });
    // CHECK: where: the value of a future made at value_of_a_future.cpp:[[#@LINE-3]]:
    // CHECK-NEXT: #0 main {{.*}}value_of_a_future.cpp:[[#@LINE-4]]:
    // JSON: "what": "future"
  }
  {
    // CHECK: race: write-write on the value of a promise
    taskrace::promise<aligned> p;
    auto f = p.get_future();
    p.set_value({});
    s.spawn([f] { f.get().hits = 1; });
    s.spawn([f] { f.get().hits = 2; });
    // CHECK: where: the value of a promise made at value_of_a_future.cpp:[[#@LINE-5]]:
    // JSON: "what": "promise"
  }
}
// CHECK: {{^}}taskrace: 2 races
