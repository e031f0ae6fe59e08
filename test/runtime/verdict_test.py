"""The exit code and the log are true whatever the program or the system does to them."""

import os
import pathlib
import resource
import shutil
import signal
import subprocess
import unittest

from programs import BUILD, RACE, TASKRACE, EndToEnd

REAPER = RACE + """
#include <errno.h>
#include <atomic>
std::atomic<bool> reaps, ended;
int main() {
  pthread_t reaper;
  pthread_create(&reaper, nullptr, [](void*) -> void* {
    for (;;) { int status; reaps = true; if (waitpid(-1, &status, 0) > 0) puts("reaped a child"), fflush(stdout); }
  }, nullptr);
  while (!reaps) {}
  %s
}
"""
CLEAN = "int value; int main() { taskrace::scope s; s.spawn([] { value = 1; }); s.sync(); return 5; }"


class Verdict(EndToEnd):
    def alone(self, binary, *arguments, options="", environment=None, shell=None, **keywords):
        """Runs the program without `taskrace run`, after the commands `shell`, with a TMPDIR of its own."""
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        command = [binary, *arguments]
        if shell:
            command = ["bash", "-c", shell + '; exec "$@"', "bash", *command]
        return subprocess.run(command, capture_output=True, text=True, cwd=self.folder, timeout=120,
                              env={**os.environ, "TMPDIR": str(temporary), "TASKRACE_OPTIONS": options,
                                   **(environment or {})}, **keywords)

    def assert_nothing_left(self):
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])


class Reaping(Verdict):
    def test_a_thread_that_reaps_all_children_neither_sees_the_reporter_nor_changes_the_verdict(self):
        binary = self.compile(REAPER % "race();")
        for _ in range(3):
            run = self.alone(binary)
            self.assertEqual((run.returncode, run.stdout), (66, ""), run.stderr)
            self.assertIn("shared_value", run.stderr)
            run = self.run_detected(binary)
            self.assertEqual((run.code, run.out), (66, ""), run.err)

    def test_a_program_that_ignores_sigchld(self):
        binary = self.compile(RACE + "int main() { signal(SIGCHLD, SIG_IGN); race(); }")
        self.assertEqual(self.alone(binary).returncode, 66)

    def test_the_reporter_raises_no_sigchld_and_leaves_its_handler_alone(self):
        binary = self.compile(RACE + """int main() {
            signal(SIGCHLD, [](int) { puts("SIGCHLD"); }); race(); execl("/no/such", "such", nullptr);
            struct sigaction now; sigaction(SIGCHLD, nullptr, &now);
            puts(now.sa_handler == SIG_DFL ? "lost" : "kept"); }""")
        run = self.alone(binary)
        self.assertEqual((run.returncode, run.stdout), (66, "kept\n"), run.stderr)


