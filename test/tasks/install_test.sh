#!/bin/sh
# Installs Taskrace to a new prefix and uses it from there as a user's CMake project would.
# usage: install_test.sh CMAKE BUILD_DIRECTORY SOURCE_DIRECTORY C_COMPILER CXX_COMPILER
set -eu
cmake=$1 build=$2 source=$3 cc=$4 cxx=$5
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
prefix="$directory/prefix with a space"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
# quietly COMMAND...: shows its output only if it fails
quietly() {
  "$@" > log 2>&1 || { cat log; fail "$@"; }
}
# configure BUILD SOURCE ARGUMENT...
configure() {
  name=$1 project=$2
  shift 2
  "$cmake" -G Ninja -S "$project" -B "$name" "-DCMAKE_PREFIX_PATH=$prefix" "$@"
}
# expect EXIT_CODE TEXT COMMAND...: TEXT must be in the output
expect() {
  code=$1 text=$2
  shift 2
  actual=0
  "$@" > log 2>&1 || actual=$?
  [ "$actual" = "$code" ] || { cat log; fail "exit code $actual instead of $code: $*"; }
  grep -qF -- "$text" log || { cat log; fail "no \"$text\" from: $*"; }
}
is_instrumented() { readelf -SW "$1" | grep -q taskrace_objects; }

quietly "$cmake" --install "$build" --prefix "$prefix"
for file in bin/taskrace bin/taskrace-c++ bin/taskrace-cc lib/taskrace/TaskracePass.so \
            lib/taskrace/libtaskrace_rt.so include/taskrace/tasks.hpp \
            include/taskrace/annotate.h; do
  [ -e "$prefix/$file" ] || fail "$file was not installed"
done

echo "an ordinary project, with single targets for detection"
quietly configure mixed "$source/examples" "-DCMAKE_CXX_COMPILER=$cxx"
quietly "$cmake" --build mixed -j1 --target sum_fixed sum_race sum_fixed_race
is_instrumented mixed/sum_fixed && fail "an ordinary target is instrumented"
is_instrumented mixed/sum_race || fail "taskrace_instrument did nothing"
readelf -dW mixed/sum_fixed | grep -q libtbb || fail "an ordinary target does not use oneTBB"
readelf -dW mixed/sum_race | grep -q libtbb && fail "a detection target uses oneTBB"
expect 0 "up to 10: 385" mixed/sum_fixed 10
expect 66 "sum.cpp" "$prefix/bin/taskrace" run mixed/sum_race 10
expect 0 "no races" "$prefix/bin/taskrace" run mixed/sum_fixed_race 10

echo "a whole project for detection"
quietly configure whole "$source/examples" "-DCMAKE_CXX_COMPILER=$prefix/bin/taskrace-c++"
quietly "$cmake" --build whole -j1 --target sum sum_fixed_race
expect 66 "sum.cpp" "$prefix/bin/taskrace" run whole/sum 10
expect 0 "no races" "$prefix/bin/taskrace" run whole/sum_fixed_race 10

echo "instrumented libraries, Makefiles, ccache"
launcher=
command -v ccache > log && launcher=ccache
quietly env CCACHE_DIR="$directory/ccache" "$cmake" -G "Unix Makefiles" \
  -S "$source/test/tasks/consumer" -B libraries \
  "-DTaskrace_DIR=$prefix/lib/cmake/Taskrace" "-DCMAKE_C_COMPILER=$cc" \
  "-DCMAKE_CXX_COMPILER=$cxx" "-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher"
quietly env CCACHE_DIR="$directory/ccache" "$cmake" --build libraries -j1
expect 0 "ones: 8" libraries/program
expect 0 "ones: 8" libraries/shared_program
expect 0 "no races" "$prefix/bin/taskrace" run libraries/program
expect 0 "no races" "$prefix/bin/taskrace" run libraries/shared_program

echo "the build tree instead of a prefix"
quietly "$cmake" -G Ninja -S "$source/examples" -B tree "-DCMAKE_PREFIX_PATH=$build" \
  "-DCMAKE_CXX_COMPILER=$cxx"
quietly "$cmake" --build tree -j1 --target fib_race
expect 0 "fib(10) = 55" "$build/bin/taskrace" run tree/fib_race 10

if command -v g++ > log; then
  echo "another compiler is refused"
  expect 1 "needs clang 19" configure refused "$source/examples" -DCMAKE_CXX_COMPILER=g++
fi
