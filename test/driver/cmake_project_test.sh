#!/bin/sh
# A CMake project with libraries, precompiled headers and checks builds with taskrace-c++.
# Usage: cmake_project_test.sh TASKRACE_BIN_DIRECTORY SOURCE_DIRECTORY
set -eu
bin=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for ipo in OFF ON; do
  cmake -S "$source" -B "$work/$ipo" -DCMAKE_CXX_COMPILER="$bin/taskrace-c++" \
    -DCMAKE_C_COMPILER="$bin/taskrace-cc" -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=$ipo \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  cmake --build "$work/$ipo" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  "$bin/taskrace" run "$work/$ipo/consumer" >"$work/log" 2>&1 && code=0 || code=$?
  cat "$work/log"
  test "$code" -eq 66
  grep -q "counter.cpp:2:" "$work/log"
done
