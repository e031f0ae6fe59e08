#!/bin/sh
# The runtime learns from the hooks that an object calls which constructs a program can use: a
# program must not call those of constructs that it does not use.
# usage: hooks_called_test.sh COMPILER INCLUDE_DIRECTORY
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

# expect "HOOK..." STATEMENTS: among the hooks that create something, the program calls these.
expect() {
  printf '#include <optional>\n#include <taskrace/tasks.hpp>\nint main() { %s }\n' "$2" \
    > "$directory/program.cc"
  "$compiler" -std=c++20 -O0 -D__TASKRACE__=1 -I"$include" -c "$directory/program.cc" \
    -o "$directory/program.o"
  called=$(nm -u "$directory/program.o" | sed -n 's/.* __taskrace_//p' |
    grep -xE 'scope_begin|nest_begin|loop|async|finish_begin|make_future|fork|stage|promise_begin' | sort |
    tr '\n' ' ')
  [ "$called" = "${1:+$1 }" ] || {
    echo "FAILED: «$2» calls: $called, and not: $1" >&2
    exit 1
  }
}
compiler=$1 include=$2

expect "" ""
expect "scope_begin" "taskrace::scope s; s.spawn([] {});"
expect "loop" "taskrace::parallel_for(0, 3, [](int) {});"
expect "loop nest_begin" "taskrace::parallel_for(0, 3, 2, [](int) {}); taskrace::parallel_invoke([] {}, [] {});"
expect "finish_begin" "taskrace::finish([] {});"
expect "async" "taskrace::async([] {});"
expect "make_future" "taskrace::make_future([] { return 1; }).share().get();"
expect "promise_begin" "taskrace::promise<int> p; p.set_value(1); p.get_future().get();"
expect "fork" "taskrace::fork([] {}).join();"
expect "stage" "taskrace::pipeline([n = 9]() mutable { return n-- ? std::optional<int>(n) : std::nullopt; },
                                  taskrace::serial([](int) {}));"