class ReporterFails(Verdict):
    def tool_without_reporter(self, reporter):
        """A copy of the tool in which `taskrace` is the script `reporter`; a program for it."""
        tool = self.folder / "tool"
        shutil.copytree(BUILD / "lib" / "taskrace", tool / "lib" / "taskrace")
        (tool / "bin").mkdir()
        if reporter:
            (tool / "bin" / "taskrace").write_text("#!/bin/sh\n" + reporter)
            (tool / "bin" / "taskrace").chmod(0o755)
        return {"LD_LIBRARY_PATH": str(tool / "lib" / "taskrace")}

    def compile_movable(self, source):
        # LD_LIBRARY_PATH goes over DT_RUNPATH only.
        return self.compile(source, "-Wl,--enable-new-dtags")

    def test_a_reporter_that_cannot_be_started_changes_no_verdict(self):
        environment = self.tool_without_reporter(None)
        racy = self.alone(self.compile_movable(RACE + "int main() { race(); }"), environment=environment)
        self.assertEqual(racy.returncode, 66, racy.stderr)
        self.assertIn("the report could not be written", racy.stderr)
        log = racy.stderr.split("the log is in ")[1].split()[0]
        self.assertTrue(pathlib.Path(log).read_text().startswith('{"t":"start"'))
        clean = self.compile_movable(CLEAN)
        for options in "stats=1", f"json={self.folder}/out.json":
            run = self.alone(clean, options=options, environment=environment)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn("the report could not be written", run.stderr)
        self.assertEqual(self.alone(clean, environment=environment).returncode, 5)

    def test_a_reporter_that_is_killed_changes_no_verdict(self):
        environment = self.tool_without_reporter("kill -9 $$")
        racy = self.alone(self.compile_movable(RACE + "int main() { race(); }"), environment=environment)
        self.assertEqual(racy.returncode, 66, racy.stderr)
        self.assertIn("signal 9", racy.stderr)
        self.assertIn("the log is in ", racy.stderr)

    def test_taskrace_run_makes_the_report_that_the_programs_reporter_did_not(self):
        environment = self.tool_without_reporter("kill -9 $$")
        racy = self.run_detected(self.compile_movable(RACE + "int main() { race(); return 4; }"),
                                 environment=environment)
        self.assert_one_race(racy)
        self.assertEqual((racy.code, racy.report["exit_code"]), (66, 66), racy.err)
        clean = self.run_detected(self.compile_movable(CLEAN), environment=environment)
        self.assertEqual(clean.code, 5, clean.err)
        self.assertIn("no races in 1 task", clean.err)
        self.assertNotIn("killed, so the last events", clean.err)


