// Which scopes the pass proves to nest: the engine that auto takes tells.
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s --check-prefix=NEST
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s --check-prefix=NEST
// RUN: %taskrace c++ -O2 -DPASSED_ON %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s --check-prefix=LOOSE
// RUN: %taskrace c++ -O2 -DMEMBER %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s --check-prefix=LOOSE
// RUN: %taskrace c++ -O2 -DCAPTURED %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s --check-prefix=LOOSE
// RUN: %taskrace c++ -O2 -DOUT_OF_ORDER %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s --check-prefix=LOOSE
// RUN: %taskrace c++ -O2 -DIN_TURNS %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s --check-prefix=LOOSE
#include <taskrace/tasks.hpp>

void Nothing() {}

int Fib(int n) {
  if (n < 2) return n;
  int a = 0, b = 0;
  taskrace::scope children;
  children.spawn([&a, n] { a = Fib(n - 1); });
  b = Fib(n - 2);
  children.sync();
  return a + b;
}

void OneAfterTheOther(bool more) {
  {
    taskrace::scope first;
    first.spawn(Nothing);
  }
  if (more) {
    taskrace::scope second;
    second.spawn(Nothing);
    second.sync();
    taskrace::scope inner;
    inner.spawn(Nothing);
  }
}

void OneInTheOther() {
  taskrace::scope outer;
  outer.spawn(Nothing);
  for (int i = 0; i < 3; ++i) {
    taskrace::scope inner;
    inner.spawn(Nothing);
  }
  outer.spawn(Nothing);
  outer.sync();
}

#ifdef PASSED_ON
void Spawn(taskrace::scope& scope) { scope.spawn(Nothing); }
void Loose() {
  taskrace::scope scope;
  Spawn(scope);
}
#elif defined(MEMBER)
struct Owner {
  taskrace::scope scope;
};
void Loose() {
  Owner owner;
  owner.scope.spawn(Nothing);
}
#elif defined(CAPTURED)
void Loose() {
  taskrace::scope scope;
  const auto spawn = [&] { scope.spawn(Nothing); };
  spawn();
}
#elif defined(OUT_OF_ORDER)
void Loose() {
  taskrace::scope a;
  taskrace::scope b;
  a.spawn(Nothing);
  b.spawn(Nothing);
  a.sync();
}
#elif defined(IN_TURNS)
void Loose() {
  taskrace::scope a;
  a.spawn(Nothing);
  taskrace::scope b;
  for (int i = 0; i < 3; ++i) {
    b.spawn(Nothing);
    a.spawn(Nothing);
  }
}
#else
void Loose() {}
#endif

int main() {
  OneAfterTheOther(Fib(5) == 5);
  OneInTheOther();
  Loose();
}

// NEST: engine spbags, because all joins nest
// LOOSE: engine multibags, because the joins of scopes need not nest
