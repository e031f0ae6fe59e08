#!/bin/sh
# The plain build leaves nothing behind: fib over a scope and fib over calls become the same
# instructions.
# usage: elided_is_free_test.sh COMPILER INCLUDE_DIRECTORY
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

cat > "$directory/scope.cc" <<'SOURCE'
#include <taskrace/tasks.hpp>
long fib(int n) {
  if (n < 2) return n;
  long left, right;
  taskrace::scope tasks;
  tasks.spawn([&left, n] { left = fib(n - 1); });
  right = fib(n - 2);
  tasks.sync();
  return left + right;
}
SOURCE
cat > "$directory/calls.cc" <<'SOURCE'
long fib(int n) {
  if (n < 2) return n;
  long left, right;
  left = fib(n - 1);
  right = fib(n - 2);
  return left + right;
}
SOURCE
for source in scope calls; do
  "$1" -std=c++20 -O3 -DTASKRACE_SERIAL -I"$2" -S "$directory/$source.cc" -o - |
    grep -v '^[[:space:]]*\.' > "$directory/$source.s"
done
grep -q fib "$directory/calls.s"
diff "$directory/calls.s" "$directory/scope.s"
