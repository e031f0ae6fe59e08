// The example of OpenMP, and its mended form.
// RUN: cd %S
// RUN: %taskrace cc -fopenmp -O2 %S/../../../../examples/jacobi.c -o %t
// RUN: %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace cc -fopenmp -O2 -DFIXED %S/../../../../examples/jacobi.c -o %t
// RUN: %taskrace run %t 2>&1 | %FileCheck --check-prefix=FIXED %s
// CHECK: race: {{.*}} on 'u'
// CHECK: by iteration
// FIXED: taskrace: no races
// FIXED: no schedule of this input with teams of 4 threads has a data race
