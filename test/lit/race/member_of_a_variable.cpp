// The report names the member and the index, of variables and of locks.
// RUN: cd %S
// RUN: %taskrace c++ -O1 -g %s -o %t && %not %taskrace run %t 2>&1 | %FileCheck %s
#include <mutex>
#include <taskrace/tasks.hpp>

struct Row {
  int id;
  struct {
    double x, y;
  } point[2];
  char name[8];
};
namespace ns {
Row rows[10];
}
struct {
  int count;
  std::mutex guard;
  int shared;
} table;
std::mutex other;

int main() {
  Row local[3];
  Row* escaped = local;
  {
    taskrace::scope s;
    s.spawn([=] { escaped[1].point[1].y = 1; });
    escaped[1].point[1].y = 2;
    s.sync();
  }
  {
    taskrace::scope s;
    s.spawn([] { ns::rows[3].name[2] = 1; });
    ns::rows[3].name[2] = 2;
    s.sync();
  }
  {
    taskrace::scope s;
    s.spawn([] {
      std::lock_guard lock(table.guard);
      table.shared = 1;
    });
    {
      std::lock_guard lock(other);
      table.shared = 2;
    }
    s.sync();
  }
}
// CHECK: write-write on 'local'
// CHECK: bytes 80 to 87 of it, that is local[1].point[1].y
// CHECK: write-write on 'ns::rows'
// CHECK: byte 186 of it, that is ns::rows[3].name[2]
// CHECK: write-write on 'table'
// CHECK: holding lock 'table.guard', declared at member_of_a_variable.cpp:
// CHECK: holding lock 'other', declared at
// CHECK: of it, that is table.shared
