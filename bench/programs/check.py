#!/usr/bin/env python3
"""bench/programs/check.py [--taskrace=PATH] [--include=PATH] [--size=test] [--engine=auto] [NAME...]

Builds the programs of programs.json and checks of each that

  plain      the serial elision is right,
  parallel   the ordinary build on two threads is right,
  detected   no race is reported, and the result is right,
  seeded     races are reported at all lines marked «Seeded race: NAME», and at no line without a mark
             of the program (common.h says what the marks mean).

NAME is «group/program», or a group. Prints a line a program; exits with 1 if one is not as it should be.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TIMEOUT_S = 600


class Marks:
    """Where a seeded program races: {(file, line)}."""

    def __init__(self):
        self.certain = set()
        self.possible = set()


def read_marks():
    """Program name -> Marks. A mark is for the first line below that is no comment."""
    marks = collections.defaultdict(Marks)
    for source in sorted([*HERE.glob("*/*.cpp"), *HERE.glob("*/*.h")]):
        waiting = []
        for number, line in enumerate(source.read_text().splitlines(), 1):
            where = (str(source.relative_to(HERE)), number)
            if mark := re.fullmatch(r"\s*// Seeded race(, possibly)?: (.*)", line):
                for name in mark.group(2).split(", "):
                    waiting.append(marks[name].possible if mark.group(1) else marks[name].certain)
            else:
                for lines in waiting:
                    lines.add(where)
                waiting = []
    return marks


def reported_lines(report):
    """{(file, line)} of both accesses of every race of a JSON report."""
    lines = set()
    for race in json.loads(report.read_text())["races"]:
        for access in race["accesses"]:
            frame = access["stack"][0]
            path = pathlib.Path(frame["file"]).resolve()
            lines.add((str(path.relative_to(HERE)) if path.is_relative_to(HERE) else str(path), frame["line"]))
    return lines


class Checker:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.marks = read_marks()

    def build(self, program, suffix, compiler, *flags):
        """Compiles; returns the path of the program."""
        out = self.folder / (program["name"].replace("/", "-") + suffix)
        subprocess.run([*compiler, "-std=c++20", "-O3", "-g", HERE / program["source"], *flags,
                        *program.get("libraries", []), "-o", out], check=True)
        return out

    def run(self, *command):
        """Exit code and what it printed."""
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        return done.returncode, (done.stdout + done.stderr).strip()

    def complaints(self, program):
        """What is not as it should be."""
        taskrace, size = self.options.taskrace, self.options.size
        include = f"-I{self.options.include}"
        plain = self.build(program, ".plain", ["clang++-19"], "-DTASKRACE_SERIAL", include)
        code, text = self.run(plain, size)
        if code != 0:
            yield f"plain: exit code {code}: {text}"
        parallel = self.build(program, ".parallel", ["clang++-19"], include, "-ltbb")
        code, text = self.run("taskset", "-c", "0,1", parallel, size)
        if code != 0:
            yield f"parallel: exit code {code}: {text}"
        detected = self.build(program, ".detected", [taskrace, "c++"])
        code, text = self.run(taskrace, "run", f"--engine={self.options.engine}", detected, size)
        if code != 0:
            yield f"detected: exit code {code}: {text}"
        seeded = self.build(program, ".seeded", [taskrace, "c++"], "-DTASKRACE_SEED_RACE")
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        code, text = self.run(taskrace, "run", f"--engine={self.options.engine}", f"--json={report}",
                              "--max_races=0", seeded, size)
        if code != 66:
            yield f"seeded: exit code {code} instead of 66: {text}"
        else:
            reported, marks = reported_lines(report), self.marks[program["name"]]
            for file, line in sorted(reported - marks.certain - marks.possible):
                yield f"seeded: reports {file}:{line}, which is not marked"
            for file, line in sorted(marks.certain - reported):
                yield f"seeded: does not report {file}:{line}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--taskrace", default=ROOT / "build" / "bin" / "taskrace")
    parser.add_argument("--include", default=ROOT / "include")
    parser.add_argument("--size", default="test")
    parser.add_argument("--engine", default="auto")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    programs = json.loads((HERE / "programs.json").read_text())["programs"]
    known = {program["name"] for program in programs} | {program["group"] for program in programs}
    for name in options.names:
        if name not in known:
            sys.exit(f"check.py: no program or group is called {name}")
    bad = False
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(options, pathlib.Path(folder))
        for program in programs:
            if options.names and not {program["name"], program["group"]} & set(options.names):
                continue
            complaints = list(checker.complaints(program))
            print(f"{program['name']}: {'ok' if not complaints else 'bad'}", flush=True)
            for complaint in complaints:
                print(f"  {complaint}", flush=True)
            bad = bad or bool(complaints)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
