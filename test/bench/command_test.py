#!/usr/bin/env python3
"""`taskrace bench` as a user types it: a prefix with the real tool and a suite of small programs, some of which
misbehave."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest
import xml.dom.minidom

BUILD = pathlib.Path(os.environ["TASKRACE_BUILD"])

# A task that races with its creator when seeded; it says that its kernel takes ten milliseconds.
GOOD = """
#include <taskrace/tasks.hpp>
#include <cstdio>
int shared;
int main() {
  taskrace::scope s;
  // Seeded race: demo/NAME
  s.spawn([] { shared = 1; });
#ifdef TASKRACE_SEED_RACE
  // Seeded race: demo/NAME
  shared = 2;
#endif
  s.sync();
  shared = 3;
  std::fprintf(stderr, "good: kernel 0.010000 s\\n");
  std::printf("good: ok\\n");
}
"""
SOURCES = {
    "good": GOOD,
    # The marks say that there is a race, and there is none.
    "blind": GOOD.replace("#ifdef TASKRACE_SEED_RACE", "#if 0"),
    "wrong": '#include <cstdio>\nint main() { std::puts("wrong: bad sum"); return 1; }\n',
    "broken": "int main() { return nothing; }\n",
    # Says who it is, and never ends.
    "endless": """
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
int main(int argc, char** argv) {
#ifdef TASKRACE_SERIAL
  if (FILE* file = std::fopen(std::getenv("ENDLESS_PID"), "w")) {
    std::fprintf(file, "%d\\n", getpid());
    std::fclose(file);
  }
  for (;;) pause();
#endif
}
""",
}


def suite():
    programs = [{"name": f"demo/{name}", "group": "demo", "source": f"demo/{name}.cpp", "constructs": ["scope"],
                 "class": "nested", "paper": {"overhead": 12.5}} for name in SOURCES]
    return {"classes": {"nested": ["spbags", "multibags"]},
            "groups": [{"group": "demo", "title": "Demo", "remark": "Figure 0", "words": {"full": "RD"}}],
            "programs": programs}


class Bench(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.prefix = cls.folder / "prefix"
        cls.programs = cls.prefix / "share" / "taskrace" / "bench"
        (cls.prefix / "bin").mkdir(parents=True)
        # The command finds its parts relative to itself.
        shutil.copy(BUILD / "bin" / "taskrace", cls.prefix / "bin" / "taskrace")
        for part in ("lib", "include"):
            (cls.prefix / part).symlink_to(BUILD / part)
        (cls.programs / "demo").mkdir(parents=True)
        (cls.programs / "programs.json").write_text(json.dumps(suite()))
        for name, source in SOURCES.items():
            (cls.programs / "demo" / f"{name}.cpp").write_text(source.replace("demo/NAME", f"demo/{name}"))

    def command(self, *arguments):
        return [self.prefix / "bin" / "taskrace", "bench", f"--work={self.folder / 'work'}", *arguments]

    def bench(self, *arguments, **environment):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True, timeout=300,
                              env={**os.environ, "ENDLESS_PID": str(self.folder / "pid"), **environment})

    def measure(self, *arguments):
        """Plain and full of the good program, quickly."""
        return self.bench("--size=test", "--repeat=2", "--config=plain,full", *arguments)

    def assert_refused(self, done, *parts):
        """One line, exit code 2."""
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    def test_list_names_every_program_and_builds_nothing(self):
        done = self.bench("--list", f"--work={self.folder / 'untouched'}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("demo/good", done.stdout)
        self.assertIn("12.5", done.stdout)
        self.assertFalse((self.folder / "untouched").exists())

    def test_a_mistake_is_one_line_and_nothing_is_built(self):
        self.assert_refused(self.bench("goood"), "unknown benchmark 'goood'; did you mean good")
        self.assert_refused(self.bench("--sizes=small"), "unknown option '--sizes=small'")
        self.assert_refused(self.bench("--engine=fast"), "engine")
        self.assert_refused(self.bench("--json=/none/such.json", "good"), "option json", "/none/such.json")
        self.assert_refused(self.bench("--plot=/none/such.svg", "good"), "option plot", "/none/such.svg")
        self.assert_refused(self.bench("--count", "--compare=/none/c.json", "good"), "/none/c.json")
        self.assert_refused(self.bench("good", "--work=/proc/none"), "/proc/none", "--work=DIR")
        self.assert_refused(self.bench("good", TASKRACE_CLANGXX="/none/clang"), "TASKRACE_CLANGXX")

    def test_an_engine_that_handles_no_chosen_program_is_refused(self):
        done = self.bench("--engine=lattice2d", "good")
        self.assertEqual(done.returncode, 2)
        self.assertIn("skipped, because engine lattice2d does not handle them: demo/good", done.stderr)

    def test_a_prefix_without_programs_says_so(self):
        self.programs.rename(self.folder / "away")
        self.addCleanup((self.folder / "away").rename, self.programs)
        self.assert_refused(self.bench("good"), "benchmark programs are missing", str(self.programs))

    def test_json_on_standard_output_is_json_and_the_table_stands_elsewhere(self):
        done = self.measure("good", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        (good,) = report["results"]
        self.assertEqual((good["name"], good["variant"], good["size"], good["paper"]),
                         ("good", None, "test", 12.5))
        # The program says how long its kernel took, and that is what counts.
        self.assertEqual(good["plain_s"], 0.01)
        self.assertEqual(good["overhead"]["full"], 1.0)
        self.assertEqual(good["repeats"], {"plain": 2, "full": 2})
        self.assertGreaterEqual(good["memory"], 1)
        self.assertIs(good["seeded_race_found"], True)
        self.assertEqual(good["tasks"], 1)
        self.assertGreater(good["writes"], 0)
        self.assertEqual(report["geomean"]["full"], 1.0)
        self.assertGreater(report["machine"]["cores"], 0)
        self.assertIn("Demo, size test", done.stderr)

    def test_the_plot_is_well_formed(self):
        plot = self.folder / "plot.svg"
        done = self.measure("good", f"--plot={plot}")
        self.assertEqual(done.returncode, 0, done.stderr)
        titles = [node.firstChild.data for node in xml.dom.minidom.parse(str(plot)).getElementsByTagName("title")]
        self.assertIn("good: taskrace, full detection, 1.00", titles)
        self.assertIn("good: published in the paper, 12.5", titles)

    def test_a_seeded_race_that_is_not_found_is_a_failure(self):
        done = self.measure("blind")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, "blind .* lost")

    def test_a_program_that_fails_is_shown_and_the_others_are_measured(self):
        done = self.measure("wrong", "good")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("demo/wrong failed", done.stderr)
        self.assertIn("exit code 1", done.stderr)
        self.assertIn("wrong: bad sum", done.stderr)
        self.assertRegex(done.stdout, "wrong +failed")
        self.assertRegex(done.stdout, "good +0.010 .* found")

    def test_a_program_that_does_not_compile_is_shown_with_the_compilers_words(self):
        done = self.measure("broken")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("cannot compile demo/broken", done.stderr)
        self.assertIn("undeclared identifier 'nothing'", done.stderr)

    def test_a_run_that_takes_too_long_is_ended_and_told(self):
        done = self.measure("endless", "--timeout=1", "--json=-")
        self.assertIn(">1s", done.stderr)
        self.assertEqual(json.loads(done.stdout)["results"][0]["timed_out"], ["plain"])

    def test_an_interruption_ends_the_program_too(self):
        pid = self.folder / "pid"
        self.measure("endless", "--timeout=1")  # builds
        pid.unlink(missing_ok=True)
        process = subprocess.Popen(self.command("--size=test", "--config=plain,full", "endless"),
                                   stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                   env={**os.environ, "ENDLESS_PID": str(pid)})
        while "1 of 1" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        while not (pid.exists() and pid.read_text().endswith("\n")):
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("interrupted: 0 of 1 programs were measured", err)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(pid.read_text()), 0)
        self.assertEqual(list((self.folder / "work").glob("reports.*")), [])

    def test_executables_are_made_again_only_when_a_source_has_changed(self):
        def made():
            return (self.folder / "work" / "demo-good.detected").stat().st_mtime_ns

        self.assertEqual(self.bench("--count", "good").returncode, 0)
        first = made()
        self.assertEqual(self.bench("--count", "good").returncode, 0)
        self.assertEqual(made(), first)
        source = self.programs / "demo" / "good.cpp"
        source.write_text(source.read_text() + "\n")
        self.assertEqual(self.bench("--count", "good").returncode, 0)
        self.assertGreater(made(), first)

    def test_counts_that_grow_fail_and_counts_that_shrink_pass(self):
        table = self.folder / "counts.json"
        self.assertEqual(self.bench("--count", "good", f"--json={table}").returncode, 0)
        same = self.bench("--count", "good", f"--compare={table}")
        self.assertEqual(same.returncode, 0, same.stdout)
        self.assertNotIn("To accept", same.stdout)
        accepted = json.loads(table.read_text())
        counts = accepted["programs"]["demo/good"]
        self.assertGreater(counts["emitted.writes"], 0)
        for change, code, word in ((1, 0, "better"), (-1, 1, "worse")):
            changed = {**counts, "emitted.writes": counts["emitted.writes"] + change}
            table.write_text(json.dumps({"programs": {"demo/good": changed}}))
            done = self.bench("--count", "good", f"--compare={table}")
            self.assertEqual(done.returncode, code, done.stdout)
            self.assertIn(f"{word}: demo/good: emitted.writes", done.stdout)
            self.assertIn(f"To accept these counts: taskrace bench --count --json={table}", done.stdout)

    def test_a_check_passes_what_is_right_and_tells_what_is_not(self):
        good = self.bench("--check", "--config=plain,full", "good")
        self.assertEqual((good.returncode, good.stdout), (0, "demo/good: ok\n"), good.stderr)
        blind = self.bench("--check", "--config=full", "--engine=spbags", "blind")
        self.assertEqual(blind.returncode, 1)
        self.assertIn("seeded, engine spbags, history shadow, exit code 66 expected: exit code 0", blind.stdout)
        wrong = self.bench("--check", "--config=plain", "wrong")
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("wrong: bad sum", wrong.stdout)


if __name__ == "__main__":
    unittest.main()
