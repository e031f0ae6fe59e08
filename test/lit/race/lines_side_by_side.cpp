// Accesses of several lines that lie side by side are one check; each byte is reported with its own line.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O3 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 -flto=thin %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <taskrace/tasks.hpp>

struct Item {
  long key, value;
  int weight;
};
Item items[4];
long sum;

__attribute__((noinline)) void Set(Item& item, long key) {
  // CHECK: race: write-read on 'items'
  // CHECK: earlier: write of 8 bytes
  // CHECK: #0 Set(Item&, long) lines_side_by_side.cpp:[[#@LINE+1]]:
  item.key = key;
  // CHECK: later: read of 8 bytes
  // CHECK: #0 Add(Item const*, long) lines_side_by_side.cpp:[[#@LINE+13]]:
  // CHECK: bytes 48 to 55 of it
  // CHECK: race: write-read on 'items'
  // CHECK: #0 Set(Item&, long) lines_side_by_side.cpp:[[#@LINE+1]]:
  item.value = key + 1;
  // CHECK: #0 Add(Item const*, long) lines_side_by_side.cpp:[[#@LINE+9]]:
  // CHECK: bytes 56 to 63 of it
  item.weight = 7;
}

__attribute__((noinline)) long Add(const Item* item, long count) {
  long added = 0;
  for (long i = 0; i < count; ++i) {
    added += item[i].key;
    added ^= item[i].value;
  }
  return added;
}

int main() {
  taskrace::scope tasks;
  tasks.spawn([] { Set(items[2], 5); });
  sum = Add(items, 4);
  tasks.sync();
}
// CHECK: taskrace: 2 races
