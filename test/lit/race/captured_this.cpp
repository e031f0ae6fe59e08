// Tasks of a member function share the object.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

class Counter {
 public:
  void Run() {
    taskrace::scope s;
    // CHECK: race: write-write on 'counter'
    // CHECK: earlier: write of 4 bytes by task 1
    s.spawn([this] { count_ = 1; });
    // CHECK: #0{{.*}}captured_this.cpp:[[#@LINE-1]]:
    // CHECK: later: write of 4 bytes by task 2
    s.spawn([this] { count_ = 2; });
    // CHECK: #0{{.*}}captured_this.cpp:[[#@LINE-1]]:
    s.sync();
  }
  int count() const { return count_; }

 private:
  long other_ = 0;
  int count_ = 0;
};

int main() {
  Counter counter;
  counter.Run();
  return counter.count() != 2;
}
// CHECK: bytes 8 to 11 of it
// CHECK: {{^}}taskrace: 1 race
