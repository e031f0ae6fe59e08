"""Helpers of the end-to-end tests: compile a program with `taskrace c++`, run it, read its report."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["TASKRACE_BUILD"])
TASKRACE = BUILD / "bin" / "taskrace"

# A race between a child and its creator, for programs that then end in some way.
RACE = """
int shared_value;
static void race() {
  taskrace::scope s;
  s.spawn([] { shared_value = 1; });
  shared_value = 2;
  s.sync();
}
"""
HEADERS = """
#include <taskrace/annotate.h>
#include <taskrace/tasks.hpp>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <stdexcept>
"""
LOCKS = """
#include <condition_variable>
#include <mutex>
#include <thread>
"""
# HEADERS and LOCKS, compiled once for all programs: more than half of the time that a small one takes to compile.
PRECOMPILED = BUILD / "test" / "runtime" / "headers.pch"


def precompile():
    text = PRECOMPILED.with_suffix(".hpp")
    text.write_text(HEADERS + LOCKS)
    subprocess.run([TASKRACE, "c++", "-std=c++20", "-O1", "-MD", "-MF", f"{PRECOMPILED}.d", "-x", "c++-header", text,
                    "-o", PRECOMPILED], check=True)


def leaves_headers_as_they_are(flag):
    return flag in ("-g", "-O2") or str(flag).startswith("-l")


class Run:
    """What a run left behind."""

    def __init__(self, process, report):
        self.code, self.out, self.err, self.report = (process.returncode, process.stdout,
                                                      process.stderr, report)

    @property
    def races(self):
        return self.report["races"] if self.report else []


class EndToEnd(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def compile(self, source, *flags, name="program", headers=HEADERS, tool=TASKRACE):
        file = self.folder / f"{name}.cpp"
        file.write_text(headers + source)
        binary = self.folder / name
        if HEADERS in headers and all(leaves_headers_as_they_are(flag) for flag in flags):
            flags = ("-include-pch", PRECOMPILED, *flags)
        built = subprocess.run([tool, "c++", "-std=c++20", "-O1", file, "-o", binary, *flags],
                               capture_output=True, text=True)
        self.assertEqual(built.returncode, 0, built.stderr)
        return binary

    def run_detected(self, binary, *options, wrapper=(), environment=None, arguments=()):
        output = self.folder / "report.json"
        output.unlink(missing_ok=True)
        process = subprocess.run([*wrapper, TASKRACE, "run", f"--json={output}", *options, "--", binary,
                                  *arguments], capture_output=True, text=True,
                                 env={**os.environ, **(environment or {})}, cwd=self.folder)
        report = json.loads(output.read_text()) if output.exists() else None
        return Run(process, report)

    def run_until_timeout(self, binary, *options):
        """Runs a program that hangs once it has printed "reached", with a timeout that is long enough for that."""
        for seconds in 2, 8, 32, 128:
            run = self.run_detected(binary, f"--timeout={seconds}", *options)
            if "reached" in run.out:
                return run
        self.fail(f"the program did not get to where it hangs: {run.err}")

    def detect(self, source, *options, **keywords):
        return self.run_detected(self.compile(source), *options, **keywords)

    def assert_one_race(self, run):
        self.assertEqual(len(run.races), 1, run.err)
        self.assertIn("shared_value", run.err)


if __name__ == "__main__" and sys.argv[1:] == ["precompile"]:
    precompile()