class LogFails(Verdict):
    def limited(self, binary, shell, options=""):
        return self.alone(binary, shell=shell, options=options)

    def test_a_log_that_must_not_grow_is_said_and_gives_66_with_a_race(self):
        binary = self.compile(RACE + "int main() { race(); }")
        for shell in "trap '' XFSZ; ulimit -f 1", "ulimit -f 1":
            run = self.limited(binary, shell)
            self.assertEqual(run.returncode, 66, run.stderr)
            self.assertIn("could not be written: File too large", run.stderr)

    def test_a_log_that_cannot_be_made_gives_2_where_no_race_is_known(self):
        clean = self.compile(CLEAN)
        run = self.limited(clean, "ulimit -f 1", options="stats=1")
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("could not be written: File too large", run.stderr)
        self.assertEqual(self.limited(clean, "ulimit -f 1").returncode, 5)

    def test_under_taskrace_run_the_limit_is_named_and_not_a_kill(self):
        for source, code in (RACE + "int main() { race(); }", 66), (CLEAN, 2):
            run = self.run_detected(self.compile(source), wrapper=["bash", "-c", 'ulimit -f 1; exec "$@"', "bash"])
            self.assertEqual(run.code, code, run.err)
            self.assertIn("File too large", run.err)
            self.assertNotIn("killed", run.err)

    def test_races_up_to_the_limit_are_reported_and_the_rest_is_said_to_be_missing(self):
        # Each race is of another pair of program counters.
        binary = self.compile("int cells[400]; template <int N> void race() { { taskrace::scope s; "
                              "s.spawn([] { cells[N] = 1; }); cells[N] = 2; s.sync(); } "
                              "if constexpr (N > 0) race<N - 1>(); } int main() { race<300>(); }",
                              "-ftemplate-depth=400")
        run = self.limited(binary, "ulimit -f 128", options="max_races=0:dedup=address")
        self.assertEqual(run.returncode, 66, run.stderr)
        self.assertIn("taskrace: race: write-write on 'cells'", run.stderr)
        self.assertIn("the log could not be written: File too large", run.stderr)
        self.assertIn("races found after that are missing", " ".join(run.stderr.split()))
        self.assertNotIn("killed", run.stderr)
        self.assert_nothing_left()

    def test_a_temporary_directory_that_does_not_exist(self):
        run = self.alone(self.compile(RACE + "int main() { race(); }"),
                         environment={"TMPDIR": "/nonexistent"})
        self.assertEqual(run.returncode, 66, run.stderr)
        self.assertIn("/nonexistent", run.stderr)
        self.assertIn("set TMPDIR", run.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "mounting needs root")
    def test_a_file_system_that_is_full(self):
        full = self.folder / "full"
        full.mkdir()
        mount = ["unshare", "-m", "mount", "-t", "tmpfs", "none", full]
        if subprocess.run(mount, stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("a container in which root may not mount")
        inside = (f"mount -t tmpfs -o size=64k none {full} && dd if=/dev/zero of={full}/rest bs=4k "
                  f"2>/dev/null; export TMPDIR={full}")
        for source, options, code in ((RACE + "int main() { race(); }", "", 66), (CLEAN, "stats=1", 2)):
            binary = self.compile(source)
            run = subprocess.run(["unshare", "-m", "bash", "-c", inside + '; exec "$@"', "bash", binary],
                                 capture_output=True, text=True,
                                 env={**os.environ, "TASKRACE_OPTIONS": options})
            self.assertEqual(run.returncode, code, run.stderr)
            self.assertIn("No space left on device", run.stderr)


class Descriptors(Verdict):
    SOURCE = RACE + """
        #include <fcntl.h>
        template <int N> static void again() { taskrace::scope s; s.spawn([] { shared_value = N; });
          shared_value = -N; s.sync(); }
        int main() {
          race();
          %s
          int files[600];
          for (int& file : files) file = open("mine", O_WRONLY | O_CREAT | O_APPEND, 0600);
          again<1>(); again<2>(); again<3>();
          for (int file : files) if (file >= 0) close(file);
        }"""

    def test_a_program_that_closes_all_descriptors_loses_no_race_and_gets_no_line_of_ours(self):
        for closing in ("close_range(3, ~0u, 0);", "for (int i = 3; i < 4096; ++i) close(i);",
                        "for (int i = 3; i < 1024; ++i) dup2(1, i); for (int i = 3; i < 1024; ++i) close(i);"):
            binary = self.compile(self.SOURCE % closing)
            for run in self.alone(binary), self.alone(binary, options="exec=parallel"):
                self.assertEqual(run.returncode, 66, run.stderr)
                self.assertIn("2 races (4 occurrences)", run.stderr)
                self.assertEqual((self.folder / "mine").read_text(), "")
            run = self.run_detected(binary)
            self.assertEqual((run.code, len(run.races)), (66, 2), run.err)
            self.assertEqual((self.folder / "mine").read_text(), "")

    def test_a_program_that_has_used_up_its_descriptors(self):
        binary = self.compile(RACE + "int main() { while (dup(1) >= 0) {} race(); }")
        run = self.alone(binary, shell="ulimit -n 64")
        self.assertEqual(run.returncode, 66, run.stderr)
        self.assertIn("shared_value", run.stderr)

    def test_no_descriptor_of_the_program_is_taken(self):
        run = self.alone(self.compile(RACE + 'int main() { race(); printf("%d\\n", dup(1)); '
                                      'for (int i = 4; i < 4096; ++i) if (close(i) == 0) puts("taken"); }'))
        self.assertEqual((run.returncode, run.stdout), (66, "3\n"), run.stderr)

    def test_a_log_that_is_deleted_leaves_the_verdict(self):
        run = self.alone(self.compile(RACE + 'int main() { race(); system("rm -rf $TMPDIR/*"); }'))
        self.assertEqual(run.returncode, 66, run.stderr)
        self.assertIn("the report could not be written", run.stderr)


class Codes(Verdict):
    def test_another_thread_that_exits_meanwhile_does_not_choose_the_code(self):
        binary = self.compile(RACE + """int main() {
            race(); pthread_t other;
            pthread_create(&other, nullptr, [](void*) -> void* { _exit(0); }, nullptr);
            _exit(0); }""")
        for _ in range(10):
            self.assertEqual(self.alone(binary).returncode, 66)

    def test_an_error_that_ends_detection_gives_66_if_a_race_is_known_before(self):
        run = self.detect(RACE + "int main() { race(); taskrace::scope s; s.spawn([] {}); auto* t = "
                          "new taskrace::scope; t->spawn([] {}); s.sync(); delete t; }", "--engine=spbags")
        self.assertEqual(run.code, 66, run.err)

    def test_a_program_that_ends_without_our_knowledge_has_no_clean_exit_code(self):
        ending = "#include <sys/syscall.h>\nint main() { %s; syscall(SYS_exit_group, 0); }"
        run = self.detect(ending % "taskrace::scope s; s.spawn([] {}); s.sync()")
        self.assertEqual(run.code, 2, run.err)
        run = self.detect(RACE + ending % "race()")
        self.assertEqual(run.code, 66, run.err)

    def test_a_process_that_is_forked_by_the_system_call_has_a_log_of_its_own(self):
        binary = self.compile(RACE + """
            #include <sys/syscall.h>
            static void in_child() { taskrace::scope s; s.spawn([] { shared_value = 3; });
              shared_value = 4; s.sync(); }
            static void in_parent() { taskrace::scope s; s.spawn([] { shared_value = 5; });
              shared_value = 6; s.sync(); }
            int main() {
              race();
              if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0) { in_child(); _exit(0); }
              int status; wait(&status); in_parent();
              return WEXITSTATUS(status) == 66 ? 0 : 1;
            }""")
        run = self.run_detected(binary)
        self.assertEqual((run.code, len(run.races)), (66, 2), run.err)
        self.assertNotIn("damaged", run.err)
        [child] = self.folder.glob("report.json.*")
        self.assertEqual(child.read_text().count('"kind"'), 1)

    def test_a_handler_that_hangs_ends_by_its_signal_and_says_so(self):
        binary = self.compile(RACE + """
            #include <link.h>
            #include <atomic>
            std::atomic<bool> holds;
            int main() {
              race(); pthread_t other;
              pthread_create(&other, nullptr, [](void*) -> void* {  // keeps a lock of the dynamic loader
                dl_iterate_phdr([](dl_phdr_info*, size_t, void*) { holds = true; for (;;) pause(); return 0; }, nullptr);
                return nullptr;
              }, nullptr);
              while (!holds) {}
              *(volatile int*)8 = 1;
            }""")
        run = self.alone(binary, options="hidden_watchdog=1")
        self.assertEqual(run.returncode, -signal.SIGSEGV, run.stderr)
        self.assertIn("signal 11 arrived while the program was in the dynamic loader; the log is in",
                      " ".join(run.stderr.split()))
        run = self.run_detected(binary, "--hidden_watchdog=1")
        self.assert_one_race(run)
        self.assertEqual(run.code, 128 + signal.SIGSEGV)


class Symbolizer(Verdict):
    def symbolizer(self, text):
        script = self.folder / "symbolizer"
        script.write_text("#!/bin/sh\n" + text)
        script.chmod(0o755)
        return {"TASKRACE_SYMBOLIZER": str(script)}

    def test_a_symbolizer_that_hangs_is_ended_and_the_report_is_printed_without_symbols(self):
        environment = {**self.symbolizer("exec sleep 1000\n"), "TASKRACE_SYMBOLIZER_TIMEOUT": "1"}
        run = self.alone(self.compile(RACE + "int main() { race(); }"), environment=environment)
        self.assertEqual(run.returncode, 66, run.stderr)
        self.assertIn("1 race (1 occurrence)", run.stderr)
        self.assertIn("symbolizer did not answer within 1 s", " ".join(run.stderr.split()))
        self.assert_nothing_left()

    def test_control_c_ends_a_symbolizer_that_hangs_and_the_report_is_printed(self):
        started = self.folder / "started"
        os.mkfifo(started)
        environment = {**os.environ, **self.symbolizer(f"echo > {started}\nexec sleep 1000\n"),
                       "TMPDIR": str(self.folder)}
        binary = self.compile(RACE + "int main() { race(); }")
        for command in [binary], [TASKRACE, "run", binary]:
            run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment,
                                   start_new_session=True)
            started.read_text()
            os.killpg(run.pid, signal.SIGINT)
            _, text = run.communicate(timeout=100)
            self.assertIn("1 race (1 occurrence)", text)
            self.assertIn(run.returncode, (-signal.SIGINT, 128 + signal.SIGINT), text)


