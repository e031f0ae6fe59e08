#!/bin/sh
# Generated programs end to end: compiled by the real compiler, run under the real runtime with
# each engine that is for them, compared racy byte for racy byte.
# Usage: generated_programs_test.sh TOOLS TASKRACE_BIN_DIRECTORY SEED FAMILY FLAG...
# TASKRACE_SEED is added to the seed; TASKRACE_LONG=1 makes it ten times as many programs.
set -eu
tools=$1
taskrace=$2/taskrace
seed=$(($3 + ${TASKRACE_SEED:-0}))
family=$4
shift 4
flags=$*
programs=${TASKRACE_LONG:+1000}
times=3
[ -z "${TASKRACE_LONG:-}" ] || times=50
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

case $family in
  any-order) engines="spbags dpst" ;;
  series-parallel) engines="spbags sporder dpst multibags multibags+ donesets promises auto" ;;
  structured) engines="multibags multibags+ donesets promises auto" ;;
  general) engines="multibags+ donesets promises auto" ;;
  promises) engines="promises auto" ;;
  lattice2d) engines="lattice2d multibags multibags+ donesets promises auto" ;;
esac

"$tools/generate_cpp" programs.cpp expected "$family" "${programs:-100}" "$seed"
"$taskrace" c++ -std=c++20 -g "$@" programs.cpp -o programs
# check OPTION...
check() {
  code=0
  "$taskrace" run "$@" --dedup=address --max_races=0 --json=report.json \
    ./programs >output 2>errors || code=$?
  # 66: races were found, as they must be among so many programs.
  if [ "$code" -ne 66 ] || ! "$tools/compare_racy_bytes" expected output report.json; then
    tail -5 errors
    echo "FAILED: $family, compiled with $flags, run with $*, exit code $code, seed $seed"
    exit 1
  fi
}
for engine in $engines; do
  check --engine="$engine" --hidden_trace=trace
  # Also where the report says that the two accesses of a race are joined.
  if ! "$tools/compare_with_trace" trace report.json joins >compared 2>&1; then
    tail -5 compared
    echo "FAILED: the trace of $family, compiled with $flags, run with engine $engine, seed $seed"
    exit 1
  fi
done
check --history=intervals
if [ "$family" = any-order ]; then
  # Each time they meet in another way.
  for time in $(seq "$times"); do
    for threads in 1 2 4 16; do check --exec=parallel --threads=$threads; done
  done
fi
