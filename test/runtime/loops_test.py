"""Parallel loops: what an iteration leaves behind, and how it ends."""

import unittest

from programs import HEADERS, LOCKS, EndToEnd

DEADLOCK = 67


class Loops(EndToEnd):
    def detect(self, source, *options, flags=()):
        binary = self.compile("int shared_value;\n" + source, *flags, headers=HEADERS + LOCKS)
        return self.run_detected(binary, *options)

    def assert_no_race(self, run):
        self.assertEqual((run.code, run.races), (0, []), run.err)

    def test_an_exception_comes_out_when_all_iterations_have_run(self):
        run = self.detect("""
            int own[5];
            int main() {
              try {
                taskrace::parallel_for(0, 5, [](int i) { own[i] = 1; if (i % 2 == 1) throw i; own[i] = 2; });
              } catch (int i) { printf("%d: %d%d%d%d%d\\n", i, own[0], own[1], own[2], own[3], own[4]); }
            }""")
        self.assert_no_race(run)
        self.assertEqual(run.out, "1: 21212\n")

    def test_an_exception_of_an_iteration_that_is_a_task_comes_out_too(self):
        run = self.detect("""
            int main() {
              try {
                taskrace::parallel_for(0, 3, [](int i) {
                  taskrace::parallel_for(0, 2, [i](int j) { if (i == 1 && j == 1) throw 7; });
                  shared_value = i;
                });
              } catch (int i) { printf("%d\\n", i); }
            }""")
        self.assert_one_race(run)
        self.assertEqual(run.out, "7\n")

    def test_a_lock_that_an_iteration_leaves_held_is_not_held_by_the_next(self):
        for construct in "", "taskrace::scope s; s.spawn([] {}); s.sync();":
            run = self.detect("""
                std::mutex mutex;
                int main() {
                  taskrace::parallel_for(0, 2, [](int i) {
                    %s
                    if (i == 0) mutex.lock();
                    shared_value = i;
                  });
                }""" % construct)
            self.assert_one_race(run)

    def test_a_lock_that_the_creator_holds_does_not_order_iterations(self):
        self.assert_one_race(self.detect("""
            std::mutex mutex;
            int main() {
              std::lock_guard lock(mutex);
              taskrace::parallel_for(0, 2, [](int i) { shared_value = i; });
            }"""))

    def test_a_region_that_an_iteration_leaves_open_ends_with_it(self):
        for construct in "", "taskrace::scope s; s.spawn([] {}); s.sync();":
            for region in "IGNORE", "ORDERED":
                run = self.detect("""
                    int main() {
                      taskrace::parallel_for(0, 3, [](int i) {
                        %s
                        if (i == 0) __taskrace_%s_begin();
                        shared_value = i;
                      });
                    }""" % (construct, region.lower()))
                self.assert_one_race(run)

    def test_a_region_around_a_loop_holds_for_all_iterations(self):
        self.assert_no_race(self.detect("""
            int main() {
              TASKRACE_IGNORE_BEGIN();
              taskrace::parallel_for(0, 3, [](int i) {
                if (i == 0) TASKRACE_IGNORE_END();
                if (i != 0) shared_value = i;
                if (i == 1) { taskrace::scope s; s.spawn([] { shared_value = 1; }); }
              });
              TASKRACE_IGNORE_END();
            }"""))

    def test_the_stack_of_an_iteration_is_not_that_of_the_next(self):
        self.assert_no_race(self.detect("""
            void use(volatile int* p, int i) { for (int j = 0; j < 50; ++j) p[j] = i; }
            int main() {
              taskrace::parallel_for(0, 4, [](int i) {
                volatile int local[50];
                use(local, i);
                if (i % 2 == 0) { taskrace::scope s; s.spawn([&] { use(local, i); }); }
                use(local, i);
              });
            }"""))

    def test_what_an_iteration_is_called_with_races_with_nothing(self):
        for flags in ["-O0"], ["-O1"], ["-O3"]:
            for options in [], ["--engine=promises"]:
                run = self.detect("""
                    #include <deque>
                    #include <vector>
                    int main() {
                      std::vector<int> many(6); std::deque<int> queue(6); int own[6];
                      taskrace::parallel_for(0, 6, [&](int i) { own[i] = i; });
                      taskrace::parallel_for(0, 6, 4, [&](int i) { own[i] = i; });
                      taskrace::parallel_for(many.begin(), many.end(), [](auto at) { *at = 1; });
                      taskrace::parallel_for(queue.begin(), queue.end(), 4, [](auto at) { *at = 1; });
                    }""", *options, flags=flags)
                self.assert_no_race(run)

    def test_a_jump_inside_an_iteration_is_nothing_special(self):
        self.assert_one_race(self.detect("""
            #include <csetjmp>
            void deep(std::jmp_buf& back, int depth) {
              volatile int local[10]; local[depth % 10] = depth;
              if (depth == 0) std::longjmp(back, 1);
              deep(back, depth - 1);
              local[0] = 1;
            }
            int main() {
              taskrace::parallel_for(0, 3, [](int i) {
                std::jmp_buf back;
                if (setjmp(back) == 0) deep(back, 5 + i);
                if (i != 1) shared_value = i;
              });
            }"""))

    def test_loops_in_loops_a_thousand_deep(self):
        run = self.detect("""
            void descend(int depth) {
              char large[2000]; asm volatile("" :: "r"(large) : "memory");
              if (depth == 0) { shared_value = 1; return; }
              taskrace::parallel_for(0, 2, [depth](int i) { if (i == 0) descend(depth - 1); });
            }
            int main() {
              taskrace::parallel_for(0, 2, [](int i) { if (i == 0) descend(5000); else shared_value = 2; });
            }""")
        self.assert_one_race(run)

    def test_iterations_that_wait_for_each_other_for_ever(self):
        run = self.detect("""
            taskrace::promise<void> p, q;
            int main() {
              taskrace::parallel_for(5, 8, [](int i) {
                if (i == 5) { p.get_future().get(); q.set_value(); }
                if (i == 7) { q.get_future().get(); p.set_value(); }
              });
            }""")
        self.assertEqual(run.code, DEADLOCK, run.err)
        waiting = [told["for"] for told in run.report["deadlock"]["waiting"]]
        self.assertEqual(waiting, ["a promise", "a promise", "the iterations of a loop"], run.err)

    def test_a_promise_orders_two_iterations_whichever_comes_first(self):
        for setter, getter in (1, 3), (3, 1):
            self.assert_no_race(self.detect("""
                taskrace::promise<void> p;
                int own[5];
                int main() {
                  taskrace::parallel_for(0, 5, [](int i) {
                    own[i] = 1;
                    if (i == %d) { shared_value = 1; p.set_value(); }
                    if (i == %d) { p.get_future().get(); shared_value = 2; }
                    own[i] = 2;
                  });
                  for (int value : own) if (value != 2) return 1;
                }""" % (setter, getter)))

    def test_more_iterations_than_numbers_stop_with_the_races_so_far(self):
        run = self.detect("""
            int main() {
              taskrace::parallel_for(0, 2, [](int i) { shared_value = i; });
              taskrace::parallel_for(0L, 1L << 40, [](long i) { if (i > 0) taskrace::finish([] {}); });
            }""")
        self.assert_one_race(run)
        self.assertEqual(run.code, 66, run.err)
        self.assertIn("more iterations than can be numbered", run.err)


if __name__ == "__main__":
    unittest.main()