@unittest.skipUnless(os.geteuid() == 0, "making a set-uid program needs root")
class SetUid(Verdict):
    NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}

    def skip_unless_set_uid_works(self):
        """A file system that is mounted nosuid has no set-uid programs."""
        identity = pathlib.Path(shutil.copy(shutil.which("id"), self.folder))
        identity.chmod(0o4755)
        if subprocess.check_output([identity, "-u"], text=True, **self.NOBODY) != "0\n":
            self.skipTest("set-uid programs do not work in the temporary folder")

    def test_nothing_that_the_caller_says_is_done_with_the_rights_of_the_files_owner(self):
        self.folder.chmod(0o755)
        self.skip_unless_set_uid_works()
        # The tool is in a folder that every user can enter, wherever the build tree is.
        tool = self.folder / "tool"
        shutil.copytree(BUILD / "lib" / "taskrace", tool / "lib" / "taskrace")
        shutil.copytree(BUILD / "include", tool / "include")
        (tool / "bin").mkdir()
        shutil.copy(TASKRACE, tool / "bin")
        binary = self.compile(RACE + "int main() { race(); }", tool=tool / "bin" / "taskrace")
        binary.chmod(0o4755)
        (self.folder / "program.cpp").chmod(0o600)
        callers = self.folder / "callers"
        callers.mkdir()
        callers.chmod(0o777)
        symbolizer = callers / "symbolizer"
        symbolizer.write_text(f"#!/bin/sh\nid -u > {callers}/ran\n")
        symbolizer.chmod(0o755)
        with subprocess.Popen([binary], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=callers,
                              **self.NOBODY,
                              env={**os.environ, "TASKRACE_SYMBOLIZER": str(symbolizer), "TMPDIR": str(callers),
                                   "TASKRACE_OPTIONS": f"json={callers}/out.json:exitcode=0"}) as run:
            _, err = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 66, err)
        self.assertIn("'shared_value'", err)
        self.assertNotIn("shared_value = 2", err, "a line of a file that the caller cannot read")
        self.assertEqual([file.name for file in callers.iterdir()], ["symbolizer"])
        # Other tests have files of that kind in the same folder: only this process's are looked at.
        self.assertEqual(list(pathlib.Path("/tmp").glob(f"taskrace.{run.pid}.*")), [])


