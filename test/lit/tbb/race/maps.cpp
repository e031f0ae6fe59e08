// A value that is changed without an accessor; a reader that writes; an element of a map that two tasks change.
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/tbb.h>

int after_insert, shared, popped;

int main() {
  tbb::concurrent_hash_map<int, int*> table;
  table.insert({1, &shared});
  tbb::parallel_for(0, 2, [&](int i) {
    tbb::concurrent_hash_map<int, int*>::const_accessor reader;
    table.find(reader, 1);
    // CHECK-DAG: on 'shared'
    *reader->second = i;
  });
  tbb::concurrent_unordered_map<int, int> map;
  tbb::task_group group;
  group.run([&] {
    map[1] = 5;  // CHECK-DAG: #0{{.*}}maps.cpp:[[#@LINE]]:
    // CHECK-DAG: on 'after_insert'
    after_insert = 1;
  });
  map[1] = 6;  // CHECK-DAG: #0{{.*}}maps.cpp:[[#@LINE]]:
  after_insert = 2;
  group.wait();
  // CHECK: {{^}}taskrace: 3 races
}
