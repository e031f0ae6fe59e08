#!/bin/sh
# Random OpenMP programs under the real runtime, compared with the oracle.
# Usage: agreement_test.sh AGREEMENT TASKRACE SOURCES [compiled] FLAG
# By the interpreter, which is compiled with the flag; or each program compiled with it. TASKRACE_SEED is added to the seed;
# TASKRACE_LONG=1 makes it twenty times as many programs.
set -eu
agreement=$1
taskrace=$2
sources=$3
shift 3
seed=$((1 + ${TASKRACE_SEED:-0}))
times=1
[ -z "${TASKRACE_LONG:-}" ] || times=20
classes="loops nowait similar locks aware own tasks own-tasks locked-tasks depend nested"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ "$1" = compiled ]; then
  # A loop of C can have one ordered block only.
  for time in $(seq $((2 * times))); do
    "$agreement" "$taskrace" "$work" "$2" -I"$sources" -I"$sources/include" 8 $((seed * 1000 + time)) $classes
  done
else
  "$taskrace" cc -fopenmp -g "$1" -I"$sources" -I"$sources/include" "$sources/test/openmp/interpreter.c" \
    -o "$work/interpreter"
  for time in $(seq $times); do
    "$agreement" "$taskrace" "$work" "$work/interpreter" 300 $((seed * 1000 + time)) $classes \
      ordered everything
  done
fi
