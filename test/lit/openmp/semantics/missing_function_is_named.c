// A function of the runtime that we do not have ends the run with its name.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O1 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
int omp_get_num_interop_properties(void *interop);

int main(void) {
#pragma omp parallel
#pragma omp single
  omp_get_num_interop_properties(0);
}
// CHECK: taskrace: error: the program calls omp_get_num_interop_properties,
// CHECK: missing_function_is_named.c:9:
