"""Every call with which the runtime or the reporter asks the system for something fails once, in turn: no
crash, no hang, a sentence, and no exit code that is not true. And both are killed at each of them."""

import errno
import os
import re
import signal
import subprocess
import sys
import unittest

from programs import RACE, TASKRACE, EndToEnd

PRELOADED = sys.argv.pop()
LONG = bool(os.environ.get("TASKRACE_LONG"))
CLEAN = "int value; int main() { taskrace::scope s; s.spawn([] { value = 1; }); s.sync(); return 5; }"
RUNTIME = {"mmap": errno.ENOMEM, "open": errno.EMFILE, "fallocate": errno.ENOSPC, "clone": errno.EAGAIN,
           "execve": errno.ENOENT}
REPORTER = {"open": errno.EMFILE, "write": errno.ENOSPC, "pwrite": errno.ENOSPC, "pipe2": errno.EMFILE,
            "posix_spawn": errno.EAGAIN}
KILLED = 0


class Faults(EndToEnd):
    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()

    def each(self, name, problem, where, command, options=""):
        """Runs the command once for each call of that name, which then fails."""
        mark = self.folder / "mark"
        for number in range(1, 1000):
            mark.unlink(missing_ok=True)
            run = subprocess.run(command, capture_output=True, text=True, timeout=100, cwd=self.folder,
                                 env={**os.environ, "LD_PRELOAD": PRELOADED, "FAULT": f"{name}:{number}",
                                      "FAULT_IN": where, "FAULT_ERRNO": str(problem), "FAULT_MARK": str(mark),
                                      "TMPDIR": str(self.temporary), "TASKRACE_OPTIONS": options})
            if not mark.exists():
                self.assertGreater(number, 1, f"{name} is never called")
                return
            yield f"{name} {number}: {run.stderr}", run
        self.fail(f"{name} is called for ever")

    def commands(self, source):
        binary = self.compile(source)
        yield [binary], "stats=1"
        yield [TASKRACE, "run", binary], "stats=1"
        if LONG:
            yield [TASKRACE, "run", binary], f"json={self.folder}/out.json:exec=parallel:threads=2"

    def assert_true(self, what, run, source):
        """The exit code: 66, or 2 where no race is known to anybody; never the program's own with a race."""
        if source == CLEAN:
            self.assertIn(run.returncode, (5, 2), what)
        elif run.returncode != 66:
            self.assertEqual(run.returncode, 2, what)
            self.assertNotIn("taskrace: race:", run.stderr, what)
        if run.returncode == 2:
            self.assertRegex(run.stderr, "taskrace: .*(error|out of memory|cannot)", what)
        self.assertNotIn("internal error", run.stderr, what)

    def test_no_failure_in_the_runtime_makes_a_wrong_exit_code(self):
        for source in RACE + "int main() { race(); }", CLEAN:
            for command, options in self.commands(source):
                for name, problem in RUNTIME.items():
                    for what, run in self.each(name, problem, "libtaskrace_rt", command, options):
                        self.assert_true(what, run, source)

    def test_no_failure_in_the_reporter_makes_a_wrong_exit_code(self):
        options = f"json={self.folder}/out.json"
        for source in RACE + "int main() { race(); }", CLEAN:
            binary = self.compile(source)
            for name, problem in REPORTER.items():
                if source == CLEAN and name in ("pipe2", "posix_spawn"):
                    continue  # there is nothing to symbolise
                for what, run in self.each(name, problem, "exe:taskrace", [binary], options):
                    self.assert_true(what, run, source)

    def test_a_reporter_that_is_killed_at_any_call_leaves_the_verdict_and_the_log(self):
        binary = self.compile(RACE + "int main() { race(); }")
        for name in "open", "write", "pwrite", "posix_spawn":
            for what, run in self.each(name, KILLED, "exe:taskrace", [binary]):
                self.assertEqual(run.returncode, 66, what)
                log = re.search("the log is in (\\S+)", run.stderr)
                again = subprocess.run([TASKRACE, "render", log.group(1)], capture_output=True, text=True) if log else run
                self.assertIn("1 race (1 occurrence)", again.stderr, what)

    def test_a_program_that_is_killed_in_the_runtime_loses_no_race_that_it_has_found(self):
        binary = self.compile(RACE + 'int main() { race(); write(1, "raced", 5); }')
        for name in "mmap", "open", "fallocate", "clone", "execve":
            for what, run in self.each(name, KILLED, "libtaskrace_rt", [TASKRACE, "run", binary]):
                # The process apart or the program's own: either may be the one that is killed.
                self.assertIn(run.returncode, (128 + signal.SIGKILL, 66), what)
                if run.stdout == "raced":
                    self.assertIn("1 race (1 occurrence)", run.stderr, what)


if __name__ == "__main__":
    unittest.main()
