#!/bin/sh
# program_test.sh TASKRACE WORK NAME COMPARE: one program of the papers is what it says, and so says
# the oracle, to the byte, of the program and of its seeded sibling (COMPARE: compare_with_trace).
# With TASKRACE_LONG also its builds without detection.
set -eu
configs=full
[ -z "${TASKRACE_LONG:-}" ] || configs=plain,native,parallel,full
"$1" bench --check --config="$configs" --jobs=1 --work="$2" "$3"

traces=$(mktemp -d)
trap 'rm -rf "$traces"' EXIT
cd "$traces"
for build in detected seeded; do
  # The seeded sibling's result may be wrong.
  "$1" run --hidden_trace=trace.$build --json=report.$build --dedup=address --max_races=0 \
    "$2/$(echo "$3" | tr / -).$build" test >output 2>&1 || true
  echo "$3, $build:"
  "$4" trace.$build report.$build
done
