// Library functions on wide strings, and on buffers that an array lists, access what a task writes.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <stdlib.h>
#include <sys/uio.h>
#include <taskrace/tasks.hpp>
#include <unistd.h>
#include <wchar.h>

wchar_t copied[8];
wchar_t source[8] = L"source";
wchar_t appended[8] = L"ab";
wchar_t number[4] = L"123";
wchar_t converted[8];
char sent[8];
char received[8];
char not_filled[8];
int ends[2];
long value;

int main() {
  if (pipe(ends) != 0) return 1;
  taskrace::scope s;
  s.spawn([] {
    copied[6] = 0;
    source[5] = 'f';
    appended[4] = 0;
    number[2] = '4';
    converted[3] = 0;
    sent[7] = 1;
    received[3] = 1;
    not_filled[0] = 1;
  });
  wcscpy(copied, source);
  wcscat(appended, L"cd");
  value = wcstol(number, nullptr, 10);
  mbstowcs(converted, "abc", 8);
  iovec out[2] = {{&value, 4}, {sent, sizeof(sent)}};
  if (writev(ends[1], out, 2) != 12) return 1;
  char head[8];
  iovec in[3] = {{head, sizeof(head)}, {received, sizeof(received)}, {not_filled, sizeof(not_filled)}};
  if (readv(ends[0], in, 3) != 12) return 1;
  s.sync();
}
// CHECK-DAG: on 'copied'
// CHECK-DAG: on 'source'
// CHECK-DAG: on 'appended'
// CHECK-DAG: on 'number'
// CHECK-DAG: on 'converted'
// CHECK-DAG: on 'sent'
// CHECK-DAG: on 'received'
// CHECK-NOT: on 'not_filled'
