#!/bin/sh
# The headers with another compiler: no warning of names that shadow others, and C++14 is one sentence.
# usage: headers_test.sh COMPILER INCLUDE_DIRECTORY
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cat > "$directory/program.cc" <<'SOURCE'
#include <taskrace/annotate.h>
#include <taskrace/tasks.hpp>
int main() {
  taskrace::parallel_for(0, 4, [](int) {});
  taskrace::make_future([] { return 1; }).get();
}
SOURCE

"$1" -std=c++17 -I"$2" -Wall -Wextra -Wshadow -Werror -fsyntax-only "$directory/program.cc"
if "$1" -std=c++14 -I"$2" -fsyntax-only "$directory/program.cc" 2> "$directory/errors"; then
  echo "C++14 is accepted"
  exit 1
fi
grep -q 'taskrace needs C++17: compile with -std=c++17 or later' "$directory/errors"
if [ "$(grep -c 'error:' "$directory/errors")" -gt 4 ]; then
  cat "$directory/errors"
  echo "C++14 ends in more than a sentence"
  exit 1
fi
