#!/usr/bin/env bash
# test/run.sh BUILD JOBS: runs all tests. If they have all passed before and nothing has changed since, it
# prints the result of that run. A change is a newer or removed file of the project, or another version of
# a package or compiler of the system.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 jobs=$2 passed=$1/tests-passed

files() { git ls-files --cached --others --exclude-standard 2>/dev/null || find . -type f -not -path './build*'; }
# A removed file makes find fail, and so counts as a change.
unchanged() {
  local newer
  newer=$(files | xargs -d '\n' sh -c 'find "$@" -maxdepth 0 -newer "$0"' "$passed" 2>/dev/null) && [[ -z $newer ]]
}
# The versions of all packages, and the compilers, which need not come from a package.
toolchain() {
  {
    dpkg-query -W 2>/dev/null || true
    sed -n 's/^CMAKE_C\(XX\)\?_COMPILER:[^=]*=//p' "$build/CMakeCache.txt" 2>/dev/null |
      xargs -r -d '\n' stat -Lc '%n %s %Z' 2>/dev/null || true
  } | sha256sum | cut -d ' ' -f 1
}
toolchain=$(toolchain)
if [[ -f $passed && -z ${TASKRACE_LONG:-} && $(head -n 1 "$passed") == "$toolchain" ]] && unchanged; then
  tail -n +2 "$passed"
  echo "(nothing has changed since; remove $passed to run them again)"
  exit 0
fi
rm -f "$passed"
ctest --test-dir "$build" --output-on-failure -j "$jobs" ${TASKRACE_LONG:+--timeout 36000} | tee "$build/test.log"
{ echo "$toolchain"; grep -E 'tests passed|Total Test time' "$build/test.log"; } > "$passed.new"
mv "$passed.new" "$passed"
