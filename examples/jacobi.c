/* Jacobi iteration with OpenMP. One of the loops forgets that its neighbours change:
 *
 *   taskrace cc -fopenmp -O2 jacobi.c -o jacobi && taskrace run ./jacobi
 *
 * With -DFIXED the new values are in an array of their own. */
#include <stdio.h>

enum { kPoints = 1000, kSteps = 10 };

static double u[kPoints], next[kPoints];

int main(void) {
  u[0] = 1;
  u[kPoints - 1] = 1;
  for (int step = 0; step < kSteps; step++) {
#ifdef FIXED
#pragma omp parallel
    {
#pragma omp for
      for (int i = 1; i < kPoints - 1; i++) next[i] = (u[i - 1] + u[i + 1]) / 2;
#pragma omp for
      for (int i = 1; i < kPoints - 1; i++) u[i] = next[i];
    }
#else
#pragma omp parallel for
    for (int i = 1; i < kPoints - 1; i++) u[i] = (u[i - 1] + u[i + 1]) / 2;
    next[0] = u[0];
#endif
  }
  printf("%g\n", u[1] + u[kPoints - 2]);
}
