// -Rpass=taskrace says what is checked before a loop, -Rpass-missed=taskrace what is not, and why.
// RUN: %clangxx %instrument -O1 -g -fno-unroll-loops -c %s -o %t.o -Rpass=taskrace -Rpass-missed=taskrace 2>&1 | %FileCheck %s
void anything();
struct Point { double x, y; };

void range(int* p, long n) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: write is checked before the loop at line [[@LINE+1]], as one range of a computed number of bytes [-Rpass=taskrace]
  for (long i = 0; i < n; ++i) p[i] = i;
}
void rows(Point* p) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: write is checked before the loop at line [[@LINE+1]], as 100 rows of 8 bytes, 16 bytes apart [-Rpass=taskrace]
  for (long i = 0; i < 100; ++i) p[i].x = 1.5 * i;
}
void call(int* p, long n) {
  for (long i = 0; i < n; ++i) {
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: write is checked in every iteration of the loop at line [[@LINE-1]]: it calls anything(), which may start or end a strand [-Rpass-missed=taskrace]
    p[i] = i;
    anything();
  }
}
void pointer(int* p, void (*f)()) {
  for (long i = 0; i < 100; ++i) {
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: write is checked in every iteration of the loop at line [[@LINE-1]]: it calls through a pointer, and the callee may start or end a strand [-Rpass-missed=taskrace]
    p[i] = i;
    f();
  }
}
long early(const long* p, const long* index) {
  long sum = 0;
  for (long i = 0; i < 1000; ++i) {
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: read is checked in every iteration of the loop at line [[@LINE-1]]: it may exit early [-Rpass-missed=taskrace]
    sum += p[index[i]];
    if (sum == 7) break;
  }
  return sum;
}
long search(const long* p) {
  long i = 0;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: read is checked after the loop at line [[@LINE+1]], as one range of a computed number of bytes [-Rpass=taskrace]
  while (p[i] != 0) {
    if (++i == 1000) break;
  }
  return i;
}
long unknown(const long* p) {
  long i = 0;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: read is checked in every iteration of the loop at line [[@LINE+1]]: its number of iterations is not known on entry [-Rpass-missed=taskrace]
  while (p[i] != 0) i = 3 * i + 1;
  return i;
}
void sometimes(int* p, const char* flags, long n) {
  for (long i = 0; i < n; ++i)
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: write is checked in every iteration of the loop at line [[@LINE-1]]: not every iteration does the access [-Rpass-missed=taskrace]
    if (flags[i]) p[i] = 1;
}
void scattered(int* p, const long* index, long n) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: write is checked in every iteration of the loop at line [[@LINE+1]]: the address does not advance in equal steps [-Rpass-missed=taskrace]
  for (long i = 0; i < n; ++i) p[index[i]] = 7;
}
void triangle(int* p, long n) {
  for (long i = 0; i < n; ++i)
    // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: write is checked in every iteration of the loop at line [[@LINE-1]]: the number of iterations of the inner loop varies [-Rpass-missed=taskrace]
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: write is checked before the loop at line [[@LINE+1]], as one range of a computed number of bytes [-Rpass=taskrace]
    for (long j = 0; j < i; ++j) p[i * 1000 + j] = 7;
}
void boxes(int* p) {
  for (long i = 0; i < 10; ++i)
    for (long j = 0; j < 10; ++j)
      // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: write is checked in every iteration of the loop at line [[@LINE-2]]: the rows are not evenly spaced [-Rpass-missed=taskrace]
      // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: write is checked before the loop at line [[@LINE-2]], as 10 rows of 40 bytes, 200 bytes apart [-Rpass=taskrace]
      for (long k = 0; k < 10; ++k) p[i * 1000 + j * 50 + k] = 7;
}
void bricks(int* p) {
  for (long i = 0; i < 10; ++i)
    for (long j = 0; j < 10; ++j)
      // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: write is checked before the loop at line [[@LINE-2]], as 100 rows of 40 bytes, 200 bytes apart [-Rpass=taskrace]
      for (long k = 0; k < 10; ++k) p[i * 500 + j * 50 + k] = 7;
}
void waits(int* p, volatile int* flag, long n) {
  for (long i = 0; i < n; ++i) {
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: write is checked in every iteration of the loop at line [[@LINE-1]]: a loop inside may never end [-Rpass-missed=taskrace]
    p[i] = 7;
    while (*flag == 0) {
    }
  }
}
void assembler(int* p, long n) {
  for (long i = 0; i < n; ++i) {
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: write is checked in every iteration of the loop at line [[@LINE-1]]: it has inline assembler, whose effects are unknown [-Rpass-missed=taskrace]
    p[i] = 7;
    asm volatile("nop");
  }
}
// What jumps to a computed label cannot be made to jump to a place before the loop.
void jumps(int* p, long n, long way) {
  static void* const ways[] = {&&loop, &&end};
  long i = 0;
  goto *ways[way];
loop:
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: write is checked in every iteration of the loop at line {{[0-9]+}}: it has no single entry [-Rpass-missed=taskrace]
  p[i] = 7;
  if (++i < n) goto loop;
end:;
}
thread_local int own;
void leaves(int** p, long n) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: write is checked in every iteration of the loop at line [[@LINE+1]]: it passes on the address of a thread_local [-Rpass-missed=taskrace]
  for (long i = 0; i < n; ++i) p[i] = &own;
}
unsigned steps(const int* numbers, unsigned i, int wanted) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: read is checked once for every run of equal steps in the loop at line [[@LINE+1]] [-Rpass=taskrace]
  while (numbers[i] != wanted) ++i;
  return i;
}
struct Parity { char* bits; };
void addresses(Parity& parity, const char* p, long n) {
  for (long i = 0; i < n; ++i) {
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: write is checked once for every run of equal addresses in the loop at line [[@LINE-1]] [-Rpass=taskrace]
    *parity.bits ^= p[i];
  }
}
extern "C" int __taskrace_iteration(unsigned long k) noexcept;
void parallel(int* b, const int* a, const long* x, unsigned long end) {
  for (unsigned long k = 0; k != end && __taskrace_iteration(k) != 0; ++k) {
    // CHECK-DAG: :[[@LINE+2]]:{{[0-9]+}}: remark: write is checked before the parallel loop, as one range of 4 bytes an iteration, 4 bytes apart [-Rpass=taskrace]
    // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: read is checked in every iteration of the parallel loop: the address does not advance in equal steps [-Rpass-missed=taskrace]
    b[k] = a[x[k]];
  }
}
void parallel_call(int* b, unsigned long end) {
  for (unsigned long k = 0; k != end && __taskrace_iteration(k) != 0; ++k) {
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: write is checked in every iteration of the parallel loop: it calls anything(), which may start or end a strand [-Rpass-missed=taskrace]
    b[k] = 1;
    anything();
  }
}
void parallel_free(int* b, unsigned long end) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: all checks were moved out of the parallel loop [-Rpass=taskrace]
  for (unsigned long k = 0; k != end && __taskrace_iteration(k) != 0; ++k) b[k] = 1;
}
