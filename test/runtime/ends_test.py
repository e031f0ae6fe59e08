"""However a program ends, the races found so far are reported."""

import json
import os
import signal
import subprocess
import unittest

from programs import RACE, TASKRACE, EndToEnd


class Ends(EndToEnd):
    def ends(self, how, code):
        run = self.detect(RACE + "int main() { race(); %s }" % how)
        self.assert_one_race(run)
        self.assertEqual(run.code, code, run.err)
        return run

    def test_returning_from_main_gives_exit_code_66(self):
        self.ends("return 3;", 66)

    def test_exit_gives_66_and_flushes_what_was_printed(self):
        self.assertEqual(self.ends('printf("almost lost"); exit(0);', 66).out, "almost lost")

    def test_underscore_exit(self):
        self.ends("_exit(4);", 66)

    def test_quick_exit(self):
        self.ends("quick_exit(0);", 66)

    def test_a_segmentation_fault_stays_one(self):
        self.ends("*(volatile int*)8 = 1;", 128 + signal.SIGSEGV)

    def test_abort(self):
        self.ends("abort();", 128 + signal.SIGABRT)

    def test_an_uncaught_exception(self):
        self.ends('throw std::runtime_error("nobody");', 128 + signal.SIGABRT)

    def test_a_stack_that_overflows(self):
        run = self.ends("struct deep { static int go(volatile char* p) { volatile char b[512]; b[0] = *p; "
                  "return go(b) + b[0]; } }; volatile char c = 0; return deep::go(&c);",
                  128 + signal.SIGSEGV)
        self.assertIn("stack overflow: ", run.err)

    def test_a_fault_elsewhere_is_not_called_an_overflow(self):
        run = self.ends("*(volatile int*)8 = 1;", 128 + signal.SIGSEGV)
        self.assertNotIn("stack overflow", run.err)

    def test_signals_that_are_not_about_the_program(self):
        for number in "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGVTALRM", "SIGPROF", "SIGXFSZ", "SIGIO":
            run = self.ends(f"raise({number});", 128 + getattr(signal, number))
            self.assertIn("the program was ended by SIG", " ".join(run.err.split()))

    def test_a_program_that_has_closed_its_standard_error(self):
        self.ends("close(2);", 66)

    def test_control_c(self):
        self.ends("raise(SIGINT);", 128 + signal.SIGINT)

    def test_termination(self):
        self.ends("kill(getpid(), SIGTERM); pause();", 128 + signal.SIGTERM)

    def test_control_c_in_the_middle_of_a_check(self):
        # The processor traps after each instruction, until one of them is followed by Ctrl-C.
        binary = self.compile(RACE + """#include <ucontext.h>
            static long countdown; int cells[4000];
            __attribute__((disable_sanitizer_instrumentation)) static void step(int, siginfo_t*, void* context) {
              if (--countdown > 0) return;
              static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~0x100ll;
              raise(SIGINT);
            }
            int main(int, char** argv) {
              race(); countdown = atol(argv[1]);
              struct sigaction stepping{}; stepping.sa_sigaction = step; stepping.sa_flags = SA_SIGINFO;
              sigaddset(&stepping.sa_mask, SIGINT); sigaction(SIGTRAP, &stepping, nullptr);
              taskrace::scope s; s.spawn([] { for (int i = 0; i < 4000; i += 1 + i % 3) cells[i] = i; });
              asm volatile("pushf; orl $0x100, (%%rsp); popf" ::: "memory", "cc");
              for (int i = 0; i < 4000; i += 2 + i % 5) cells[i] = i;
              s.sync();
            }""", "-mno-red-zone")
        for history in "shadow", "intervals":
            for steps in range(10, 20_000, 997):
                run = self.run_detected(binary, f"--history={history}", arguments=[str(steps)])
                self.assertEqual(run.code, 128 + signal.SIGINT, f"{steps} steps, {history}: {run.err}")
                self.assertIn("shared_value", run.err)
                self.assertNotIn("internal error", run.err)

    def test_a_signal_between_two_checks_finishes_the_strand(self):
        source = "int last; int main() { taskrace::scope s; s.spawn([] { last = 1; }); last = 2; %s }"
        for how in "raise(SIGINT);", "abort();", "*(volatile int*)8 = 1;":
            self.assertIn("'last'", self.detect(source % how).err, how)
        run = self.run_until_timeout(self.compile(source % 'dprintf(1, "reached"); pause();'))
        self.assertIn("'last'", run.err)

    def test_kill_which_no_program_can_handle(self):
        self.ends("kill(getpid(), SIGKILL);", 128 + signal.SIGKILL)

    def test_kill_of_a_program_without_races_says_that_it_proves_nothing(self):
        for options in (), ("--exec=parallel",), ("--mode=reach",):
            run = self.detect("int main() { taskrace::scope s; s.spawn([] {}); s.sync(); raise(SIGKILL); }",
                              *options)
            text = " ".join(run.err.split())
            self.assertEqual(run.code, 128 + signal.SIGKILL, run.err)
            self.assertIn("the program was killed, so the last events may be missing: this proves nothing", text)
            self.assertEqual((run.races, run.report["exit_code"]), ([], None))

    def test_an_instrumented_library_is_known_to_the_report_of_a_killed_program(self):
        (self.folder / "library.cpp").write_text("int called() { return 1; }")
        library = self.folder / "liblibrary.so"
        subprocess.run([TASKRACE, "c++", "-shared", "-fPIC", self.folder / "library.cpp", "-o", library],
                       check=True)
        binary = self.compile("int called(); int main() { auto f = taskrace::make_future([] {}); f.get(); "
                              "if (called()) raise(SIGKILL); }", library)
        run = self.run_detected(binary)
        self.assertIn("no races (engine multibags, because the program uses futures",
                      " ".join(run.err.split()))
        self.assertNotIn("not compiled with taskrace", run.err)

    def test_exec_of_a_program_without_races_is_not_taken_for_a_kill(self):
        run = self.detect('int main() { execl("/bin/echo", "echo", "next", nullptr); }')
        self.assertEqual((run.code, run.out, run.err), (0, "next\n", ""))
        run = self.detect('int main() { execl("/no/such", "such", nullptr); }')
        self.assertEqual((run.code, run.err.count("no races")), (0, 1), run.err)

    def test_exec_of_another_program(self):
        run = self.detect(RACE + 'int main() { race(); execl("/bin/echo", "echo", "next", nullptr); }')
        self.assert_one_race(run)
        self.assertEqual((run.code, run.out), (66, "next\n"))

    def test_an_exec_that_fails_reports_once(self):
        run = self.detect(RACE + 'int main() { race(); execl("/no/such", "such", nullptr); return 0; }')
        self.assertEqual(run.err.count("taskrace: race:"), 1, run.err)
        self.assertEqual(run.code, 66)

    def test_a_forked_process_has_a_report_of_its_own(self):
        binary = self.compile(RACE + "int main() { pid_t child = fork(); if (child == 0) { race(); "
                              "return 0; } int status; waitpid(child, &status, 0); "
                              "return WEXITSTATUS(status) == 66 ? 0 : 1; }")
        run = self.run_detected(binary)
        self.assertEqual(run.code, 0, run.err)
        self.assertEqual(run.races, [])
        others = [file for file in self.folder.glob("report.json.*")]
        self.assertEqual(len(others), 1)
        self.assertEqual(len(json.loads(others[0].read_text())["races"]), 1)

    def test_a_race_before_fork_is_reported_by_the_parent_only(self):
        run = self.detect(RACE + "int main() { race(); if (fork() == 0) _exit(0); wait(nullptr); }")
        self.assert_one_race(run)
        self.assertEqual(list(self.folder.glob("report.json.*")), [])

    def test_a_forked_process_reports_a_race_that_its_parent_had_too(self):
        for dedup in "site", "address":
            binary = self.compile(RACE + "int main() { race(); pid_t child = fork(); race(); "
                                  "if (child != 0) wait(nullptr); }")
            run = self.run_detected(binary, f"--dedup={dedup}")
            self.assertEqual(len(run.races), 1, run.err)
            self.assertEqual(run.races[0]["count"], 2 if dedup == "site" else 1, run.err)
            [child] = self.folder.glob("report.json.*")
            [race] = json.loads(child.read_text())["races"]
            self.assertEqual((race["location"]["name"], race["count"]), ("shared_value", 1))
            child.unlink()

    def test_without_taskrace_run_the_program_reports_by_itself(self):
        binary = self.compile(RACE + "int main() { race(); }")
        alone = subprocess.run([binary], capture_output=True, text=True)
        self.assertEqual(alone.returncode, 66)
        self.assertIn("shared_value", alone.stderr)

    def test_without_taskrace_run_a_clean_program_is_silent(self):
        binary = self.compile("int main() { taskrace::scope s; s.spawn([] {}); }")
        alone = subprocess.run([binary], capture_output=True, text=True)
        self.assertEqual((alone.returncode, alone.stderr), (0, ""))

    def test_halt_on_error_ends_at_the_first_race(self):
        run = self.detect(RACE + 'int main() { race(); puts("never"); }', "--halt_on_error=1")
        self.assert_one_race(run)
        self.assertEqual((run.code, run.out), (66, ""))

    def test_halt_on_error_passes_over_what_is_suppressed(self):
        (self.folder / "rules").write_text("race_var:shared_value\n")
        run = self.detect(RACE + 'int main() { race(); puts("reached"); }', "--halt_on_error=1",
                          "--suppressions=rules")
        self.assertEqual((run.code, run.out), (0, "reached\n"), run.err)

    def test_exitcode_0_keeps_the_programs_own(self):
        run = self.detect(RACE + "int main() { race(); return 5; }", "--exitcode=0")
        self.assertEqual(run.code, 5)

    def test_a_run_that_hangs_is_ended_by_the_timeout(self):
        binary = self.compile(RACE + """#include <atomic>
            std::atomic<bool> flag;
            int main() { race(); taskrace::scope s;
              s.spawn([] { dprintf(1, "reached"); while (!flag) {} }); flag = true; }""")
        run = self.run_until_timeout(binary)
        self.assert_one_race(run)
        self.assertEqual((run.code, run.report["exit_code"]), (124, 124))
        self.assertIn("timeout", run.err)


