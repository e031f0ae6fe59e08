#!/usr/bin/env python3
"""The HTML report in a browser: Debian's chromium, without a window. A script is added to the page that uses it as a
person would, and writes what it found into the page."""

import copy
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "runtime"))
from programs import RACE, TASKRACE, EndToEnd  # noqa: E402

# Everything that has ended a string, an element or a comment somewhere.
HOSTILE = ["</script><script>window.broken=1</script>", "<img src=x onerror=window.broken=1>", "<!--<script>", "\"'`${1}",
           "javascript:window.broken=1", "]]>", "\u2028\u2029\u202e", "__proto__", "a\tb\\u003c", "@DATA@@STYLE@@SCRIPT@"]
WATCH = """<script>window.problems = [];
addEventListener("error", (event) => problems.push(event.message));
console.error = (...words) => problems.push(words.join(" "));</script>"""
DRIVE = """<script>
const results = {};
const rows = () => document.querySelectorAll("article");
const set = (id, value, type) => { byId(id).value = value; byId(id).dispatchEvent(new Event(type)); };
const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
try { %s } catch (error) { problems.push(String(error)); }
addEventListener("load", () => setTimeout(() => {
  results.problems = problems;
  results.broken = "broken" in window;
  const out = document.createElement("script");
  out.type = "application/json"; out.id = "results";
  out.textContent = JSON.stringify(results).replace(/</g, "\\\\u003c");
  document.body.append(out);
}, 0));
</script>"""


