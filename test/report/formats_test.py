#!/usr/bin/env python3
"""Saved reports, through the commands a user types: every JSON file is held against docs/report.schema.json, and every
other format against what its readers need."""

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "runtime"))
import jsonschema  # noqa: E402
from programs import RACE, TASKRACE, EndToEnd  # noqa: E402

SCHEMA = json.loads((ROOT / "docs" / "report.schema.json").read_text())

# A race in a loop, between siblings on the heap, with the creator on the stack, on a promise's value, under locks, and a
# free in parallel with a read.
MANY = """
#include <mutex>
#include <vector>
long total;
std::mutex guard;
int main() {
  taskrace::parallel_for(0, 10, [](int i) { total += i; });
  std::vector<int> v(4);
  taskrace::scope s;
  int local = 0;
  s.spawn([&] { v[0] = 1; });
  s.spawn([&] { v[0] = 2; std::lock_guard<std::mutex> hold(guard); local = 1; });
  local = 2;
  s.sync();
  int* block = new int(1);
  s.spawn([=] { printf("%d\\n", *block); });
  delete block;
  s.sync();
  taskrace::parallel_for(0, 3, [](int) { std::lock_guard<std::mutex> hold(guard); total = 1; });
}
"""
DEADLOCK = """
int main() {
  taskrace::promise<int> p;
  race();
  p.get_future().get();
}
"""
CLEAN = """
int main() { taskrace::scope s; s.spawn([] { }); s.sync(); }
"""


def report(*arguments, cwd=None):
    return subprocess.run([TASKRACE, "report", *arguments], capture_output=True, text=True, cwd=cwd)


