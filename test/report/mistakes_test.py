#!/usr/bin/env python3
"""The kinds of mistakes: mistakes.cpp says at each race which kind the report must name; docs/mistakes.md has a section for
each."""

import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "runtime"))
from programs import TASKRACE, EndToEnd  # noqa: E402

SOURCE = ROOT / "test" / "report" / "mistakes.cpp"
KINDS = json.loads((ROOT / "docs" / "report.schema.json").read_text())["definitions"]["race"]["properties"]["mistake"][
    "oneOf"][1]["properties"]["kind"]["enum"]


class Mistakes(EndToEnd):
    maxDiff = None

    def test_every_kind_is_named_where_it_is_and_nowhere_else(self):
        expected = {number: re.search(r"// kind: ([\w-]+)", line)[1]
                    for number, line in enumerate(SOURCE.read_text().split("\n"), 1) if "// kind: " in line}
        for kind in KINDS:
            self.assertGreaterEqual(list(expected.values()).count(kind), 4, kind)
        self.assertGreaterEqual(list(expected.values()).count("none"), 10)
        for level in "-O0", "-O1":
            binary, output = self.folder / "mistakes", self.folder / "report.json"
            subprocess.run([TASKRACE, "c++", "-std=c++20", level, SOURCE, "-o", binary], check=True)
            subprocess.run([TASKRACE, "run", "--max-races=0", f"--json={output}", binary], capture_output=True)
            found = {}
            for race in json.loads(output.read_text())["races"]:
                own = [f for f in race["accesses"][1]["stack"] if f["file"].endswith("mistakes.cpp")]
                kind = race["mistake"]["kind"] if race["mistake"] else "none"
                found.setdefault(own[0]["line"], set()).add(kind)
            wrong = {line: (kinds, expected.get(line)) for line, kinds in found.items()
                     if kinds != {expected.get(line)}}
            missing = {line: kind for line, kind in expected.items() if line not in found}
            self.assertEqual((wrong, missing), ({}, {}), level)

    def test_every_kind_has_its_section(self):
        page = (ROOT / "docs" / "mistakes.md").read_text()
        self.assertEqual(re.findall(r"^## ([\w-]+)$", page, re.MULTILINE), KINDS)


if __name__ == "__main__":
    unittest.main()
