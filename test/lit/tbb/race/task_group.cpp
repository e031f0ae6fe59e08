// Tasks of a group are parallel to each other and to their creator until wait; enqueued tasks to everything.
// RUN: %taskrace c++ -O0 %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %not %taskrace run --group=0 %t 2>&1 | %FileCheck %s
#include <tbb/tbb.h>

int siblings, creator, nested, handled, enqueued, in_arena, observed, after_wait;

struct observer : tbb::task_scheduler_observer {
  void on_scheduler_entry(bool is_worker) override { if (is_worker) observed = 1; }
};

int main() {
  tbb::task_group group;
  // CHECK-DAG: on 'siblings'
  group.run([] { siblings = 1; });  // CHECK-DAG: #0{{.*}}task_group.cpp:[[#@LINE]]:
  group.run([] { siblings = 2; });  // CHECK-DAG: #0{{.*}}task_group.cpp:[[#@LINE]]:
  // CHECK-DAG: on 'creator'
  group.run([] { creator = 1; });
  creator = 2;
  // CHECK-DAG: on 'nested'
  group.run([&group] {
    group.run([] { nested = 1; });
    nested = 2;
  });
  // CHECK-DAG: on 'handled'
  tbb::task_handle handle = group.defer([] { handled = 1; });
  handled = 3;
  group.run(std::move(handle));
  handled = 2;
  group.run([] { after_wait = 1; });
  group.wait();
  after_wait = 2;

  tbb::task_arena arena(2);
  // CHECK-DAG: on 'enqueued'
  arena.enqueue([] { enqueued = 1; });
  arena.execute([] {
    // CHECK-DAG: on 'in_arena'
    tbb::parallel_for(0, 2, [](int i) { in_arena = i; });
  });
  group.run_and_wait([] {});
  enqueued = 2;
  // CHECK-DAG: on 'observed'
  observer watching;
  watching.observe(true);
  observed = 2;
  watching.observe(false);
  // CHECK: {{^}}taskrace: 7 races
}
