// What the system writes for a task, its creator writes too.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <sys/resource.h>
#include <sys/utsname.h>
#include <taskrace/tasks.hpp>

rusage usage;
rlimit limit;
utsname names;

int main() {
  taskrace::scope s;
  s.spawn([] {
    getrusage(RUSAGE_SELF, &usage);
    getrlimit(RLIMIT_CORE, &limit);
    uname(&names);
  });
  usage.ru_nivcsw = 0;
  limit.rlim_max = 0;
  names.release[0] = 0;
  s.sync();
}
// CHECK-DAG: race: write-write on 'usage'
// CHECK-DAG: race: write-write on 'limit'
// CHECK-DAG: race: write-write on 'names'
