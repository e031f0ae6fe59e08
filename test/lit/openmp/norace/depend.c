// Siblings with dependences come in order.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=3 %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
int main(void) {
  int x = 0, y = 0, z = 0, set = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x)
    x = 1;
#pragma omp task depend(in : x) depend(out : y)
    y = x + 1;
#pragma omp task depend(in : x) depend(out : z)
    z = x + 2;
#pragma omp task depend(in : y, z) depend(inout : x)
    x = y + z;
#pragma omp task depend(mutexinoutset : set)
    set++;
#pragma omp task depend(mutexinoutset : set)
    set++;
#pragma omp taskwait depend(in : x)
    z += x;
#pragma omp taskwait
    y = set;
  }
  return x == 5 && y == 2 ? 0 : 1;
}
// CHECK: {{^}}taskrace: no races