class Formats(EndToEnd):
    @classmethod
    def setUpClass(cls):
        """One folder with the reports of all programs, which each test uses."""
        cls.all = EndToEnd()
        cls.all.setUp()
        cls.addClassCleanup(cls.all.doCleanups)
        cls.reports, cls.texts = {}, {}
        for name, source, options in [("many", MANY, ["--lock-order", "--stats"]), ("deadlock", RACE + DEADLOCK, []),
                                      ("clean", CLEAN, []), ("race", RACE + "int main() { race(); }", [])]:
            binary = cls.all.compile(source, "-g", name=name)
            file = cls.all.folder / f"{name}.json"
            run = subprocess.run([TASKRACE, "run", f"--json={file}", *options, binary], capture_output=True, text=True,
                                 cwd=cls.all.folder)
            cls.reports[name], cls.texts[name] = file, run.stderr

    def saved(self, name):
        return json.loads(self.reports[name].read_text())

    def read(self, *arguments, code=0):
        ran = report(*arguments, cwd=self.all.folder)
        self.assertEqual(ran.returncode, code, ran.stderr)
        return ran

    def test_json_is_valid(self):
        for name in self.reports:
            jsonschema.validate(self.saved(name), SCHEMA)
        self.assertGreaterEqual(len(self.saved("many")["races"]), 5)
        self.assertIsNotNone(self.saved("deadlock")["deadlock"])
        merged = json.loads(self.read(*self.reports.values(), "--format=json", code=66).stdout)
        jsonschema.validate(merged, SCHEMA)
        self.assertEqual(len(merged["runs"]), 4)
        self.assertEqual([run["complete"] for run in merged["runs"]], [True, False, True, True])

    def test_the_schema_refuses_what_the_program_does_not_write(self):
        for change in (lambda r: r.pop("races"), lambda r: r["races"][0].update(extra=1), lambda r: r.update(schema=2),
                       lambda r: r["races"][0]["accesses"].pop()):
            changed = self.saved("many")
            change(changed)
            with self.assertRaises(jsonschema.ValidationError):
                jsonschema.validate(changed, SCHEMA)

    def test_the_join_is_found_though_tables_were_collected_meanwhile(self):
        source = """
            int shared_value;
            int main() {
              taskrace::scope s;
              auto f = taskrace::make_future([] { return 1; });
              s.spawn([] { shared_value = 1; });
              shared_value = 2;
              for (int i = 0; i < 300000; ++i) { taskrace::scope t; t.spawn([] {}); t.sync(); }
              s.sync();  // the join
              return f.get() - 1;
            }"""
        binary = self.compile(source, "-g")
        line = 1 + (self.folder / "program.cpp").read_text().split("// the join")[0].count("\n")
        for engine in "multibags", "multibags+", "donesets", "promises":
            run = self.run_detected(binary, f"--engine={engine}")
            self.assertEqual(run.races[0]["joined_at"]["stack"][0]["line"], line, engine)
            self.assertIn(f"joined at program.cpp:{line}:", run.err)

    def test_the_fork_is_the_nearest_task_of_both(self):
        race = self.saved("race")["races"][0]
        self.assertEqual((race["fork"]["task"], race["fork"]["levels"]), (0, [1, 0]))
        self.assertEqual(race["fork"]["stack"], race["accesses"][0]["task_created_at"][0])
        self.assertRegex(race["why"], r"^task 1, created at race\.cpp:\d+:\d+, is not joined before the main task ")
        loop = [r for r in self.saved("many")["races"] if r["class"] == "race" and r["location"]["name"] == "total"][0]
        self.assertEqual(loop["fork"]["levels"], [1, 1])
        self.assertRegex(loop["why"], "^iteration 0 and iteration 1 of the loop at many.cpp:.* are not ordered")
        self.assertEqual(loop["joined_at"]["stack"][0]["line"], loop["fork"]["stack"][0]["line"])

    def test_a_saved_report_gives_the_text_of_the_run(self):
        for name, code in ("race", 66), ("deadlock", 66), ("clean", 0):
            self.assertEqual(self.read(self.reports[name], code=code).stdout, self.texts[name])

    def test_the_same_race_of_two_programs_runs_is_one(self):
        merged = self.read(self.reports["race"], self.reports["clean"], self.reports["race"], code=66).stdout
        self.assertIn("Seen 2 times in 2 of 3 runs: ", merged)
        self.assertIn("taskrace: 1 race (2 occurrences) in 2 of 3 runs\n", merged)

    def test_files_that_cannot_be_read_are_named_and_the_others_merged(self):
        whole = self.reports["race"].read_text()
        for name, text, why in (("cut.json", whole[:len(whole) // 2], "is truncated"),
                                ("foreign.json", "{}", "is not a report of taskrace"),
                                ("newer.json", whole.replace('"schema": 1', '"schema": 99'), "by a newer taskrace")):
            (self.folder / name).write_text(text)
            ran = self.read(self.folder / name, self.reports["race"], code=2)
            self.assertRegex(ran.stderr, f"^taskrace: error: .*{name} .*{why}.*\n$")
            self.assertIn("taskrace: race: ", ran.stdout)
        self.assertEqual(self.read(self.folder / "missing.json", code=2).stdout, "")

    def test_a_baseline_marks_hides_and_decides_the_exit_code(self):
        race, many = self.reports["race"], self.reports["many"]
        marked = self.read(race, f"--baseline={race}", code=66)
        self.assertIn("taskrace: known race: ", marked.stdout)
        self.read(race, f"--baseline={race}", "--fail-on=new")
        self.read(race, many, f"--baseline={race}", "--fail-on=new", code=66)
        self.read(race, "--fail-on=none")
        hidden = self.read(race, f"--baseline={race}", "--known=hide", "--fail-on=new").stdout
        self.assertNotIn("shared_value", hidden)
        self.assertIn("note: 1 race of the baseline is not shown", hidden)

    def test_mistakes_on_the_command_line_are_one_line(self):
        race = self.reports["race"]
        for arguments, part in (([], "no report to read"), ([race, "--format=pdf"], "unknown value 'pdf'"),
                                ([race, "--formt=text"], "did you mean format?"), ([race, "-x"], "unknown option '-x'"),
                                ([race, "--fail-on=new"], "--baseline=FILE"), ([race, "-o"], "has no value"),
                                ([race, "-o", "/nowhere/x"], "cannot write /nowhere/x")):
            ran = self.read(*arguments, code=2)
            self.assertRegex(ran.stderr, "^taskrace: error: .*\n$")
            self.assertIn(part, ran.stderr)

    def test_gcc_lines_name_every_place(self):
        lines = self.read(self.reports["many"], "--format=gcc", code=66).stdout.splitlines()
        for line in lines:
            self.assertRegex(line, r"^(\S+:\d+(:\d+)?|taskrace): (warning|note|error): ")
        warnings = [line for line in lines if ": warning: race" in line]
        self.assertEqual(len(warnings), sum(r["class"] == "race" for r in self.saved("many")["races"]))
        self.assertTrue(any(re.match(r"many\.cpp:\d+:\d+: warning: race: write-write on 'total'", w) for w in warnings))

    def test_github_annotations_are_one_line_each(self):
        lines = self.read(self.reports["many"], "--format=github", code=66).stdout.splitlines()
        for line in lines:
            self.assertRegex(line, r"^::(error|warning|notice) (file=[^:,]+,line=\d+,col=\d+,)?title=[^:,]*::.+$")
        self.assertEqual(sum(line.startswith("::error file=many.cpp,line=") for line in lines),
                         len(self.saved("many")["races"]))

    def test_a_run_writes_html_and_sarif_too(self):
        binary = self.all.folder / "race"
        html, sarif = self.folder / "r.html", self.folder / "r.sarif"
        subprocess.run([TASKRACE, "run", f"--html={html}", f"--sarif={sarif}", binary], capture_output=True)
        self.assertIn("shared_value", html.read_text())
        self.assertEqual(len(json.loads(sarif.read_text())["runs"][0]["results"]), 1)
        html.unlink(), sarif.unlink()
        clean = self.all.folder / "clean"
        subprocess.run([clean], env={**os.environ, "TASKRACE_OPTIONS": f"html='{html}':sarif='{sarif}'"}, check=True)
        self.assertIn("no races", html.read_text())
        self.assertEqual(json.loads(sarif.read_text())["runs"][0]["results"], [])

    # What SARIF 2.1.0 demands of the parts that we write, by the sections of its text (OASIS, 3.x).

    def check_message(self, message):
        self.assertIsInstance(message["text"], str)
        self.assertTrue(message["text"])

    def check_location(self, location, bases):
        self.assertLessEqual(set(location), {"id", "physicalLocation", "logicalLocations", "message"})
        if "message" in location:
            self.check_message(location["message"])
        for logical in location.get("logicalLocations", []):
            self.assertIsInstance(logical["fullyQualifiedName"], str)
        if "physicalLocation" not in location:
            return
        physical = location["physicalLocation"]
        self.assertLessEqual(set(physical), {"artifactLocation", "region"})
        artifact = physical["artifactLocation"]
        self.assertRegex(artifact["uri"], r"^(file://)?[A-Za-z0-9._~/+%-]+$")
        if "uriBaseId" in artifact:  # 3.4.4: then the URI is relative
            self.assertIn(artifact["uriBaseId"], bases)
            self.assertFalse(artifact["uri"].startswith(("/", "file:")))
        else:
            self.assertTrue(artifact["uri"].startswith("file:///"))
        for key, value in physical.get("region", {}).items():
            self.assertIn(key, ("startLine", "startColumn"))
            self.assertGreaterEqual(value, 1)

    def check(self, sarif):
        self.assertEqual(sarif["version"], "2.1.0")
        self.assertIn("sarif-2.1.0", sarif["$schema"])
        for run in sarif["runs"]:
            driver = run["tool"]["driver"]
            self.assertTrue(driver["name"])
            rules = driver["rules"]
            self.assertEqual(len({rule["id"] for rule in rules}), len(rules))
            for rule in rules:
                for key in "shortDescription", "fullDescription", "help":
                    self.check_message(rule[key])
                self.assertIn(rule["defaultConfiguration"]["level"], ("none", "note", "warning", "error"))
            self.assertIn(run["columnKind"], ("utf16CodeUnits", "unicodeCodePoints"))
            for base in run["originalUriBaseIds"].values():  # 3.14.14: absolute, with a slash at the end
                self.assertRegex(base["uri"], "^file:///.*/$")
            for invocation in run["invocations"]:
                self.assertIsInstance(invocation["executionSuccessful"], bool)
                for notification in invocation.get("toolExecutionNotifications", []):
                    self.check_message(notification["message"])
            for result in run["results"]:
                self.check_result(result, rules, run["originalUriBaseIds"])

    def check_result(self, result, rules, bases):
        self.check_message(result["message"])
        self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
        self.assertIn(result["level"], ("none", "note", "warning", "error"))
        self.assertGreaterEqual(result.get("occurrenceCount", 1), 1)
        for location in result["locations"]:
            self.check_location(location, bases)
        related = result.get("relatedLocations", [])
        ids = [location["id"] for location in related]
        self.assertEqual(len(ids), len(set(ids)))
        for location in related:
            self.check_location(location, bases)
        for flow in result.get("codeFlows", []):
            self.assertEqual(len(flow["threadFlows"]), 2)
            for thread in flow["threadFlows"]:
                self.assertGreaterEqual(len(thread["locations"]), 1)
                for step in thread["locations"]:
                    self.check_location(step["location"], bases)
        if "baselineState" in result:
            self.assertIn(result["baselineState"], ("new", "unchanged", "updated", "absent"))
        for value in result.get("partialFingerprints", {}).values():
            self.assertIsInstance(value, str)

    def sarif(self, *arguments):
        return json.loads(self.read(*arguments, "--format=sarif", code=66).stdout)

    def test_results_have_what_the_standard_demands(self):
        for name in "many", "deadlock", "race":
            self.check(self.sarif(self.reports[name]))
        merged = self.sarif(*self.reports.values())
        self.check(merged)
        self.assertEqual(len(merged["runs"][0]["invocations"]), 4)

    def test_both_lines_and_the_creations_are_in_the_result(self):
        race = self.saved("race")["races"][0]
        result = self.sarif(self.reports["race"])["runs"][0]["results"][0]
        line = lambda location: location["physicalLocation"]["region"]["startLine"]  # noqa: E731
        earlier, later = race["accesses"]
        self.assertEqual(line(result["locations"][0]), later["stack"][0]["line"])
        self.assertEqual(line(result["relatedLocations"][0]), earlier["stack"][0]["line"])
        flow = result["codeFlows"][0]["threadFlows"][0]["locations"]
        self.assertEqual(line(flow[0]["location"]), earlier["task_created_at"][0][0]["line"])
        self.assertEqual(line(flow[-1]["location"]), earlier["stack"][0]["line"])

    def test_a_baseline_gives_every_result_a_state(self):
        race, many = self.reports["race"], self.reports["many"]
        results = self.sarif(race, many, f"--baseline={race}")["runs"][0]["results"]
        self.assertEqual([r["baselineState"] for r in results], ["unchanged"] + ["new"] * (len(results) - 1))

    def test_fingerprints_survive_moved_lines(self):
        moved = self.compile("\n\n\n" + RACE + "int main() { race(); }", "-g", name="race")
        run = self.run_detected(moved)
        self.assertNotEqual(run.races[0]["accesses"][0]["stack"][0]["line"],
                            self.saved("race")["races"][0]["accesses"][0]["stack"][0]["line"])
        prints = [self.sarif(file)["runs"][0]["results"][0]["partialFingerprints"]
                  for file in (self.reports["race"], self.folder / "report.json")]
        self.assertEqual(*prints)


if __name__ == "__main__":
    unittest.main()
