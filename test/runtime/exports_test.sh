#!/usr/bin/env bash
# exports_test.sh LIBRARY EXPORTS_MAP: the runtime shows nothing but its ABI and what it interposes, and
# needs nothing but libc: see runtime/exports.map.
set -euo pipefail
library=$1 map=$2

allowed=$(sed 's@/\*.*@@; /^ *libstdc/d' "$map" | tr ';{}' '\n\n\n' | sed 's/^ *//; s/ *$//' |
          grep -vE '^(global:|local:.*|\*|)$' | sed 's/^global: *//')
unexpected=0
while read -r symbol; do
  matched=no
  while read -r pattern; do
    # shellcheck disable=SC2053
    [[ $symbol == $pattern ]] && matched=yes && break
  done <<<"$allowed"
  [[ $matched == yes ]] || { echo "exported, but not in exports.map: $symbol"; unexpected=1; }
done < <(nm -D --defined-only "$library" | awk '{print $3}' | sed 's/@.*//')

needed=$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libc|libm|libdl|libgcc_s|ld-linux.*)\.so' || true)
[[ -z $needed ]] || { echo "needs $needed"; unexpected=1; }
count=$(nm -D --defined-only "$library" | grep -c __taskrace_)
[[ $count -gt 30 ]] || { echo "only $count symbols of the ABI are exported"; unexpected=1; }
exit $unexpected
