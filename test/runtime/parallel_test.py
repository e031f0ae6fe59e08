"""Detection while tasks run in parallel: the same findings as in a serial run, on any number of threads."""

import os
import re
import signal
import subprocess
import unittest

from programs import HEADERS, LOCKS, RACE, EndToEnd

MORE_HEADERS = HEADERS + LOCKS + """
#include <tbb/combinable.h>
#include <tbb/enumerable_thread_specific.h>
#include <atomic>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>
"""


class Parallel(EndToEnd):
    def detect_on(self, source, threads, *options, **keywords):
        binary = self.compile(source, "-g", "-ftaskrace-real-tbb", "-ltbb", headers=MORE_HEADERS)
        return [self.run_detected(binary, "--exec=parallel", f"--threads={count}", "--timeout=60",
                                  *options, **keywords) for count in threads]

    def assert_silent(self, source, threads=(1, 2, 4)):
        for run in self.detect_on(source, threads):
            self.assertEqual(run.races, [], run.err)
            self.assertEqual(run.code, 0, run.err)

    # ---- what is found

    def test_a_race_is_found_on_any_number_of_threads(self):
        for run in self.detect_on(RACE + "int main() { race(); }", (1, 2, 4, 16)):
            self.assert_one_race(run)
            self.assertEqual(run.code, 66, run.err)
            self.assertIn("because tasks run in parallel", run.err)

    def test_reports_come_in_the_order_of_their_lines(self):
        source = """int a, b, c, d;
        int main() { for (int i = 0; i < 20; ++i) {
          taskrace::scope s;
          s.spawn([] { d = 1;
                       c = 1; });
          s.spawn([] { b = 1;
                       a = 1; });
          s.spawn([] { a = 2;
                       b = a; });
          s.spawn([] { c = 3;
                       d = 3; });
        } }"""
        reports = {re.sub(r"task \d+|strand \d+|\d+ (times|occurrences?)", "", run.err)
                   for run in self.detect_on(source, (1, 2, 2, 2, 4, 4, 16))}
        self.assertEqual(len(reports), 1, "\n".join(reports))

    LOOPS = """std::vector<int> b(2000), x(2000); long sum = 0; std::atomic<long> total{0}; int few[40];
        void scatter(int i) { x[i * 7 % 1999] = i; }
        int main() {
          taskrace::parallel_for(5, 2000, [](int i) { b[i] = b[i - 1] + 1; });
          taskrace::parallel_for(0, 2000, [](int i) { sum += i; });
          taskrace::parallel_for(0, 2000, scatter);
          taskrace::parallel_for(0, 1000, [](int i) { b[i] = b[i + 1000]; });
          taskrace::parallel_for(0, 20, [](int i) {
            taskrace::parallel_for(0, 20, [i](int j) { few[i + j] = i; });
          });
          taskrace::parallel_for(0, 2000, [](int i) { total += x[i]; });
          taskrace::parallel_for(0, 50, [](int i) {
            if (i % 3 != 0) { b[i - i % 3] = i; return; }
            taskrace::scope s;
            s.spawn([i] { b[i] = 1; });
          });
        }"""

    def test_loops_have_the_races_of_a_serial_run(self):
        binary = self.compile(self.LOOPS, "-g", "-O2", "-ftaskrace-real-tbb", "-ltbb", headers=MORE_HEADERS)
        lines = [{tuple(sorted(access["stack"][0]["line"] for access in race["accesses"]))
                  for race in run.races}
                 for run in [self.run_detected(binary)] +
                 [self.run_detected(binary, "--exec=parallel", f"--threads={n}") for n in (1, 2, 4, 16)]]
        self.assertEqual(lines[1:], lines[:1] * 4)
        self.assertGreaterEqual(len(lines[0]), 5)

    def test_a_report_names_iterations(self):
        source = """int b[100];
        int main() { taskrace::parallel_for(5, 100, [](int i) {
          b[i] = b[i - 1] + 1;
        }); }"""
        for run in self.detect_on(source, (1, 2, 4)):
            self.assertIn("of the loop at", run.err)
            for race in run.races:
                one, other = (access["iteration"] for access in race["accesses"])
                self.assertEqual(abs(one - other), 1, run.err)
                self.assertTrue(5 <= min(one, other) and max(one, other) < 100, run.err)
                self.assertIn(f"iteration {one} of the loop at", run.err)

    def test_an_iteration_that_is_a_task_is_named(self):
        source = """int shared;
        int main() { taskrace::parallel_for(10, 13, [](int i) {
          if (i != 12) return;
          taskrace::scope s;
          s.spawn([] { shared = 1; });
          shared = 2;
        }); }"""
        for run in self.detect_on(source, (1, 4)):
            self.assertEqual(len(run.races), 1, run.err)
            self.assertIn("iteration 12 of the loop at", run.err)
            self.assertIn("by the main task", run.err)

    def test_loops_and_iterations_are_counted(self):
        source = """int b[1000];
        int main() {
          taskrace::parallel_for(0, 1000, [](int i) { b[i] = i; });
          taskrace::parallel_for(0, 3, [](int i) { taskrace::parallel_for(0, 4, [](int) {}); });
        }"""
        for run in self.detect_on(source, (1, 4), "--stats"):
            for name, count in (("loops", 5), ("iterations", 1015), ("iterations_as_tasks", 3)):
                self.assertRegex(run.err, rf"\b{name} +{count}\b")

    def test_an_exception_of_an_iteration_is_kept_and_others_run(self):
        self.assert_silent("""std::atomic<int> ran{0};
        int main() {
          try {
            taskrace::parallel_for(0, 100, [](int i) { if (i == 50) throw 1; ++ran; });
          } catch (int) { return ran == 99 ? 0 : 1; }
          return 2; }""")

    def test_a_loop_whose_checks_have_left_costs_what_it_costs_without_them(self):
        source = """int a[400000], b[400000];
        int main(int, char** argv) { taskrace::parallel_for(0, atoi(argv[1]), [](int i) { b[i] = a[i] + 1; }); }"""
        binary = self.compile(source, "-O2", headers="#include <cstdlib>\n" + MORE_HEADERS)
        counted = []
        for iterations in ("200000", "400000"):
            output = self.folder / "callgrind.out"
            environment = {**os.environ, "TASKRACE_OPTIONS": "exec=parallel:threads=1"}
            subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}", binary,
                            iterations], env=environment, check=True, capture_output=True)
            counted.append(int(re.search(r"^(?:summary|totals): (\d+)", output.read_text(), re.M)[1]))
        self.assertLess((counted[1] - counted[0]) / 200_000, 5)

    def test_a_free_in_parallel_with_a_use_is_a_race(self):
        source = """int main() { for (int i = 0; i < 50; ++i) {
          int* block = new int(1); taskrace::scope s;
          s.spawn([=] { volatile int copy = *block; (void)copy; });
          if (i == 25) delete block;
          s.sync(); if (i != 25) delete block; } }"""
        for run in self.detect_on(source, (1, 2, 4)):
            self.assertEqual(len(run.races), 1, run.err)
            self.assertIn("free", {access["op"] for access in run.races[0]["accesses"]})

    def test_a_variable_that_ends_before_its_task_is_a_race(self):
        source = """[[gnu::noinline]] void start() { int local = 0; int* p = &local;
          taskrace::async([=] { volatile int copy = *p; (void)copy; }); asm volatile("" ::"r"(p)); }
        int main() { taskrace::finish([] { start(); }); }"""
        for run in self.detect_on(source, (1, 2)):
            self.assertEqual(len(run.races), 1, run.err)

    def test_deep_recursion_is_folded_in_stacks(self):
        source = """int shared_value;
        [[gnu::noinline]] void deep(int n) { if (n == 0) { ++shared_value; return; } deep(n - 1); asm(""); }
        int main() { taskrace::scope s; s.spawn([] { deep(500); }); s.spawn([] { deep(300); }); }"""
        for run in self.detect_on(source, (2,)):
            self.assert_one_race(run)

    # ---- what is silent

    def test_memory_that_goes_from_worker_to_worker_is_new_each_time(self):
        self.assert_silent("""int main() { long sum = 0; for (int round = 0; round < 30; ++round) {
          taskrace::parallel_for(0, 40, [](int i) {
            std::vector<int> v; for (int k = 0; k < 100 + i; ++k) v.push_back(k);
            std::map<int, std::string> m; for (int k = 0; k < 20; ++k) m[k] = std::string(30 + k, 'x');
            auto shared = std::make_shared<std::vector<int>>(v);
            taskrace::scope s; for (int k = 0; k < 3; ++k) s.spawn([shared] { if (shared->size() == 1) abort(); });
            void* p = malloc(100); p = realloc(p, 4000); p = realloc(p, 10); free(p); });
        } return sum != 0; }""")

    def test_stacks_that_are_used_again(self):
        self.assert_silent("""[[gnu::noinline]] void fill(int* p, int n) { for (int i = 0; i < n; ++i) p[i] = i; }
        int work(int depth) { int local[64]; fill(local, 64); if (depth == 0) return local[3];
          int a = 0, b = 0; taskrace::scope s;
          s.spawn([&] { a = work(depth - 1); fill(local, 8); }); b = work(depth - 1); s.sync();
          fill(local, 64); return a + b + local[3]; }
        int main() { return work(9) == 0; }""")

    def test_reductions_and_accumulators_of_threads(self):
        self.assert_silent("""int main() {
          long sum = taskrace::parallel_reduce(0, 10000, 0L,
            [](int a, int b, long start) { for (; a < b; ++a) start += a; return start; },
            [](long a, long b) { return a + b; });
          if (sum != 49995000) return 1;
          tbb::enumerable_thread_specific<long> counts(0);
          tbb::combinable<std::vector<int>> lists;
          taskrace::parallel_for(0, 500, [&](int i) { counts.local() += i; lists.local().push_back(i); });
          size_t items = 0; lists.combine_each([&](const std::vector<int>& list) { items += list.size(); });
          long total = 0; for (long count : counts) total += count;
          return counts.combine(std::plus<long>()) == 124750 && total == 124750 && items == 500 ? 0 : 1; }""")

    def test_locks_atomics_and_statics(self):
        self.assert_silent("""std::mutex mutex; long guarded; std::atomic<long> atomic{0}; thread_local int mine;
        std::vector<int>& table() { static std::vector<int> made(100, 7); return made; }
        int main() { taskrace::parallel_for(0, 300, [](int i) {
            { std::lock_guard lock(mutex); guarded += i; } atomic += table()[i % 100]; int* p = &mine; *p += i;
            if (i % 50 == 0) printf("%d\\n", i); });
          return guarded == 44850 && atomic == 2100 ? 0 : 1; }""")

    def test_tasks_that_want_a_lock_of_their_creator_are_not_run_inside_it(self):
        self.assert_silent("""std::mutex mutex; long guarded;
        int main() { taskrace::finish([] { std::lock_guard lock(mutex);
            for (int i = 0; i < 300; ++i) taskrace::async([i] { std::lock_guard lock(mutex); guarded += i; }); });
          return guarded == 44850 ? 0 : 1; }""")

    def test_few_tasks_wait_for_a_thread(self):
        self.assert_silent("""std::atomic<long> begun{0};
        int main() { long most = 0; taskrace::finish([&] { for (long i = 0; i < 1000; ++i) {
            most = std::max(most, i - begun.load()); taskrace::async([] { ++begun; }); } });
          return begun == 1000 && most <= 64 ? 0 : 1; }""", threads=(1,))

    def test_an_exception_of_a_task_reaches_the_waiter(self):
        self.assert_silent("""int main() { int caught = 0; for (int i = 0; i < 20; ++i) {
            try { taskrace::scope s; for (int k = 0; k < 8; ++k) s.spawn([k] { throw std::runtime_error(std::to_string(k)); }); s.sync(); }
            catch (const std::runtime_error& error) { caught += error.what()[0] >= '0'; } }
          return caught == 20 ? 0 : 1; }""")

    # ---- what is refused

    def refused(self, source, words):
        (run,) = self.detect_on("int main() {\n%s\n}" % source, (2,))
        self.assertEqual(run.code, 2, run.err)
        self.assertIn(words, " ".join(run.err.split()))
        self.assertIn("--exec=serial", run.err)
        line = (MORE_HEADERS + "int main() {\n").count("\n") + 1
        self.assertRegex(run.err, r"program\.cpp:%d" % line)

    def test_futures(self):
        self.refused("auto f = taskrace::make_future([] { return 1; }); return f.get();", "a future is made")

    def test_promises(self):
        self.refused("taskrace::promise<int> p; p.set_value(1);", "a promise is used")

    def test_forks(self):
        self.refused("auto f = taskrace::fork([] {}); f.join();", "a task is forked")

    def test_pipelines(self):
        self.refused("taskrace::pipeline([i = 0]() mutable { return i < 3 ? std::optional(i++) : std::nullopt; }, "
                     "taskrace::serial([](int) {}));", "a pipeline is run")

    def test_asyncs_that_outlive_a_scope(self):
        self.refused("taskrace::scope s; s.spawn([] {}); taskrace::async([] {});",
                     "an async outlives the scope")

    def test_edges_between_strands(self):
        self.refused("int tag; TASKRACE_HAPPENS_BEFORE(&tag);", "a happens-before edge is declared")

    def test_options_that_do_not_go_together(self):
        binary = self.compile('int main() { puts("ran"); }')
        for options in ("exec=parallel:engine=multibags", "exec=parallel:history=intervals", "threads=4"):
            by_itself = subprocess.run([binary], capture_output=True, text=True,
                                       env={**os.environ, "TASKRACE_OPTIONS": options})
            given = self.run_detected(binary, *(f"--{option}" for option in options.split(":")))
            for code, out, err in ((by_itself.returncode, by_itself.stdout, by_itself.stderr),
                                   (given.code, given.out, given.err)):
                self.assertEqual((code, out), (2, ""), err)
                self.assertIn("exec=parallel", err)
                self.assertEqual(err.count("\n"), 1, err)

    def test_threads_of_the_program_are_told_apart_from_those_of_the_scheduler(self):
        source = """int value; int main() { taskrace::scope s; for (int i = 0; i < 8; ++i) s.spawn([] {});
          s.sync(); %s }"""
        with_thread, without = source % "std::thread t([] { value = 1; }); t.join();", source % ""
        for run in self.detect_on(with_thread, (1, 2, 4)):
            self.assertIn("thread of its own", " ".join(run.err.split()))
            self.assertNotIn("no schedule", run.err)
        for run in self.detect_on(without, (2, 4)):
            self.assertNotIn("thread of its own", " ".join(run.err.split()))

    def test_tasks_that_the_program_makes_by_oneTBB_are_told_of(self):
        source = """#include <tbb/parallel_for.h>
        int value; int main() { taskrace::scope s; s.spawn([] {}); s.sync();
          tbb::parallel_for(0, 9, [](int i) { value = i; }); }"""
        binary = self.compile(source, "-ftaskrace-real-tbb", "-ltbb", headers=MORE_HEADERS)
        for options in ("--exec=parallel", "--threads=2"), ("--exec=serial",):
            run = self.run_detected(binary, *options)
            self.assertIn("program can create tasks with oneTBB", " ".join(run.err.split()))
            self.assertIn("but coverage is incomplete", " ".join(run.err.split()))
            self.assertNotIn("no schedule", run.err)
        (run,) = self.detect_on("tbb::combinable<int> sums; int main() { sums.local() = 1; }", (2,))
        self.assertNotIn("oneTBB", run.err)

    # ---- how it ends

    def ends(self, how, code, *options):
        source = RACE + """int flag; int main() { race(); taskrace::scope s;
          s.spawn([] { for (int i = 0; i < 1000; ++i) { taskrace::scope t; t.spawn([] {}); } });
          s.spawn([] { %s }); s.sync(); }""" % how
        (run,) = self.detect_on(source, (2,), *options)
        self.assertIn("shared_value", run.err)
        self.assertEqual(run.code, code, run.err)
        return run

    def test_a_crash_in_a_task(self):
        self.ends("*(volatile int*)8 = 1;", 128 + signal.SIGSEGV)

    def test_a_stack_that_overflows_in_a_task(self):
        self.ends("struct deep { static int go(volatile char* p) { volatile char b[512]; b[0] = *p; "
                  "return go(b) + b[0]; } }; volatile char c = 0; deep::go(&c);", 128 + signal.SIGSEGV)

    def test_exits_in_a_task(self):
        self.ends("_exit(3);", 66)
        self.ends("exit(3);", 66)

    def test_tasks_that_had_not_ended_are_told_of(self):
        source = """int main() { taskrace::scope s; s.spawn([] { for (;;) usleep(1000); }); usleep(200000); _exit(0); }"""
        (run,) = self.detect_on(source, (2,))
        self.assertIn("ended before all of its tasks did", " ".join(run.err.split()))
        self.assertNotIn("no schedule of this input", run.err)

    def test_a_thread_that_hangs_still_tells_what_it_has_done(self):
        source = """int flag; std::atomic<bool> reads; int main() { taskrace::scope s;
          s.spawn([] { (void)*(volatile int*)&flag; reads = true; while (*(volatile int*)&flag == 0) {} });
          s.spawn([] { while (!reads) {}
                       { taskrace::scope t; t.spawn([] { flag = 0; }); }
                       dprintf(1, "reached"); }); }"""
        binary = self.compile(source, "-g", headers=MORE_HEADERS)
        run = self.run_until_timeout(binary, "--exec=parallel", "--threads=2")
        self.assertEqual(run.code, 124, run.err)
        self.assertIn("'flag'", run.err)
        self.assertIn("option timeout", run.err)

    def test_all_threads_that_hang_tell_what_they_have_done(self):
        source = """int shared, stop; std::atomic<int> there;
          void hang() { if (++there == 2) dprintf(1, "reached"); while (*(volatile int*)&stop == 0) {} }
          int main() { taskrace::scope s; s.spawn([] { shared = 1; hang(); });
                       s.spawn([] { shared = 2; hang(); }); }"""
        binary = self.compile(source, "-g", headers=MORE_HEADERS)
        run = self.run_until_timeout(binary, "--exec=parallel", "--threads=2")
        self.assertEqual(run.code, 124, run.err)
        self.assertIn("'shared'", run.err)

    def test_a_child_process_is_not_asked_for_the_tasks_of_its_parent(self):
        source = """int main() { taskrace::scope s; s.spawn([] { if (fork() == 0) _exit(0); wait(nullptr); }); }"""
        (run,) = self.detect_on(source, (2,))
        self.assertEqual(run.code, 0, run.err)
        self.assertNotIn("before all of its tasks", run.err)
        self.assertEqual(run.err.count("no races"), 1, run.err)

    def test_accesses_are_counted_exactly(self):
        source = """volatile int cells[4096];
          int main() { taskrace::parallel_for(0, 4, [](int i) {
            for (int k = 0; k < 2000000; ++k) cells[i * 1024 + k % 7]; }); }"""
        binary = self.compile(source, "-O0", headers=MORE_HEADERS)
        counts = {self.run_detected(binary, "--exec=parallel", f"--threads={count}", "--stats").report["stats"]["reads"]
                  for count in (1, 2, 4, 4)}
        self.assertEqual(len(counts), 1, counts)

    def test_children_of_a_fork_amid_tasks_do_not_wait_for_locks_of_their_parent(self):
        source = """std::atomic<bool> stop{false}; int hung;
          void allocate() { void* volatile block = malloc(24); free(block); }
          void child() { alarm(20); for (int i = 0; i < 10; ++i) allocate(); _exit(0); }
          int main() { taskrace::scope s;
            s.spawn([] { while (!stop) allocate(); });
            s.spawn([] { for (int i = 0; i < 500 && hung == 0; ++i) {
                           int status; pid_t pid = fork(); if (pid == 0) child();
                           waitpid(pid, &status, 0); hung += status != 0; }
                         stop = true; });
            s.sync(); return hung; }"""
        (run,) = self.detect_on(source, (2,))
        self.assertEqual(run.code, 0, run.err)
        self.assertEqual(run.err.count("the child is not checked"), 1, run.err)

    def test_a_child_of_a_fork_without_tasks_is_checked(self):
        source = RACE + """int main() { taskrace::scope s; s.spawn([] {}); s.sync();
          pid_t child = fork(); if (child == 0) { race(); exit(0); }
          int status; waitpid(child, &status, 0); return WEXITSTATUS(status); }"""
        (run,) = self.detect_on(source, (2,))
        self.assertEqual(run.code, 66, run.err)
        self.assertIn("'shared_value'", run.err)
        self.assertNotIn("not checked", run.err)

    def test_a_child_process_has_a_report_of_its_own(self):
        source = RACE + """int main() { race(); pid_t child = fork(); if (child == 0) _exit(0);
          int status; waitpid(child, &status, 0); return WEXITSTATUS(status); }"""
        (run,) = self.detect_on(source, (2,))
        self.assert_one_race(run)


if __name__ == "__main__":
    unittest.main(verbosity=1)