class Setting(EndToEnd):
    PROGRAM = RACE + "int main() { race(); }"

    def test_address_randomisation_off(self):
        self.assert_one_race(self.detect(self.PROGRAM, wrapper=["setarch", "-R"]))

    def test_an_address_space_limit_is_met_or_explained(self):
        binary = self.compile(self.PROGRAM)
        for kilobytes in (40_000, 60_000, 80_000, 120_000, 400_000):
            limited = subprocess.run(["bash", "-c", f"ulimit -v {kilobytes}; exec {binary}"],
                                     capture_output=True, text=True)
            self.assertRegex(limited.stderr, "shared_value|out of memory|cannot map|address space",
                             f"under {kilobytes} KB")

    def test_a_detector_that_runs_out_of_memory_says_so_once_with_the_races_so_far(self):
        binary = self.compile(RACE + """#include <memory>
            int main() { race(); const size_t n = 50'000'000; std::unique_ptr<int[]> p(new int[n]); taskrace::scope s;
              for (int t = 0; t < 4; ++t) s.spawn([&, t] { for (size_t i = t; i < n; i += i % 3 * 4 + 4) p[i] = t; }); }""")
        for options in ((), ("--exec=parallel", "--threads=2")):
            run = self.run_detected(binary, *options, wrapper=["bash", "-c", 'ulimit -v 700000; exec "$@"', "bash"])
            self.assert_one_race(run)
            self.assertEqual(run.code, 66, run.err)
            self.assertEqual(run.err.count("out of memory"), 1, run.err)

    def test_a_report_without_a_temporary_directory_says_so(self):
        binary = self.compile(self.PROGRAM)
        run = subprocess.run([binary], capture_output=True, text=True,
                             env={**os.environ, "TMPDIR": "/nonexistent"})
        self.assertIn("TMPDIR", run.stderr)

    def test_more_strands_than_numbers_stops_with_the_races_so_far(self):
        run = self.detect(RACE + "int main() { race(); for (;;) { taskrace::scope s; "
                          "s.spawn([] {}); } }", "--hidden_first_strand=2147480000")
        self.assert_one_race(run)
        self.assertEqual(run.code, 66)
        self.assertIn("2 147 483 647 strands", run.err)


if __name__ == "__main__":
    unittest.main()
