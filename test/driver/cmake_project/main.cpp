#include <taskrace/tasks.hpp>

extern "C" int twice(int);
void Count(int by);

int main() {
  taskrace::parallel_invoke([] { Count(twice(1)); }, [] { Count(twice(2)); });
}
