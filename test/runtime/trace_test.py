"""Option hidden_trace: whatever a program does is in the trace, so that the oracle, which sees nothing
else, finds the racy bytes that the detector reports.

Usage: trace_test.py COMPARE_WITH_TRACE
"""

import json
import subprocess
import sys
import unittest

from programs import HEADERS, LOCKS, RACE, EndToEnd

COMPARE = sys.argv.pop(1)


class Trace(EndToEnd):
    def trace(self, source, *options):
        binary = self.compile(source, headers=HEADERS + LOCKS + "#include <atomic>\n"
                              "#include <shared_mutex>\n#include <vector>\n")
        return self.run_detected(binary, "--hidden_trace=trace", "--dedup=address", "--max_races=0",
                                 "--exitcode=0", *options)

    def compare(self):
        return subprocess.run([COMPARE, "trace", "report.json"], cwd=self.folder, text=True,
                              capture_output=True)

    def assert_agree(self, source, racy_bytes, *options):
        run = self.trace(source, *options)
        self.assertEqual(run.code, 0, run.err)
        compared = self.compare()
        self.assertEqual(compared.returncode, 0, compared.stderr + run.err)
        self.assertIn(f" {racy_bytes} racy bytes", compared.stdout)

    def test_has_locks_held_alone_and_shared(self):
        self.assert_agree("""
            std::mutex mutex, other;
            std::shared_mutex shared;
            int under_one, under_two, read_shared, written_shared;
            int main() {
              taskrace::scope s;
              for (int i = 0; i < 4; ++i) s.spawn([i] {
                { std::lock_guard lock(mutex); ++under_one; }
                { std::lock_guard lock(i % 2 == 0 ? mutex : other); ++under_two; }
                { std::shared_lock lock(shared); (void)*(volatile int*)&read_shared; ++written_shared; }
                if (i == 3) { std::unique_lock lock(shared); ++read_shared; }
              });
            }""", 8)

    def test_has_atomic_accesses(self):
        self.assert_agree("""
            std::atomic<int> counter, mixed;
            int main() {
              taskrace::scope s;
              s.spawn([] { ++counter; ++mixed; });
              ++counter;
              *reinterpret_cast<volatile int*>(&mixed) = 1;
            }""", 4)

    def test_has_memory_that_is_used_again(self):
        self.assert_agree("""
            int* kept;
            void use() { volatile int local[100]; for (int i = 0; i < 100; ++i) local[i] = i; }
            int main() {
              kept = new int[4]();
              taskrace::scope s;
              for (int i = 0; i < 3; ++i) s.spawn([i] {
                use();
                std::vector<int> own(1000, i);
                if (i == 0) kept[2] = 5;
                if (i == 1) delete[] kept;
              });
            }""", 4)

    def test_has_rows_and_ranges(self):
        self.assert_agree("""
            int table[64][64];
            void fill(int from, int to) {
              for (int i = 0; i < 64; ++i) for (int j = from; j < to; ++j) table[i][j] = i + j;
            }
            int main() { taskrace::parallel_invoke([] { fill(0, 33); }, [] { fill(32, 64); }); }
            """, 64 * 4, "--history=intervals")

    def test_has_what_is_done_in_order_whatever_the_tasks(self):
        self.assert_agree("""
            int made() { static int value = getpid(); return value; }
            int main() {
              taskrace::scope s;
              for (int i = 0; i < 3; ++i) s.spawn([] { made(); });
            }""", 0)

    def test_has_futures_promises_and_edges(self):
        self.assert_agree("""
            int before, after, between;
            char tag;
            int main() {
              taskrace::promise<void> p;
              taskrace::scope s;
              s.spawn([f = p.get_future()] { f.get(); before = 2; after = 1; });
              before = 1;
              p.set_value();
              after = 2;
              auto made = taskrace::make_future([] { between = 1; TASKRACE_HAPPENS_BEFORE(&tag); });
              s.spawn([] { TASKRACE_HAPPENS_AFTER(&tag); between = 2; });
              made.get();
              s.sync();
            }""", 4)

    def test_has_iterations_of_loops(self):
        for options in [], ["--engine=promises"]:
            with self.subTest(options=options):
                self.assert_agree("""
                    int before, shared, own[8], neighbours[9], nested[4][4];
                    int main() {
                      before = 1;
                      taskrace::scope s;
                      s.spawn([] { before = 2; });
                      taskrace::parallel_for(0, 8, [](int i) {
                        own[i] = i;
                        neighbours[i] = neighbours[i + 1] + 1;  // all but the first and the last race
                        if (i == 3) (void)*(volatile int*)&before;
                        if (i % 3 == 0) ++shared;
                      });
                      own[3] = 1;
                      taskrace::parallel_for(0, 4, [](int i) {
                        taskrace::parallel_for(0, 4, [i](int j) { nested[i][i == 2 ? 0 : j] = j; });
                      });
                      nested[2][0] = 1;
                    }""", 4 + 4 + 7 * 4 + 4, *options)

    def test_has_iterations_that_are_tasks(self):
        for options in [], ["--engine=promises"], ["--engine=multibags+"]:
            with self.subTest(options=options):
                self.assert_agree("""
                    int first, second, third, own[6];
                    int main() {
                      taskrace::parallel_for(0, 6, [](int i) {
                        own[i] = 1;
                        if (i == 1) first = 1;       // the iteration is no task yet
                        if (i == 2) taskrace::finish([i] { own[i] = 2; taskrace::async([i] { own[i] = 3; }); });
                        if (i == 4) {
                          taskrace::scope s;
                          s.spawn([] { second = 1; });
                          first = 2;
                          s.sync();
                          second = 2;                // after its own child
                        }
                        if (i == 3) third = 1;
                        if (i == 5) { second = 3; auto f = taskrace::make_future([] { third = 2; }); f.get(); }
                        own[i] = 4;
                      });
                      own[2] = first + second + third;
                    }""", 3 * 4, *options)

    def test_has_iterations_that_wait_for_each_other(self):
        for from_, to in (1, 3), (3, 1):
            with self.subTest(setter=from_):
                self.assert_agree("""
                    int given, kept, other, own[5], inner[5][3];
                    taskrace::promise<void> p;
                    int main() {
                      taskrace::parallel_for(0, 5, [](int i) {
                        own[i] = 1;
                        if (i == SETTER) { given = 1; p.set_value(); other = 1; }
                        if (i == GETTER) { kept = 1; p.get_future().get(); given = 2; other = 2; }
                        if (i == 4) kept = 2;
                        taskrace::parallel_for(0, 3, [i](int j) { inner[i][j] = own[i]; });
                        own[i] = inner[i][2];
                      });
                      own[1] = 5;
                      inner[3][1] = 2;
                    }""".replace("SETTER", str(from_)).replace("GETTER", str(to)), 2 * 4)

    def test_is_that_of_the_process_that_began_it(self):
        self.assert_agree(RACE + """int main() {
            race(); if (fork() == 0) { race(); _exit(0); } wait(nullptr); race(); }""", 4)

    def test_says_so_when_a_report_has_a_race_too_few_or_too_many(self):
        self.trace(RACE + "int main() { race(); }")
        path = self.folder / "report.json"
        report = json.loads(path.read_text())
        race = report["races"][0]
        path.write_text(json.dumps({**report, "races": []}))
        self.assertIn("racy, but not reported: " + race["address"], self.compare().stderr)
        self.assertEqual(self.compare().returncode, 1)
        path.write_text(json.dumps({**report, "races": [{**race, "size": race["size"] + 1}]}))
        self.assertIn("reported, but not racy: ", self.compare().stderr)
        self.assertEqual(self.compare().returncode, 1)

    def test_that_cannot_be_written_is_refused(self):
        run = self.run_detected(self.compile("int main() { taskrace::scope s; s.spawn([] {}); }"),
                                "--hidden_trace=/nowhere/trace")
        self.assertEqual(run.code, 2)
        self.assertIn("cannot be written", run.err)


if __name__ == "__main__":
    unittest.main()
