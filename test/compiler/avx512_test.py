"""Every load and store intrinsic of AVX-512: do the checks in its IR cover as many bytes as it touches?

For machines without AVX-512: nothing is run. Masks are constants, so that the hooks of lanes that are
left out are gone, and the sizes of the others are numbers.
"""

import pathlib
import re
import subprocess
import tempfile
import unittest

import simd_cases
from simd_test import TASKRACE, include_folder

FEATURES = ["-mavx512f", "-mavx512vl", "-mavx512bw", "-mavx512dq", "-mavx512fp16", "-mavx512vbmi2",
            "-mavx512bf16", "-mavx512vp2intersect"]
ELEMENTS = {"8": 1, "16": 2, "32": 4, "64": 8, "512": 64, "ps": 4, "pd": 8, "ph": 2, "pbh": 2, "ss": 4, "sd": 8,
            "sh": 2}
MASK = 5  # the first lane and the third
HEAD = """
#include <immintrin.h>
#include <type_traits>
template <class T> inline void keep(T value) { asm volatile("" : : "v"(value)); }
template <class T> inline T opaque() {
  T value;
  if constexpr (std::is_integral_v<T>) asm volatile("" : "=r"(value));
  else asm volatile("" : "=v"(value));
  return value;
}
"""


def width_of(name):
    return int(re.match(r"_mm(\d*)_", name)[1] or 128) // 8


def element_of(name):
    return ELEMENTS[re.search(r"_(?:epi|si|)(\d+|p[sdh]|s[sdh]|pbh)$", name)[1]]


def active(lanes):
    return bin(MASK & ((1 << lanes) - 1)).count("1")


def of_function(name, parameters):
    """The statement, and how many bytes it reads and writes."""
    arguments = []
    for parameter in parameters.split(","):
        type_name = re.sub(r"\w+$", "", parameter.strip()).strip()
        arguments.append(f"({type_name})p" if "*" in type_name
                         else str(MASK) if type_name.startswith("__mmask")
                         else f"opaque<{type_name}>()")
    text = f"{name}({', '.join(arguments)})"
    writes = re.search(r"store|_stream_(?!load)|2intersect", name)
    element = element_of(name)
    lanes = width_of(name) // element
    if "2intersect" in name:
        bytes_ = max(1, lanes // 8)  # both masks go to one place here
    elif conversion := re.search(r"cvt\w*epi(\d+)_storeu", name):
        bytes_ = active(width_of(name) * 8 // int(conversion[1])) * element
    elif re.search(r"_s[sdh]$", name):
        bytes_ = element
    else:
        bytes_ = (active(lanes) if "_mask" in name else lanes) * element
    return (f"{text};", 0, bytes_) if writes else (f"keep({text});", bytes_, 0)


def of_macro(name, parameters):
    index_bits, kind = re.search(r"i(32|64)(?:gather|scatter)_(\w+)", name).groups()
    element, index_size = element_of(name), int(index_bits) // 8
    lanes = width_of(name) // max(element, index_size)
    register = f"__m{max(128, 8 * lanes * element)}" + {"ps": "", "pd": "d"}.get(kind, "i")
    values = {"index": f"opaque<__m{max(128, lanes * int(index_bits))}i>()", "addr": "p", "scale": "4",
              "mask": str(MASK), "v1": f"opaque<{register}>()", "v1_old": f"opaque<{register}>()"}
    text = f"{name}({', '.join(values[one.strip()] for one in parameters.split(','))})"
    bytes_ = (active(lanes) if "mask" in name else lanes) * element
    return (f"{text};", 0, bytes_) if "scatter" in name else (f"keep({text});", bytes_, 0)


def checked_bytes(function):
    """How many bytes the hooks of a function in IR say are read and written."""
    bytes_ = {"read": 0, "write": 0}
    for verb, hook, arguments in re.findall(r"@__taskrace_(read|write)(\w+)\((.*)\)", function):
        size = hook if hook.isdigit() else re.search(r"i64 (\d+)$", arguments)[1]
        bytes_[verb] += int(size)
    return bytes_["read"], bytes_["write"]


class Avx512(unittest.TestCase):
    def test_ir_has_checks_of_every_byte(self):
        cases = [(of_macro if is_macro else of_function)(name, parameters)
                 for name, parameters, is_macro in
                 simd_cases.declared(sorted(include_folder().glob("avx512*.h")))]
        self.assertGreater(len(cases), 300)
        functions = "".join(f'extern "C" void case{number}(char* p) {{ {code} }}\n'
                            for number, (code, _, _) in enumerate(cases))
        with tempfile.TemporaryDirectory() as temporary:
            file = pathlib.Path(temporary) / "cases.cpp"
            file.write_text(HEAD + functions)
            built = subprocess.run([TASKRACE, "c++", "-std=c++20", "-O1", "-w", "-S", "-emit-llvm", *FEATURES,
                                    file, "-o", "-"], capture_output=True, text=True)
        self.assertEqual(built.returncode, 0, built.stderr)
        bodies = re.findall(r"^define .*@case\d+\(.*\n(?:.*\n)*?}", built.stdout, re.M)
        self.assertEqual(len(bodies), len(cases))
        wrong = [f"{code}\n  touched {touched}, checked {checked_bytes(body)}"
                 for (code, *touched), body in zip(cases, bodies)
                 if checked_bytes(body) != tuple(touched)]
        self.assertEqual(wrong, [], "\n".join(wrong))


if __name__ == "__main__":
    unittest.main()
