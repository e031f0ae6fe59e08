#!/bin/sh
# program_test.sh TASKRACE WORK NAME: one program of the papers is what it says.
# With TASKRACE_LONG also its builds without detection.
set -eu
configs=full
[ -z "${TASKRACE_LONG:-}" ] || configs=plain,native,parallel,full
exec "$1" bench --check --config="$configs" --jobs=1 --work="$2" "$3"
