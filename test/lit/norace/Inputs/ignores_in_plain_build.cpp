// Compiled without detection, with a region of its own.
#include <taskrace/annotate.h>

int Plain(int x) {
  taskrace::ignore_region region;
  return x;
}
