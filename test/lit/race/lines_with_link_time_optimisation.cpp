// Reports do not depend on link-time optimisation: the same lines, the same frames, once each.
// RUN: cd %S
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t > %t.expected 2>&1
// RUN: %FileCheck %s < %t.expected
// RUN: %taskrace c++ -O2 -flto %s -o %t && %not %taskrace run %t > %t.found 2>&1
// RUN: diff %t.expected %t.found
// RUN: %taskrace c++ -O2 -flto=thin %s -o %t && %not %taskrace run %t > %t.found 2>&1
// RUN: diff %t.expected %t.found
// RUN: %taskrace c++ -O3 %s -o %t && %not %taskrace run %t > %t.expected 2>&1
// RUN: %taskrace c++ -O3 -flto %s -o %t && %not %taskrace run %t > %t.found 2>&1
// RUN: diff %t.expected %t.found
// RUN: %taskrace c++ -O3 -flto=thin %s -o %t && %not %taskrace run %t > %t.found 2>&1
// RUN: diff %t.expected %t.found
#include <map>
#include <string>
#include <taskrace/tasks.hpp>
#include <vector>

struct Notes {
  std::vector<std::string> lines;
  std::map<int, int> counts;
};

static __attribute__((noinline)) void Note(Notes& notes, int i) {
  notes.lines.push_back(std::to_string(i));
}

static void Count(Notes& notes, int i) { ++notes.counts[i % 2]; }

static void Both(Notes& notes, int i) {
  Note(notes, i);
  Count(notes, i);
}

int main() {
  Notes notes;
  // CHECK: race: write-read on 'notes'
  // CHECK: #{{[0-9]}} Note(Notes&, int) {{.*}}.cpp:[[#@LINE-13]]:
  // CHECK-NEXT: #{{[0-9]}} Both(Notes&, int) {{.*}}.cpp:[[#@LINE-8]]:
  // CHECK-NEXT: #{{[0-9]}} main::$_0::operator()(int) const {{.*}}.cpp:[[#@LINE+3]]:
  // CHECK-NEXT: iteration 0 of the loop at
  // CHECK: taskrace: 2 races
  taskrace::parallel_for(0, 8, [&](int i) { Both(notes, i); });
}
