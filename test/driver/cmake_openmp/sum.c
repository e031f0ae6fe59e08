int sum;

int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 100; i++) sum += i;
}
