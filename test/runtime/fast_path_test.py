"""The assembly of the access hooks: what an access that is known already costs, in every detector."""

import os
import pathlib
import re
import subprocess
import unittest

RUNTIME = pathlib.Path(os.environ["TASKRACE_BUILD"]) / "lib/taskrace/libtaskrace_rt.so"


def functions(pattern):
    """The instructions of all functions of the runtime whose name matches."""
    text = subprocess.run(["llvm-objdump-19", "-d", "-C", "--no-show-raw-insn", "--no-leading-addr", RUNTIME],
                          check=True, capture_output=True, text=True).stdout
    found, name = {}, None
    for line in text.splitlines():
        begin = re.match(r"<(.*)>:$", line)
        if begin:
            name = begin[1] if re.search(pattern, begin[1]) else None
        elif name and line.strip():
            found.setdefault(name, []).append(line.split()[0])
    return found


class FastPath(unittest.TestCase):
    def assert_short(self, hooks, most):
        for name, instructions in hooks.items():
            code = [word for word in instructions if not word.startswith("nop")]
            self.assertLessEqual(len(code), most, name)
            for word in ("call", "callq", "push", "pushq"):
                self.assertNotIn(word, code, name)

    def test_a_known_access_is_a_few_instructions_without_calls_or_saved_registers(self):
        hooks = functions(r"Detector<.*>::Sized<.*, (1|2|4|8)ul>\(")
        engines = {re.search(r"Detector<taskrace::(\w+), taskrace::(\w+)", name).groups() for name in hooks}
        self.assertEqual(len(hooks), 8 * len(engines))
        self.assertGreaterEqual(len(engines), 16)
        self.assert_short(hooks, 30)

    def test_entry_points_only_jump(self):
        hooks = functions(r"^__taskrace_(read|write)(1|2|4|8|16|_range|_rows)$")
        self.assertEqual(len(hooks), 14)
        self.assert_short(hooks, 4)


if __name__ == "__main__":
    unittest.main()
