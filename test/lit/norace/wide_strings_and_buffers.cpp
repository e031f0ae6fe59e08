// Tasks use wide strings and lists of buffers of their own; what lies behind the end of a string is not accessed.
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
#include <stdlib.h>
#include <sys/uio.h>
#include <taskrace/tasks.hpp>
#include <unistd.h>
#include <wchar.h>

wchar_t text[16] = L"abc";
wchar_t found[16] = L"abcdef";
long numbers[2];
int ends[2];

void work(int i) {
  wchar_t mine[8];
  wcscpy(mine, L"12");
  wcsncat(mine, L"345", 1);
  numbers[i] = wcstol(mine, nullptr, 10) + static_cast<long>(wcsnlen(mine, 8));
  char bytes[4] = {1, 2, 3, 4};
  iovec out[2] = {{bytes, 2}, {bytes + 2, 2}};
  if (writev(ends[1], out, 2) != 4) abort();
  iovec in[2] = {{bytes, 1}, {bytes + 1, 3}};
  if (readv(ends[0], in, 2) != 4) abort();
}

int main() {
  if (pipe(ends) != 0) return 1;
  taskrace::scope s;
  s.spawn([] {
    text[4] = 1;
    found[3] = 1;
    work(0);
  });
  if (wcslen(text) != 3 || wcscmp(text, L"abc") != 0) return 1;
  if (wmemchr(found, L'c', 6) != found + 2) return 1;
  work(1);
  s.sync();
  return numbers[0] == 126 && numbers[1] == 126 ? 0 : 1;
}
// CHECK: no races
