#!/bin/sh
# Generated loop nests: the bytes that the checks are about are the bytes that are touched.
# Usage: nests_test.sh TOOLS SOURCES INCLUDE PASS COMPILER
# TASKRACE_SEED picks other nests; TASKRACE_LONG=1 makes it ten times as many.
set -eu
tools=$1 sources=$2 include=$3 pass=$4 compiler=$5
seed=$((1 + ${TASKRACE_SEED:-0}))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

flags="-std=c++20 -D__TASKRACE__=1 -fno-strict-aliasing -I$sources -I$include"
parts=${TASKRACE_LONG:+10}
for part in $(seq "${parts:-1}"); do
  "$tools/generate_nests" 200 "$seed" >nests.cc
  # shellcheck disable=SC2086
  "$compiler" $flags -O0 -DRECORDED -DNESTS=reference -c nests.cc -o reference.o
  for level in 0 1 2 3; do
    # shellcheck disable=SC2086
    "$compiler" $flags -O$level -DNESTS=level$level -fpass-plugin="$pass" \
      -Xclang -load -Xclang "$pass" -mllvm -taskrace-verify -g -c nests.cc -o level$level.o
  done
  "$compiler" reference.o level0.o level1.o level2.o level3.o "$tools/libcompare_nests.a" -o compare
  ./compare || {
    echo "FAILED: part $part, seed $seed"
    exit 1
  }
  seed=$((seed + 1000))
done
