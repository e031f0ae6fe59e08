#include <omp.h>

int sum;

int main() {
#pragma omp parallel num_threads(2)
  sum += omp_get_num_threads();
}
