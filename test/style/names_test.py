#!/usr/bin/env python3
"""Documents and comments name only what exists: files, options, identifiers, make targets, sections.

Documents: all .md files but CHANGELOG.md, which tells history. In them, text in backticks outside of code
blocks, and links. Comments: the names of files.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = {".h", ".hpp", ".cc", ".cpp", ".c"}
FILE = r"[\w+./-]*\w\.(?:h|hpp|cc|cpp|c|py|sh|md|cmake|def|json|map)"
# Of other tools and of the benchmark programs; names of the system and of LLVM, and of style; examples.
FOREIGN_OPTIONS = {"--help", "--merge", "--version", "--preset", "--prefix", "--target", "--build", "--test-dir",
                   "--output-on-failure", "--install", "--tool", "--time"}
FOREIGN_NAMES = {"exit_group", "VectorizerStart", "OptimizerLast", "snake_case", "member_", "tsan_2"}
EXAMPLES = {"a.cpp", "x.cpp", "src/cache.cc", "cache.cc"}


def tracked():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:  # an archive of the sources
        return [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*")
                if path.is_file() and not path.relative_to(ROOT).as_posix().startswith(("build", "."))]
    return [name for name in listed.stdout.split("\n") if name and (ROOT / name).is_file()]


class Names:
    def __init__(self, names):
        self.files = set(names)
        self.folders = {str(parent) for name in names for parent in pathlib.PurePosixPath(name).parents}
        self.texts = {name: (ROOT / name).read_text(errors="replace") for name in names
                      if not name.endswith(".md")}
        self.words = set(FOREIGN_NAMES)
        for name, text in self.texts.items():
            if name != "test/style/names_test.py":
                self.words.update(re.findall(r"\w+", text))
        self.words.update(word for name in names for word in re.split(r"[/.]", name))
        options = re.findall(r"TASKRACE_(?:CHOICE|NUMBER|TEXT)\((\w+)", self.texts["report/options.def"])
        for table in "driver/bench_options.cc", "driver/report_options.cc":
            options += re.findall(r'^      {"(\w+)",', self.texts[table], re.MULTILINE)
        self.options = {option.replace("_", "-") for option in options}
        self.targets = {target for line in re.findall(r"^([\w -]+):", self.texts["Makefile"], re.MULTILINE)
                        for target in line.split()}

    def has_file(self, name, near=""):
        name = name.rstrip("/")
        near = (pathlib.PurePosixPath(near).parent / name).as_posix()
        known = self.files | self.folders
        return (name in known or near in known or name in EXAMPLES or
                any(file.endswith("/" + name) for file in known))

    def has_option(self, option):
        return option in FOREIGN_OPTIONS or option[2:].replace("_", "-") in self.options


def slug(heading):
    return re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).strip().replace(" ", "-")


def headings(text):
    return {slug(line.lstrip("#").strip()) for line in text.split("\n") if line.startswith("#")}


def without_code_blocks(text):
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            inside = not inside
        elif not inside:
            yield number, line


# What is wrong with a text in backticks.
def span_complaints(names, span, document):
    for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", span):
        if not names.has_option(option):
            yield f"no option {option}"
    for word in re.findall(r"\bTASKRACE_\w+|\b__taskrace_\w+|-ftaskrace-[\w-]+", span):
        word = word.rstrip("_")
        if word.startswith("-f") and not any(word in text for text in names.texts.values()):
            yield f"no option {word}"
        if not word.startswith("-f") and not any(known.startswith(word) for known in names.words):
            yield f"no name {word}"
    if target := re.fullmatch(r"make ([\w-]+)(?: \w+=\S*)?", span):
        if target[1] not in names.targets:
            yield f"no make target {target[1]}"
    if re.fullmatch(FILE, span) and not span.startswith("/"):
        if not names.has_file(span, document):
            yield f"no file {span}"
    elif re.fullmatch(r"[A-Za-z_]\w*(?:(?:::|\.|->)~?[A-Za-z_]\w*)*(?:<[\w, ]*>)?(?:\(\))?", span):
        # A name of the code: it has a capital letter inside, or an underscore.
        for word in re.findall(r"[A-Za-z_]\w+", span):
            is_code = "_" in word or re.search(r"[a-z][A-Z]", word)
            if is_code and not span.startswith("std::") and word not in names.words:
                yield f"no name {word}"


def document_complaints(names, document):
    text = (ROOT / document).read_text()
    for number, line in without_code_blocks(text):
        for span in re.findall(r"`([^`]+)`", line):
            for complaint in span_complaints(names, span, document):
                yield f"{document}:{number}: {complaint}"
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            if "://" in target:
                continue
            path, _, anchor = target.partition("#")
            file = (ROOT / document).parent / path if path else ROOT / document
            if not file.exists():
                yield f"{document}:{number}: no file {path}"
            elif anchor and slug(anchor) not in headings(file.read_text()):
                yield f"{document}:{number}: no section {target}"


# Files that comments name, but for <headers> of the system.
def comment_complaints(names, source):
    for number, line in enumerate(names.texts[source].split("\n"), 1):
        comment = re.search(r"(?:^\s*|\s)//(?!/)(.*)", line)
        if comment is None or "RUN:" in line or "CHECK" in line:
            continue
        for name in re.findall(rf"(?<![\w<\"/.*-])({FILE})(?![\w>])", comment[1]):
            if not names.has_file(name, source):
                yield f"{source}:{number}: no file {name}"


def main():
    listed = tracked()
    names = Names(listed)
    found = []
    for name in listed:
        if name.endswith(".md") and name != "CHANGELOG.md":
            found += document_complaints(names, name)
        elif pathlib.PurePosixPath(name).suffix in CODE and not name.startswith("test/lit"):
            found += comment_complaints(names, name)
    version = re.search(r'kVersion\[\] = "([\d.]+)"', names.texts["report/log_format.h"])[1]
    if f"VERSION {version}." not in names.texts["CMakeLists.txt"]:
        found.append(f"report/log_format.h: version {version} is not that of CMakeLists.txt")
    print("\n".join(found) or "all names exist")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
