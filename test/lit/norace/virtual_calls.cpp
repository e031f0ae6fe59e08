// Virtual calls on a shared object, dynamic_cast and typeid read tables that nobody writes.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>
#include <typeinfo>

struct Shape {
  virtual ~Shape() = default;
  virtual int Corners() const = 0;
};
struct Square : Shape {
  int Corners() const override { return 4; }
};

int main() {
  const Shape* shape = new Square;
  int seen[4];
  taskrace::parallel_for(0, 4, [&](int i) {
    seen[i] = shape->Corners();
    seen[i] += dynamic_cast<const Square*>(shape) != nullptr;
    seen[i] += typeid(*shape) == typeid(Square);
  });
  delete shape;
  return seen[3] != 6;
}
// CHECK: {{^}}taskrace: no races in {{4 tasks|4 iterations of 1 loop}}
