#!/bin/sh
# The compiler wrapper with the real pass and runtime, used as build systems use compilers.
# Usage: wrapper_test.sh TASKRACE_BIN_DIRECTORY
set -eu
bin=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "FAILED: $*"
  exit 1
}
# Runs a command that must succeed and print nothing.
quiet() {
  "$@" >output 2>&1 || { cat output; fail "$*"; }
  test ! -s output || { cat output; fail "not silent: $*"; }
}
# Runs a program under detection; it must exit with the second argument.
detect() {
  "$bin/taskrace" run "$1" >output 2>&1 && code=0 || code=$?
  test "$code" -eq "$2" || { cat output; fail "$1 exits with $code, not $2"; }
}

cat >racy.cpp <<'SOURCE'
#include <taskrace/tasks.hpp>
#include <string>
extern "C" int twice(int);
long total;
int main() {
  std::string text = "x";
  taskrace::scope s;
  for (int i = 0; i < 3; ++i) s.spawn([&] { total += twice(1); });
  s.sync();
  return total == 6 ? 0 : 1;
}
SOURCE
cat >twice.c <<'SOURCE'
int twice(int x) { return 2 * x; }
SOURCE
cxx="$bin/taskrace-c++ -std=c++20 -Werror"
cc="$bin/taskrace-cc -Werror"

quiet $cc -fPIC -c twice.c
for flags in -O0 -O2 "-O1 -g0" "-O2 -flto=thin" "-O2 -flto" "-O1 -fsanitize=address,undefined" \
             -no-pie -std=c++23; do
  quiet $cxx $flags racy.cpp twice.o -o racy
  detect ./racy 66
done

quiet $cxx -c racy.cpp
quiet $cxx racy.o twice.o -o racy -pthread
detect ./racy 66
grep -q "racy.cpp:8:" output || fail "the report does not name the line"

ar cr libtwice.a twice.o
quiet $cxx racy.o -L. -ltwice -o racy
detect ./racy 66
rm libtwice.a
quiet $cc -shared twice.o -o libtwice.so
quiet $cxx racy.o -L. -ltwice -Wl,-rpath,"$work" -o racy
detect ./racy 66

quiet $cxx twice.o -x c++ - -o piped <racy.cpp
detect ./piped 66

quiet $cxx -x c++-header racy.cpp -o racy.pch
echo '#include <vector>' >header.hpp
quiet $cxx header.hpp -o header.hpp.pch
quiet $cxx -include-pch header.hpp.pch -c racy.cpp
echo "racy.cpp twice.o -o 'with space'" >response
quiet $cxx @response
detect "./with space" 66

printf 'fun:*\n' >ignore
quiet $cxx -ftaskrace-ignorelist=ignore racy.cpp twice.o -o ignored
detect ./ignored 0

printf '.text\n' >empty.s
quiet $cc -c empty.s
for question in --version -v -dumpmachine -print-search-dirs; do
  "$bin/taskrace-c++" $question >/dev/null 2>&1 || fail "$question"
done
$cxx -E racy.cpp | grep -q main || fail "-E"
$cxx -MM racy.cpp | grep -q racy.o || fail "-MM"

clang-19 --version >/dev/null 2>&1 && clang-19 -c twice.c -o plain.o && {
  quiet $cxx racy.cpp plain.o -o mixed
  detect ./mixed 66
  # Long warnings go on in the next line.
  tr -s '\n ' ' ' <output | grep -q "parts of mixed were not compiled with taskrace.*twice.c" ||
    fail "blind spot not named"
}
"$bin/taskrace" doctor >output 2>&1 || { cat output; fail "doctor"; }
echo "the wrapper passes"
