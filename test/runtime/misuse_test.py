"""What a program does wrong, or what has no meaning on one worker, is said with its line."""

import re
import unittest

from programs import LOCKS, RACE, EndToEnd


class Misuse(EndToEnd):
    def fails(self, body, words, code=66, options=()):
        run = self.detect("#include <threads.h>" + LOCKS + RACE + "int main() {\n race();\n" + body + "\n}",
                          *options)
        self.assert_one_race(run)
        self.assertEqual(run.code, code, run.err)
        self.assertIn(words, " ".join(run.err.split()))
        return run

    def test_a_scope_used_by_another_task(self):
        run = self.fails("taskrace::scope outer;\n outer.spawn([&] {\n outer.spawn([] {});\n });",
                         "used by a task that did not create it")
        self.assertRegex(run.err, r"program\.cpp:27")

    def test_a_scope_used_by_an_iteration_of_a_loop_in_it(self):
        for use in "s.spawn([] {});", "s.sync();":
            for options in (), ("--exec=parallel",):
                with self.subTest(use=use, options=options):
                    self.fails("taskrace::scope s; s.spawn([] {}); taskrace::parallel_for(0, 2, [&](int) { " + use + " });",
                               "used by a task that did not create it", options=options)

    def test_a_scope_used_inside_another_finish(self):
        self.fails("taskrace::scope s; taskrace::finish([&] { s.spawn([] {}); });",
                   "inside another finish")

    def test_a_task_that_locks_twice(self):
        self.fails("static std::mutex m; m.lock(); m.lock();", "a mutex it already holds")

    def test_waiting_on_a_condition_variable(self):
        self.fails("static std::mutex m; static std::condition_variable c; std::unique_lock l(m); "
                   "c.wait(l);", "condition variable")

    def test_waiting_on_a_condition_variable_of_c11(self):
        self.fails("struct { mtx_t m; cnd_t c; } static x; mtx_init(&x.m, mtx_plain); cnd_init(&x.c);\n"
                   "mtx_lock(&x.m); cnd_wait(&x.c, &x.m);", "condition variable", options=["--timeout=20"])

    def test_a_thread_is_not_checked_by_an_engine_that_cannot_follow_it_and_the_report_says_so(self):
        run = self.detect(LOCKS + RACE + "int main() { race(); std::thread t([] { shared_value = 3; }); "
                          "t.join(); }", "--engine=spbags")
        self.assert_one_race(run)
        self.assertEqual(run.code, 66)
        self.assertIn("thread of its own", " ".join(run.err.split()))

    def test_a_thread_is_named_by_the_line_that_starts_it(self):
        starts = ("std::thread t([] {});", "std::jthread t([] {});", "threads.emplace_back([] {});",
                  "auto f = std::async(std::launch::async, [] {});",
                  "pthread_create(&thread, nullptr, nothing, nullptr);",
                  "thrd_create(&c_thread, zero, nullptr);")
        ends = ("t.join();", "", "threads[0].join();", "f.get();", "pthread_join(thread, nullptr);",
                "thrd_join(c_thread, nullptr);")
        source = ("#include <threads.h>\n#include <future>\n#include <vector>\n"
                  "void* nothing(void*) { return nullptr; }\nint zero(void*) { return 0; }\n"
                  "int main(int argc, char**) { std::vector<std::thread> threads; pthread_t thread; thrd_t c_thread;\n" +
                  "".join(f"if (argc == {1 + i}) {{\n{start}\n{end} }}\n"
                          for i, (start, end) in enumerate(zip(starts, ends))) + "}")
        for level in "-O0", "-O2":
            binary = self.compile(LOCKS + source, level)
            for i, start in enumerate(starts):
                run = self.run_detected(binary, "--engine=spbags", arguments=["x"] * i)
                self.assertRegex(run.err, r"here:\n +\d+ \| " + re.escape(start))


class Counters(EndToEnd):
    def test_stats_count_what_the_program_did(self):
        run = self.detect("int a[100]; int sink; int main() { taskrace::scope s; s.spawn([] { for (int i = 0; "
                          "i < 100; ++i) a[i] = i; }); s.sync(); sink = a[7]; }", "--stats")
        self.assertEqual(run.code, 0, run.err)
        stats = run.report["stats"]
        self.assertEqual((stats["tasks"], stats["strands"]), (1, 5))
        self.assertGreaterEqual(stats["range_bytes"] + 4 * stats["writes"], 400)
        self.assertGreaterEqual(stats["reads"], 1)


class NotMisuse(EndToEnd):
    def clean(self, source):
        run = self.detect(LOCKS + source)
        self.assertEqual((run.code, run.races), (0, []), run.err)

    def test_a_child_may_lock_what_its_waiting_creator_holds(self):
        self.clean("std::mutex m; int x; int main() { taskrace::scope s; m.lock(); x = 1; "
                   "s.spawn([] { std::lock_guard l(m); x = 2; }); x = 3; m.unlock(); s.sync(); "
                   "if (!m.try_lock()) return 1; m.unlock(); }")

    def test_a_recursive_mutex_protects_until_its_last_unlock(self):
        self.clean("std::recursive_mutex m; int x; int main() { taskrace::scope s; auto f = [] { "
                   "m.lock(); m.lock(); m.unlock(); x++; m.unlock(); }; s.spawn(f); s.spawn(f); }")

    def test_call_once_is_ordered_even_when_its_first_call_throws(self):
        self.clean("std::once_flag once; int x, tries; void use() { try { std::call_once(once, [] { "
                   "if (tries++ == 0) throw 1; x = 1; }); } catch (int) {} } "
                   "int main() { taskrace::scope s; s.spawn(use); s.spawn(use); s.spawn([] { use(); "
                   "if (x != 1) abort(); }); }")


if __name__ == "__main__":
    unittest.main()
