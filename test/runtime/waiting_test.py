"""Tasks that wait on their own stack: how a run ends when nobody can go on, or while some wait."""

import json
import signal
import subprocess
import unittest

from programs import RACE, EndToEnd

DEADLOCK = 67
# While the task runs that `%s` is, another one waits for a promise.
BESIDE_A_WAITING_TASK = RACE + """
#include <sys/resource.h>
static void overflow(volatile char* p) { volatile char b[512]; b[0] = *p; overflow(b); b[1] = b[0]; }
int main() {
  race();
  auto& never_set = *new taskrace::promise<void>;
  taskrace::async([f = never_set.get_future()] { f.get(); });
  taskrace::async([&never_set] { (void)overflow; %s });
  never_set.set_value();
  puts("the end");
}
"""


class Deadlock(EndToEnd):
    def deadlock(self, source, *waiting):
        """waiting: of each task that waits, its number, what for, and the line where."""
        run = self.detect(source)
        self.assertEqual(run.code, DEADLOCK, run.err)
        told_of = run.report["deadlock"]["waiting"]
        self.assertEqual(len(told_of), len(waiting), run.err)
        for told, (task, what, line) in zip(told_of, waiting):
            self.assertEqual((told["task"], told["for"]), (task, what), run.err)
            self.assertIn(f"program.cpp:{line}:", run.err)
        return run

    def test_two_tasks_that_wait_for_each_other(self):
        run = self.deadlock("""
            taskrace::promise<int> p, q;
            int main() {
              taskrace::finish([] {
                taskrace::async([] { q.set_value(p.get_future().get()); });
                taskrace::async([] { p.set_value(q.get_future().get()); });
              });
            }""", (1, "a promise", 15), (2, "a promise", 16), (0, "the tasks of a finish", 14))
        text = " ".join(run.err.split())
        self.assertIn("task 1 created at program.cpp:15:", text)
        self.assertIn("task 2 created at program.cpp:16:", text)
        self.assertIn("what it waits for was created at program.cpp:12:", text)
        self.assertIn("what it waits for was created at program.cpp:14:", text)

    def test_races_found_before_it_are_kept(self):
        run = self.deadlock(RACE + "taskrace::promise<void> p;\nint main() { race();\n"
                            "p.get_future().get(); }", (0, "a promise", 21))
        self.assert_one_race(run)

    def test_a_sync_of_a_task_that_waits(self):
        self.deadlock("taskrace::promise<void> p; int main() { taskrace::scope s;\n"
                      "s.spawn([] { p.get_future().get(); });\n s.sync(); }",
                      (1, "a promise", 12), (0, "the tasks of a scope", 13))

    def test_main_returns_while_a_task_waits(self):
        self.deadlock("taskrace::promise<void> p; int main() {\n"
                      "taskrace::async([] { p.get_future().get(); });\n }",
                      (1, "a promise", 12), (0, "the end of all tasks", 13))

    def test_main_calls_exit_while_a_task_waits(self):
        self.deadlock("taskrace::promise<void> p; int main() {\n"
                      "taskrace::async([] { p.get_future().get(); });\n exit(0); }",
                      (1, "a promise", 12), (0, "the end of all tasks", 13))

    def test_a_future_that_gets_itself(self):
        self.deadlock("int main() { taskrace::promise<taskrace::shared_future<void>> p;\n"
                      "auto f = taskrace::make_future([&p] { p.get_future().get().get(); }).share();\n"
                      "p.set_value(f); f.get(); }", (1, "a future", 12), (0, "a future", 13))

    def test_a_future_that_gets_itself_where_nobody_is_switched(self):
        self.deadlock("__taskrace_future f; int main() {\n"
                      "__taskrace_make_future(&f, [](void*) { __taskrace_get(&f); },\n"
                      "                       __taskrace_task_storage(8, 8)); }", (1, "a future", 12))

    def test_ten_thousand_tasks_that_wait_are_counted_and_some_shown(self):
        run = self.detect("taskrace::promise<void> p; int main() { for (int i = 0; i < 10000; ++i) "
                          "taskrace::async([] { p.get_future().get(); }); }")
        self.assertEqual(run.code, DEADLOCK, run.err)
        self.assertIn("10001", run.err)
        self.assertLess(len(run.err), 20_000)


