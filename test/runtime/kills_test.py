"""Program, reporter and `taskrace run` are killed at random moments: no race that was in the log is lost, and no
exit code lies. TASKRACE_LONG=1: a thousand times."""

import os
import pathlib
import random
import re
import signal
import subprocess
import time
import unittest

from programs import RACE, TASKRACE, EndToEnd

KILLS = 1000 // 6 + 1 if os.environ.get("TASKRACE_LONG") else 4  # of each victim, serial and parallel
SEED = int(os.environ.get("TASKRACE_SEED", "1"))
PROGRAM = RACE + """
int cells[100];
int main() {
  dprintf(1, "%d\\n", getpid());
  race();
  dprintf(1, "raced\\n");
  for (int i = 0; i < 20'000; ++i) {
    taskrace::scope s;
    s.spawn([] { cells[1] = 1; });
    cells[2] = 2;
  }
  dprintf(1, "done\\n");
}
"""


class Kills(EndToEnd):
    def setUp(self):
        super().setUp()
        self.binary = self.compile(PROGRAM)
        self.random = random.Random(SEED)
        self.environment = {**os.environ, "TMPDIR": str(self.folder)}

    def start(self, *command):
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=self.environment, cwd=self.folder)

    def moments(self, *command):
        """A random moment of a run, as often as there are kills."""
        begin = time.monotonic()
        self.start(*command).communicate()
        whole = time.monotonic() - begin
        for _ in range(KILLS):
            yield self.random.uniform(0, whole)

    def at(self, moment, run):
        """True if the run lasts until then."""
        try:
            run.wait(timeout=moment)
        except subprocess.TimeoutExpired:
            return True
        return False

    def each_mode(self):
        for mode in "--exec=serial", "--exec=parallel":
            yield mode, [TASKRACE, "run", mode, self.binary]

    def assert_race_reported(self, out, err):
        if "raced" in out:
            self.assertIn("1 race (1 occurrence)", err)

    def test_the_program(self):
        for mode, command in self.each_mode():
            for moment in self.moments(*command):
                run = self.start(*command)
                program = int(run.stdout.readline())
                if self.at(moment, run):
                    try:
                        os.kill(program, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                out, err = run.communicate(timeout=100)
                self.assert_race_reported(out, err)
                self.assertIn(run.returncode, (128 + signal.SIGKILL, 66), f"{mode}: {err}")

    def test_the_reporter(self):
        for command in [self.binary], [TASKRACE, "run", "--exec=parallel", self.binary]:
            for moment in self.moments(TASKRACE, "run", self.binary):
                run = self.start(*command)
                for line in run.stdout:
                    if line == "done\n":
                        break
                if self.at(moment, run):
                    for process in self.reporters():
                        os.kill(process, signal.SIGKILL)
                _, err = run.communicate(timeout=100)
                self.assertEqual(run.returncode, 66, err)
                if log := re.search("the log is in (\\S+)", err):
                    err = subprocess.run([TASKRACE, "render", log.group(1)], capture_output=True, text=True).stderr
                self.assertIn("1 race (1 occurrence)", err)

    def reporters(self):
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"render" in words and any(str(self.folder).encode() in word for word in words):
                yield int(process.name)

    def test_taskrace_run(self):
        for mode, command in self.each_mode():
            for moment in self.moments(*command):
                run = self.start(*command)
                run.stdout.readline()
                if self.at(moment, run):
                    run.kill()
                # The program has the same standard error: it ends when the report is there.
                out, err = run.communicate(timeout=100)
                self.assertIn("done", out, mode)
                self.assertIn(run.returncode, (-signal.SIGKILL, 66), f"{mode}: {err}")
                self.assertIn("1 race (1 occurrence)", err, mode)


if __name__ == "__main__":
    unittest.main()
