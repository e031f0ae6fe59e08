#!/usr/bin/env bash
# Shows a race and its report, then the corrected program without one.
#   usage: demo.sh TASKRACE_COMMAND
# Exits with 0 if the first program was reported (exit code 66) and the second was not.
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

# check NAME EXPECTED_CODE: compiles the example, runs it under detection, compares the exit code.
check() {
  local name=$1 expected=$2
  show "$taskrace" c++ -O2 "$sources/$name.cpp" -o "$scratch/$name" || {
    echo "demo: FAILED: $name.cpp does not compile" >&2
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
check sum 66
say "2. The same sum, corrected: every part has a sum of its own."
check sum_fixed 0
say "demo: the race was reported, and the corrected program has none."
