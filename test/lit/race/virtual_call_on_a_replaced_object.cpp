// A virtual call reads the pointer to the table that the constructor of a parallel task writes.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <new>
#include <taskrace/tasks.hpp>

struct Shape {
  virtual int Corners() const { return 0; }
};
struct Square : Shape {
  int Corners() const override { return 4; }
};

int corners;

int main() {
  alignas(Square) unsigned char storage[sizeof(Square)];
  Shape* shape = new (storage) Shape;
  taskrace::scope s;
  // CHECK: race: read-write on 'storage'
  // CHECK: earlier: read of 8 bytes
  s.spawn([shape] { corners = shape->Corners(); });
  // CHECK: #0{{.*}}virtual_call_on_a_replaced_object.cpp:[[#@LINE-1]]:
  // CHECK: later: write of 8 bytes
  s.spawn([&storage] { new (storage) Square; });
  // CHECK: #{{.*}}virtual_call_on_a_replaced_object.cpp:[[#@LINE-1]]:
  s.sync();
}
// CHECK: {{^}}taskrace: {{[0-9]+}} race
