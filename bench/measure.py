#!/usr/bin/env python3
"""bench/measure.py [BUILD]: the figures of docs/measurements.md.

Plain (the task interface elided, -O3, not instrumented) and detected runs of the examples take turns; the
minimum of the times and the maximum of the memory of five runs each count. Run it on an idle machine.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build"
TASKRACE = BUILD / "bin" / "taskrace"
RUNS = 5
PROGRAMS = [("mergesort", ["12000000"]), ("matmul", ["1440"]), ("heat", ["2048", "250"]),
            ("nqueens", ["13"])]


def compile_both(source, folder):
    """The plain and the detected program."""
    plain, detected = folder / "plain", folder / "detected"
    subprocess.run(["clang++-19", "-std=c++20", "-O3", "-DTASKRACE_SERIAL", f"-I{ROOT}/include", source,
                    "-o", plain], check=True)
    subprocess.run([TASKRACE, "c++", "-std=c++20", "-O3", source, "-o", detected], check=True)
    return plain, detected


def run(command):
    """Seconds, kilobytes at the peak, and the number of strands if it says so."""
    done = subprocess.run(["/usr/bin/time", "-f", "%e %M", *command], capture_output=True, text=True)
    seconds, kilobytes = done.stderr.strip().splitlines()[-1].split()
    strands = re.search(r"(\d+) strands", done.stderr)
    return float(seconds), int(kilobytes), int(strands.group(1)) if strands else 0


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        print("| program | plain | detected | ratio | memory | bound: 6 x plain + 16 B a strand |")
        print("| --- | --- | --- | --- | --- | --- |")
        for program, arguments in PROGRAMS:
            plain, detected = compile_both(ROOT / "examples" / f"{program}.cpp", folder)
            plains, detects = [], []
            for _ in range(RUNS):
                plains.append(run([plain, *arguments]))
                detects.append(run([TASKRACE, "run", detected, *arguments]))
            time, slow = min(r[0] for r in plains), min(r[0] for r in detects)
            memory, more = max(r[1] for r in plains) / 1024, max(r[1] for r in detects) / 1024
            bound = 6 * memory + 16 * detects[0][2] / 2**20
            print(f"| {program} {' '.join(arguments)} | {time:.2f} s | {slow:.2f} s | {slow / time:.1f} "
                  f"| {memory:.0f} -> {more:.0f} MB | {bound:.0f} MB |", flush=True)
        plain, detected = compile_both(ROOT / "bench" / "spawn_sync.cpp", folder)
        for label, program in (("plain", plain), ("detected", detected)):
            times = [float(subprocess.run([program], capture_output=True, text=True).stdout.split()[0])
                     for _ in range(RUNS)]
            print(f"\n{label}: {min(times):.1f} ns a spawn and sync")


if __name__ == "__main__":
    main()