class Limits(Verdict):
    def test_a_small_stack(self):
        binary = self.compile(RACE + "int main() { race(); }")
        run = self.alone(binary, shell="ulimit -s 64")
        self.assertEqual(run.returncode, 66, run.stderr)
        self.assertIn("1 race (1 occurrence)", run.stderr)
        run = self.run_detected(binary, wrapper=["bash", "-c", 'ulimit -s 64; exec "$@"', "bash"])
        self.assertEqual(run.code, 66, run.err)
        self.assertIn("1 race (1 occurrence)", run.err)

    def test_too_few_descriptors_are_an_error_that_names_what_could_not_be_opened(self):
        binary = self.compile(RACE + "int main() { race(); }")
        for most in range(3, 12):
            run = self.run_detected(binary, wrapper=["bash", "-c", f'ulimit -n {most}; exec "$@"', "bash"])
            if "loading shared libraries" in run.err:
                continue
            self.assertIn(run.code, (2, 66), f"{most}: {run.err}")
            for before in " ".join(run.err.split()).split(": Too many open files")[:-1]:
                self.assertRegex(before, r"(/\S+|cannot [\w ]+)$", f"{most}: {run.err}")
            self.assertNotRegex(run.err, "error: Too many open files")


if __name__ == "__main__":
    unittest.main()