class Ends(EndToEnd):
    def ends(self, how, code):
        run = self.detect(BESIDE_A_WAITING_TASK % how)
        self.assert_one_race(run)
        self.assertEqual(run.code, code, run.err)
        return run

    def test_nothing_special(self):
        self.assertEqual(self.ends("", 66).out, "the end\n")

    def test_exit(self):
        self.assertEqual(self.ends('printf("almost lost"); exit(3);', 66).out, "almost lost")

    def test_exit_while_a_task_waits_for_a_global(self):
        run = self.detect("""
            taskrace::promise<void> p;
            int main() {
              taskrace::async([f = p.get_future()] { f.get(); puts("resumed"); });
              taskrace::async([] { puts("exits"); exit(3); });
            }""")
        self.assertEqual((run.code, run.out), (3, "exits\n"), run.err)

    def test_exit_in_a_task_leaves_the_promises_of_destructors_alone(self):
        run = self.detect("""
            struct Last {
              ~Last() {
                taskrace::promise<void> p;
                taskrace::scope s;
                s.spawn([f = p.get_future()] { f.get(); puts("resumed"); });
                p.set_value();
              }
            } last;
            int main() { taskrace::async([] { exit(3); }); }""")
        self.assertEqual((run.code, run.out), (3, "resumed\n"), run.err)

    def test_underscore_exit(self):
        self.ends("_exit(3);", 66)

    def test_quick_exit(self):
        self.ends("quick_exit(3);", 66)

    def test_abort(self):
        self.ends("abort();", 128 + signal.SIGABRT)

    def test_a_segmentation_fault(self):
        self.ends("*(volatile int*)8 = 1;", 128 + signal.SIGSEGV)

    def test_an_uncaught_exception(self):
        self.ends("throw 1;", 128 + signal.SIGABRT)

    def test_termination(self):
        self.ends("raise(SIGTERM);", 128 + signal.SIGTERM)

    def test_a_tasks_own_stack_that_overflows(self):
        self.ends("volatile char c = 0; overflow(&c);", 128 + signal.SIGSEGV)

    def test_exec_of_another_program(self):
        self.assertIn("next", self.ends('execl("/bin/echo", "echo", "next", nullptr);', 66).out)

    def test_a_process_forked_inside_a_task_goes_on_there_and_reports_for_itself(self):
        run = self.ends("if (fork() == 0) { taskrace::scope s; s.spawn([] { shared_value = 3; }); "
                        "shared_value = 4; s.sync(); return; } int status; wait(&status); "
                        "if (WEXITSTATUS(status) != 66) abort();", 66)
        self.assertEqual(run.out, "the end\nthe end\n")
        others = list(self.folder.glob("report.json.*"))
        self.assertEqual([len(json.loads(other.read_text())["races"]) for other in others], [1])

    def test_a_process_forked_inside_a_task_can_resume_others(self):
        run = self.ends("if (fork() == 0) { never_set.set_value(); _exit(0); } int status; wait(&status); "
                        "if (status != 0) abort();", 66)
        self.assertEqual(run.out, "the end\n")

    def test_halt_on_error_in_a_task_that_was_resumed(self):
        run = self.detect("int shared_value; taskrace::promise<void> p; int main() { "
                          "taskrace::async([] { shared_value = 1; p.get_future().get(); shared_value = 1; });"
                          " p.set_value(); shared_value = 2; puts(\"never\"); }", "--halt_on_error=1")
        self.assert_one_race(run)
        self.assertEqual((run.code, run.out), (66, ""))

    def test_stacks_that_do_not_fit_are_explained(self):
        binary = self.compile("taskrace::promise<void> p; int main() { for (int i = 0; i < 1000; ++i) "
                              "taskrace::async([] { p.get_future().get(); }); p.set_value(); }")
        limited = subprocess.run(["bash", "-c", f"ulimit -v 4000000; exec {binary}"],
                                 capture_output=True, text=True)
        self.assertEqual(limited.returncode, 2, limited.stderr)
        self.assertIn("the stack of a task", limited.stderr)


class Modes(EndToEnd):
    WAITS = ("int x; taskrace::promise<int> p; int main() { taskrace::async([] { x = p.get_future().get(); "
             "}); p.set_value(4); return x; }")
    SET_FIRST = ("taskrace::promise<int> p; int main() { p.set_value(5); return p.get_future().get(); }")

    def test_reach_switches_tasks_and_checks_nothing(self):
        run = self.detect(self.WAITS, "--mode=reach")
        self.assertEqual(run.code, 4, run.err)
        self.assertIn("nothing was checked", run.err)

    def test_without_an_engine_a_task_that_would_wait_ends_the_run_and_says_why(self):
        binary = self.compile(self.WAITS)
        for mode in ("instrument", "off"):
            run = self.run_detected(binary, f"--mode={mode}")
            self.assertEqual(run.code, DEADLOCK, run.err)
            self.assertIn("waits for something that has not happened yet", " ".join(run.err.split()))

    def test_without_an_engine_a_promise_that_is_set_first_works(self):
        binary = self.compile(self.SET_FIRST)
        for mode in ("instrument", "off", "reach"):
            self.assertEqual(self.run_detected(binary, f"--mode={mode}").code, 5)


if __name__ == "__main__":
    unittest.main()
