#!/bin/sh
# Expects that a broken OpenMP front end is caught.
# Usage: mutant_test.sh AGREEMENT TASKRACE SOURCES DIRECTORY CLASS...
# DIRECTORY has the broken library.
set -eu
agreement=$1
taskrace=$2
sources=$3
export LD_LIBRARY_PATH="$4"
shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$taskrace" cc -fopenmp -g -O1 -I"$sources" -I"$sources/include" "$sources/test/openmp/interpreter.c" \
  -o "$work/interpreter"
code=0
for seed in 1 2 3; do
  "$agreement" "$taskrace" "$work" "$work/interpreter" --brief 400 "$seed" "$@" || code=$?
  [ "$code" -eq 0 ] || break
done
if [ "$code" -ne 1 ]; then
  echo "FAILED: the mutant was not caught, exit code $code"
  exit 1
fi
