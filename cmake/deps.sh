#!/usr/bin/env bash
# Installs what the build and the tests need, from Debian's packages. Quiet when all is there.
set -euo pipefail

packages=(
  clang-19 llvm-19 llvm-19-dev llvm-19-tools lld-19 libclang-rt-19-dev clang-format-19 clang-tidy-19
  cmake ninja-build g++ libc6-dev python3 python3-jsonschema chromium openmpi-bin
  libtbb-dev libboost-context-dev libcli11-dev nlohmann-json3-dev libfmt-dev
  libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev ccache zlib1g-dev
  libjemalloc-dev libgoogle-perftools-dev
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [[ $status == "install ok installed" ]] || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null || {
    echo "make deps: these packages are missing, and there is no sudo: ${missing[*]}" >&2
    exit 1
  }
  as_root=(sudo)
fi
echo "make deps: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${as_root[@]}" apt-get update -qq &&
       DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends \
         "${missing[@]}"; } >"$log" 2>&1; then
  cat "$log" >&2
  echo "make deps: the packages above could not be installed" >&2
  exit 1
fi
