"""Every load and store intrinsic of <immintrin.h> up to AVX2: is each byte checked that it touches, and no other?

A case is one call, parallel to a task that writes to its buffer. If that task writes the other bytes
only, there is no race; if it writes all of them, the racy bytes are those that the call touches.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import simd_cases

TASKRACE = pathlib.Path(os.environ["TASKRACE_BUILD"]) / "bin" / "taskrace"
CLANG = os.environ["TASKRACE_TEST_CLANGXX"]

PROGRAM = """
#include <immintrin.h>
#include <taskrace/tasks.hpp>
template <class T> inline void keep(T value) {{
  if constexpr (std::is_integral_v<T>) asm volatile("" : : "r"(value));
  else if constexpr (sizeof(T) == 8) asm volatile("" : : "y"(value));
  else asm volatile("" : : "x"(value));
}}
template <class T> inline T opaque(T value = T()) {{
  if constexpr (std::is_integral_v<T>) asm volatile("" : "+r"(value));
  else if constexpr (sizeof(T) == 8) asm volatile("" : "+y"(value));
  else asm volatile("" : "+x"(value));
  return value;
}}
{functions}
using Call = void (*)(unsigned char*);
constexpr int kCases = {count};
constexpr Call kCalls[kCases] = {{{calls}}};
struct Range {{ short first, last; }};
constexpr Range kOthers[] = {{{others}}};
constexpr int kFirst[kCases + 1] = {{{firsts}}};
alignas(64) unsigned char buffers[kCases][{room}];

int main(int argc, char**) {{
  for (int i = 0; i < kCases; ++i) {{
    taskrace::parallel_invoke(
        [i] {{ kCalls[i](buffers[i] + {middle}); }},
        [i, all = argc > 1] {{
          for (int k = kFirst[i]; k < kFirst[i + 1]; ++k) {{
            const Range range = all ? Range{{0, {room}}} : kOthers[k];
            for (int at = range.first; at < range.last; ++at) buffers[i][at] = 1;
          }}
        }});
  }}
}}
"""


def include_folder():
    found = subprocess.run([CLANG, "-print-resource-dir"], capture_output=True, text=True, check=True)
    return pathlib.Path(found.stdout.strip()) / "include"


def ranges(offsets):
    """As (first, behind the last)."""
    found = []
    for offset in sorted(offsets):
        if found and found[-1][1] == offset:
            found[-1][1] = offset + 1
        else:
            found.append([offset, offset + 1])
    return found


def source(cases):
    functions, others, firsts = [], [], [0]
    for number, case in enumerate(cases):
        functions.append(f"__attribute__((noinline)) void case{number}(unsigned char* p) "
                         f"{{ (void)p; {case.code} _mm_empty(); }}")
        others += ranges(set(range(simd_cases.ROOM)) - case.touched)
        firsts.append(len(others))
    return PROGRAM.format(
        functions="\n".join(functions), count=len(cases),
        calls=", ".join(f"case{number}" for number in range(len(cases))),
        others=", ".join(f"{{{first}, {last}}}" for first, last in others),
        firsts=", ".join(map(str, firsts)), room=simd_cases.ROOM, middle=simd_cases.MIDDLE)


class Simd(unittest.TestCase):
    cases = simd_cases.all_cases(include_folder())

    def test_headers_are_read(self):
        names = {case.name for case in self.cases}
        self.assertGreater(len(names), 120)
        for name in ("_mm_maskmoveu_si128", "_mm256_maskload_epi64", "_mm_mask_i64gather_ps",
                     "_mm256_storeu2_m128i", "_mm_lddqu_si128", "_mm_maskmove_si64"):
            self.assertIn(name, names)

    def check(self, level):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            (folder / "cases.cpp").write_text(source(self.cases))
            subprocess.run([TASKRACE, "c++", "-std=c++20", "-mavx2", "-w", level, "cases.cpp", "-o",
                            "cases"], cwd=folder, check=True)
            run = [TASKRACE, "run", "--dedup=address", "--max_races=0", "--json=report.json", "./cases"]
            apart = subprocess.run(run, cwd=folder, capture_output=True, text=True)
            self.assertEqual(apart.returncode, 0, apart.stderr)
            self.assertIn("no schedule of this input has a determinacy race", apart.stderr)

            subprocess.run([*run, "all"], cwd=folder, capture_output=True)
            racy = [set() for _ in self.cases]
            for race in json.loads((folder / "report.json").read_text())["races"]:
                self.assertEqual(race["location"]["name"], "buffers")
                first = race["location"]["offset"]
                for offset in range(first, first + race["size"]):
                    racy[offset // simd_cases.ROOM].add(offset % simd_cases.ROOM)
            wrong = [f"{case.code}\n  racy {ranges(found)}\n  touched {ranges(case.touched)}"
                     for case, found in zip(self.cases, racy) if found != case.touched]
            self.assertEqual(wrong, [], "\n".join(wrong))


for number in range(4):
    setattr(Simd, f"test_bytes_are_exact_at_O{number}",
            lambda self, level=f"-O{number}": self.check(level))

if __name__ == "__main__":
    if "avx2" not in pathlib.Path("/proc/cpuinfo").read_text().split():
        print("skipped: this machine has no AVX2")
        sys.exit(77)
    unittest.main()
