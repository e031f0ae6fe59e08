#!/usr/bin/env python3
"""Includes go one way: every file includes only from its own layer and from the layers it may see."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# A folder sees itself and whatever stands behind it. (include/ is seen by all.)
MAY_SEE = {
    "detect/ds": [],
    "detect/reach": ["detect/ds"],
    "report": ["detect/reach/ids.h"],
    "detect/history": ["detect/ds", "detect/reach", "report/race.h"],
    "detect": ["detect/ds", "detect/reach", "detect/history", "report/race.h"],
    "exec": ["detect", "report/race.h"],
    "runtime": ["exec", "detect", "report/race.h", "report/log_format.h", "report/options.def"],
    "frontend": ["exec", "detect/ds"],
    "compiler": [],
    "driver": ["report"],
    "include/taskrace": [],
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def layer_of(path):
    """The most specific folder of MAY_SEE that the path is in, or None."""
    folders = [f for f in MAY_SEE if path == f or path.startswith(f + "/")]
    return max(folders, key=len, default=None)


def violations():
    for file in sorted(ROOT.rglob("*")):
        name = file.relative_to(ROOT).as_posix()
        layer = layer_of(name)
        if layer is None or file.suffix not in {".h", ".hpp", ".cc", ".c", ".def"}:
            continue
        for included in INCLUDE.findall(file.read_text()):
            if included.startswith("taskrace/") or layer_of(included) == layer:
                continue
            if not any(included == seen or included.startswith(seen + "/") for seen in MAY_SEE[layer]):
                yield f"{name} includes {included}: {layer} must not see it"


def main():
    found = list(violations())
    print("\n".join(found) or "every include goes the right way")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
