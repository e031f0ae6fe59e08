#!/usr/bin/env bash
# Shows races and their reports, then the corrected programs without.
#   usage: demo.sh TASKRACE_COMMAND
# Exits with 0 if the wrong programs were reported (exit code 66) and the corrected ones were not.
set -uo pipefail

[[ $# -eq 1 ]] || { echo "usage: demo.sh TASKRACE_COMMAND" >&2; exit 2; }
taskrace=$1
command -v "$taskrace" >/dev/null || { echo "demo: cannot run $taskrace: build it first" >&2; exit 2; }
sources=$(dirname "$0")
scratch=$(mktemp -d "${TMPDIR:-/tmp}/taskrace-demo.XXXXXX") || exit 2
trap 'rm -rf "$scratch"' EXIT
# The demo shows the defaults, whatever the caller has set for other programs.
unset TASKRACE_OPTIONS

say() { printf '\n%s\n' "$*"; }

# Prints a command as one could type it, and runs it.
show() {
  printf '$'
  printf ' %q' "$@"
  printf '\n'
  "$@"
}

# check EXPECTED_CODE NAME COMPILER...: compiles the example, runs it under detection, compares the exit code.
check() {
  local expected=$1 name=$2
  shift 2
  show "$taskrace" "$@" -o "$scratch/$name" || {
    echo "demo: FAILED: $name does not compile" >&2
    exit 1
  }
  show "$taskrace" run "$scratch/$name"
  local code=$?
  echo "(exit code $code)"
  [[ $code -eq $expected ]] || {
    echo "demo: FAILED: $name ended with exit code $code instead of $expected" >&2
    exit 1
  }
}

say "1. A sum that is wrong: every iteration updates the one total."
check 66 sum c++ -O2 "$sources/sum.cpp"
say "2. The same sum, corrected: every part has a sum of its own."
check 0 sum_fixed c++ -O2 "$sources/sum_fixed.cpp"
say "3. An OpenMP program, unchanged: a loop updates an array in place."
check 66 jacobi cc -fopenmp -O2 "$sources/jacobi.c"
say "4. The same with the new values in an array of their own."
check 0 jacobi_fixed cc -DFIXED -fopenmp -O2 "$sources/jacobi.c"
say "5. A program with oneTBB, unchanged: parts of the data count in one array."
check 66 histogram c++ -O2 "$sources/histogram.cpp"
say "6. The same with an array for each part."
check 0 histogram_fixed c++ -DFIXED -O2 "$sources/histogram.cpp"
say "7. A program with std::execution, unchanged: elements are replaced while others are computed from them."
check 66 smooth c++ -O2 "$sources/smooth.cpp"
say "8. The same with the result in another array."
check 0 smooth_fixed c++ -DFIXED -O2 "$sources/smooth.cpp"
say "demo: the races were reported, and the corrected programs have none."
