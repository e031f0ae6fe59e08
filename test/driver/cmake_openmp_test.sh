#!/bin/sh
# find_package(OpenMP) finds OpenMP with taskrace-cc and taskrace-c++, and programs built so are checked.
# Usage: cmake_openmp_test.sh TASKRACE_BIN_DIRECTORY SOURCE_DIRECTORY
set -eu
bin=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake -S "$source" -B "$work/build" -DCMAKE_CXX_COMPILER="$bin/taskrace-c++" \
  -DCMAKE_C_COMPILER="$bin/taskrace-cc" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake --build "$work/build" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
for program in sum_in_c sum_in_cxx; do
  "$bin/taskrace" run "$work/build/$program" >"$work/log" 2>&1 && code=0 || code=$?
  cat "$work/log"
  test "$code" -eq 66
  grep -q "race: .* on 'sum'" "$work/log"
done
# Every function of our runtime has a version, so that libraries with another runtime keep theirs.
library=$bin/../lib/taskrace/libtaskrace_omp.so
nm -D --defined-only "$library" | grep -q '__kmpc_fork_call@@TASKRACE_OMP'
! nm -D --defined-only "$library" | grep -v 'TASKRACE_OMP'
# No runtime of others is linked.
readelf -d "$work/build/sum_in_c" | grep -q libtaskrace_omp.so
! readelf -d "$work/build/sum_in_c" | grep -E 'libomp|libgomp|libiomp5'
