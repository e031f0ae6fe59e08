#!/usr/bin/env python3
"""Runs of many processes: each has its own report and names its rank, and one report is made of all."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "runtime"))
import jsonschema  # noqa: E402
from programs import RACE, TASKRACE, EndToEnd  # noqa: E402

SCHEMA = json.loads((ROOT / "docs" / "report.schema.json").read_text())
# A race in ranks 1 and 3.
PROGRAM = RACE + """
int main() {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  taskrace::scope s;
  s.spawn([] {});
  s.sync();
  if (rank != nullptr && atoi(rank) % 2 == 1) race();
}
"""
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4"]
FOUR_RANKS = 'for rank in 0 1 2 3; do OMPI_COMM_WORLD_RANK=$rank "$0" & done; wait'


class Processes(EndToEnd):
    def run_merged(self, *command, environment=None):
        output = self.folder / "merged.json"
        ran = subprocess.run([TASKRACE, "run", "--merge", f"--json={output}", *command], capture_output=True, text=True,
                             env={**os.environ, "TMPDIR": str(self.folder), **(environment or {})})
        left = [entry.name for entry in self.folder.iterdir() if entry.name.startswith("taskrace-run-")]
        self.assertEqual(left, [])
        return ran, json.loads(output.read_text()) if output.exists() else None

    def check_ranks(self, ran, report):
        self.assertEqual(ran.returncode, 66, ran.stderr)
        jsonschema.validate(report, SCHEMA)
        self.assertEqual([run["rank"] for run in report["runs"]], [0, 1, 2, 3])
        self.assertEqual([race["runs"] for race in report["races"]], [[1, 3]])
        self.assertEqual(ran.stderr.count("taskrace: race: "), 1, ran.stderr)
        self.assertRegex(ran.stderr, r"Seen 2 times in 2 of 4 runs: rank 1 \(process \d+\), rank 3 ")
        self.assertIn("taskrace: 1 race (2 occurrences) in 2 of 4 runs\n", ran.stderr)

    def test_a_script_that_starts_four(self):
        self.check_ranks(*self.run_merged("sh", "-c", FOUR_RANKS, self.compile(PROGRAM, "-g")))

    def test_mpirun(self):
        self.check_ranks(*self.run_merged(*MPIRUN, self.compile(PROGRAM, "-g")))

    def test_ranks_have_their_own_files_without_being_told(self):
        binary = self.compile(PROGRAM, "-g")
        options = f"exitcode=0:json={self.folder}/out.json"
        subprocess.run(["sh", "-c", FOUR_RANKS, binary], env={**os.environ, "TASKRACE_OPTIONS": options}, check=True,
                       capture_output=True)
        files = sorted(self.folder.glob("out.json*"))
        self.assertEqual([file.name for file in files], [f"out.json.rank{rank}" for rank in range(4)])
        ran = subprocess.run([TASKRACE, "report", *files], capture_output=True, text=True, cwd=self.folder)
        self.assertIn("in 2 of 4 runs: rank 1 (", ran.stdout)

    def test_the_ranks_of_other_launchers(self):
        binary = self.compile(PROGRAM, "-g")
        for environment, rank in (({"PMI_RANK": "2"}, 2), ({"SLURM_PROCID": "3", "SLURM_NTASKS": "4"}, 3),
                                  ({"SLURM_PROCID": "0", "SLURM_NTASKS": "1"}, None), ({"PMI_RANK": "x"}, None)):
            name = self.folder / ("out.json" if rank is None else f"out.json.rank{rank}")
            subprocess.run([binary], env={**os.environ, **environment,
                                          "TASKRACE_OPTIONS": f"json={self.folder}/out.json"}, check=True)
            self.assertEqual(json.loads(name.read_text())["rank"], rank)
            name.unlink()

    def test_the_launchers_own_code_counts_if_there_are_no_races(self):
        binary = self.compile(PROGRAM, "-g")
        ran, report = self.run_merged("sh", "-c", '"$0" && exit 5', binary)
        self.assertEqual(ran.returncode, 5, ran.stderr)
        self.assertEqual(report["races"], [])

    def test_without_an_instrumented_process_nothing_is_claimed(self):
        ran, _ = self.run_merged("true")
        self.assertEqual(ran.returncode, 2)
        self.assertEqual(ran.stderr, "taskrace: error: no instrumented program has run: compile it with taskrace c++\n")
        self.assertEqual(self.run_merged("no-such-program")[0].returncode, 2)


if __name__ == "__main__":
    unittest.main()
