"""test/run.sh repeats a former success only if neither the project nor the system has changed."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "run.sh"
CACHED = "(nothing has changed since"


class Run(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)
        for folder in ("project/test", "project/build", "bin"):
            (self.root / folder).mkdir(parents=True)
        self.project = self.root / "project"
        shutil.copy(SCRIPT, self.project / "test/run.sh")
        self.source = self.project / "source.cc"
        self.source.write_text("")
        self.old(self.source)
        self.old(self.project / "test/run.sh")
        self.compiler = self.root / "compiler"
        self.compiler.write_text("1")
        (self.project / "build/CMakeCache.txt").write_text(f"CMAKE_CXX_COMPILER:STRING={self.compiler}\n")
        self.command("ctest", "echo '100% tests passed'; exit ${CTEST_CODE:-0}")
        self.package("1.0")

    @staticmethod
    def old(path):
        os.utime(path, (1, 1))

    def command(self, name, body):
        path = self.root / "bin" / name
        path.write_text("#!/bin/sh\n" + body + "\n")
        path.chmod(0o755)

    def package(self, version):
        self.command("dpkg-query", f"echo libtbb12 {version}")

    def run_tests(self, **environment):
        run = subprocess.run([self.project / "test/run.sh", "build", "2"], capture_output=True, text=True,
                             env={**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}", **environment})
        return run.stdout

    def test_a_success_is_repeated_while_nothing_changes(self):
        self.assertNotIn(CACHED, self.run_tests())
        second = self.run_tests()
        self.assertIn(CACHED, second)
        self.assertIn("100% tests passed", second)

    def test_a_failure_is_not(self):
        self.run_tests(CTEST_CODE="8")
        self.assertNotIn(CACHED, self.run_tests())

    def test_a_changed_file_runs_them_again(self):
        self.run_tests()
        os.utime(self.source, (2**32, 2**32))
        self.assertNotIn(CACHED, self.run_tests())

    def test_a_removed_file_runs_them_again(self):
        subprocess.run("git init -q . && git add source.cc test", shell=True, check=True, cwd=self.project)
        (self.project / ".git/info/exclude").write_text("build\n")
        self.run_tests()
        self.assertIn(CACHED, self.run_tests())
        self.source.unlink()
        self.assertNotIn(CACHED, self.run_tests())

    def test_another_version_of_a_library_runs_them_again(self):
        self.run_tests()
        self.package("1.1")
        self.assertNotIn(CACHED, self.run_tests())
        self.assertIn(CACHED, self.run_tests())

    def test_another_compiler_runs_them_again(self):
        self.run_tests()
        self.compiler.write_text("version 2")
        self.assertNotIn(CACHED, self.run_tests())


if __name__ == "__main__":
    unittest.main()