class Html(EndToEnd):
    @classmethod
    def setUpClass(cls):
        cls.chromium = shutil.which("chromium")
        assert cls.chromium, "chromium is missing: make deps installs it"
        cls.all = EndToEnd()
        cls.all.setUp()
        cls.addClassCleanup(cls.all.doCleanups)
        binary = cls.all.compile(RACE + "int main() { race(); }", "-g")
        cls.saved = cls.all.run_detected(binary).report

    def page(self, report, hash="", script=""):
        """The page of the report after the script has used it: what the script found, and the final DOM."""
        saved, html = self.folder / "saved.json", self.folder / "page.html"
        saved.write_text(json.dumps(report))
        subprocess.run([TASKRACE, "report", saved, "--format=html", "--fail-on=none", "-o", html], check=True,
                       cwd=self.all.folder)
        text = html.read_text()
        text = text.replace("<style>", WATCH + "<style>", 1).replace("</body>", DRIVE % script + "</body>", 1)
        html.write_text(text)
        ran = subprocess.run(
            [self.chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom", "--virtual-time-budget=20000",
             f"--user-data-dir={self.folder}/profile", "--window-size=400,800", f"file://{html}{hash}"],
            capture_output=True, text=True, timeout=120)
        found = re.search(r'<script type="application/json" id="results">(.*?)</script>', ran.stdout, re.DOTALL)
        self.assertIsNotNone(found, ran.stderr[-2000:])
        results = json.loads(found[1])
        self.assertEqual(results["problems"], [])
        self.assertFalse(results["broken"])
        return results, ran.stdout

    def many(self, count):
        """A report with many races in some files and directories."""
        report = copy.deepcopy(self.saved)
        report["races"] = []
        for i in range(count):
            race = copy.deepcopy(self.saved["races"][0])
            race["count"] = i + 1
            race["location"]["name"] = f"variable_{i}"
            race["kind"] = "write-read" if i % 3 == 0 else "write-write"
            for access in race["accesses"]:
                access["stack"][0].update(file=f"part{i % 5}/file{i % 20}.cpp", line=i + 1)
            report["races"].append(race)
        return report

    def test_a_race_unfolds_and_shows_both_lines_stacks_and_the_picture(self):
        results, dom = self.page(self.saved, script="""
            results.rows = rows().length;
            rows()[0].firstElementChild.click();
            results.marked = [...document.querySelectorAll(".here mark")].map((mark) => mark.textContent);
            results.boxes = document.querySelectorAll(".picture rect").length;
            results.frames = document.querySelectorAll(".one ol.stack li").length;
            results.hash = location.hash;
            results.overflow = document.documentElement.scrollWidth > document.documentElement.clientWidth;
            rows()[0].firstElementChild.click();
            results.folded = rows()[0].lastElementChild.hidden;""")
        self.assertEqual(results["rows"], 1)
        self.assertEqual(results["marked"], ["=", "="])
        self.assertGreaterEqual(results["boxes"], 4, "fork, creation, and two accesses")
        self.assertGreaterEqual(results["frames"], 1)
        self.assertEqual(results["hash"], "#race-1")
        self.assertTrue(results["folded"])
        self.assertFalse(results["overflow"], "it is wider than 400 pixels")
        self.assertIn("shared_value = 1;", dom)

    def test_search_filters_and_sorting_work_on_many_races(self):
        results, _ = self.page(self.many(1000), script="""
            results.first = rows().length;
            byId("more").click();
            results.more = rows().length;
            set("sort", "count", "change");
            results.largest = rows()[0].textContent;
            set("search", "VARIABLE_77", "input");
            results.found = rows().length;
            set("search", "", "input");
            set("directory", "part3", "change");
            results.directory = byId("shown").textContent;
            set("file", "part3/file8.cpp", "change");
            results.file = byId("shown").textContent;
            set("kind", "write-read", "change");
            results.kind = byId("shown").textContent;
            set("search", "no such race", "input");
            results.none = rows().length;""")
        self.assertEqual((results["first"], results["more"]), (100, 200))
        self.assertIn("variable_999", results["largest"])
        self.assertEqual(results["found"], 11)
        self.assertEqual(results["directory"], "200 of 1,000 races")
        self.assertEqual(results["file"], "50 of 1,000 races")
        self.assertEqual(results["kind"], "16 of 1,000 races")
        self.assertEqual(results["none"], 0)

    def test_a_link_opens_its_race_and_keys_move(self):
        results, _ = self.page(self.many(300), hash="#race-250", script="""
            results.open = document.querySelectorAll("[aria-expanded=true]").length;
            results.focused = document.activeElement.parentElement.id;
            press("j");
            results.next = document.activeElement.parentElement.id;
            press("k"); press("k");
            results.previous = document.activeElement.parentElement.id;
            press("/");
            results.search = document.activeElement.id;
            location.hash = "run"; showPage();
            results.run = byId("run-page").textContent;
            results.hidden = byId("races-page").hidden;""")
        self.assertEqual(results["open"], 1)
        self.assertEqual((results["focused"], results["next"], results["previous"], results["search"]),
                         ("race-250", "race-251", "race-249", "search"))
        self.assertTrue(results["hidden"])
        self.assertIn("Counters", results["run"])

    def test_names_from_the_program_are_only_text(self):
        report = copy.deepcopy(self.saved)
        base = report["races"][0]
        report["races"] = []
        for text in HOSTILE:
            race = copy.deepcopy(base)
            race["location"].update(name=text, file=text, function=text, member=text)
            race["also_on"] = [text]
            for access in race["accesses"]:
                for frame in access["stack"] + [frame for stack in access["task_created_at"] for frame in stack]:
                    frame.update(function=text, file="/" + text, part=text)
                access["stack"][0]["line"] = 2
            report["races"].append(race)
            report["sources"].append({"file": "/" + text, "lines": {"1": text, "2": text, "3": text}})
            report["messages"].append({"severity": "warning", "text": text,
                                       "stacks": [{"label": text, "stack": base["accesses"][0]["stack"]}]})
            report["suppressions"].append({"rule": text, "line": 1, "races": 0, "occurrences": 0, "frames": 0})
            report["stats"][text] = 1
        report["program"] = report["summary"] = HOSTILE[0]
        report["notes"] = HOSTILE
        results, _ = self.page(report, script="""
            for (const row of [...rows()]) row.firstElementChild.click();
            set("search", "window", "input");
            set("search", "", "input");
            for (const row of [...rows()]) row.firstElementChild.click();
            results.rows = rows().length;
            results.names = [...document.querySelectorAll(".headline")].map((line) => line.textContent);
            results.images = document.querySelectorAll("img").length;
            location.hash = "run"; showPage();
            for (const fold of document.querySelectorAll("details")) fold.open = true;
            results.scripts = document.scripts.length;
            results.images += document.querySelectorAll("img").length;""")
        self.assertEqual(results["rows"], len(HOSTILE))
        self.assertIn("window.broken=1</script>", results["names"][0])
        self.assertEqual(results["images"], 0)
        self.assertEqual(results["scripts"], 4, "the data, the page's script, and two of this test")

    def test_a_report_without_races_shows_the_run(self):
        report = {**copy.deepcopy(self.saved), "races": [], "summary": "no races in 1 run"}
        results, _ = self.page(report, script="""results.run = !byId("run-page").hidden;
            results.summary = byId("summary").textContent;""")
        self.assertTrue(results["run"])
        self.assertEqual(results["summary"], "no races in 1 run")


if __name__ == "__main__":
    unittest.main()
