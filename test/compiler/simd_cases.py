"""Calls of the intrinsics of <immintrin.h> that touch memory, and which bytes each of them touches.

The intrinsics are those that clang's headers declare, so none is forgotten: a function with a pointer,
or a macro that casts an argument to one. What they touch is derived from their names.
"""

import dataclasses
import re

HEADERS = ["mmintrin", "xmmintrin", "emmintrin", "pmmintrin", "tmmintrin", "smmintrin", "avxintrin",
           "avx2intrin"]
FUNCTION = re.compile(r"^static __inline__[^;{]*?(_mm\w+)\s*\(([^)]*\*[^)]*)\)|"
                      r"\n(_mm\w+)\s*\(([^)]*\*[^)]*)\)", re.M)
MACRO = re.compile(r"#define (_mm\w+)\(([^)]*)\)((?:.*\\\n)*.*)")

# Hints: no access.
HINTS = {"_mm_prefetch", "_mm_monitor"}
# Other names for a function that is there.
ALIASES = {"_mm_load_ps1": "float", "_mm_load_pd1": "double", "_mm_loaddup_pd": "double"}
# Those that touch fewer bytes than a vector of their prefix has.
BYTES = {
    2: {"_mm_loadu_si16", "_mm_storeu_si16"},
    4: {"_mm_load_ss", "_mm_load1_ps", "_mm_load_ps1", "_mm_store_ss", "_mm_loadu_si32",
        "_mm_storeu_si32", "_mm_stream_si32", "_mm_broadcast_ss", "_mm256_broadcast_ss"},
    8: {"_mm_loadh_pi", "_mm_loadl_pi", "_mm_storeh_pi", "_mm_storel_pi", "_mm_stream_pi",
        "_mm_load1_pd", "_mm_load_pd1", "_mm_loaddup_pd", "_mm_loadu_si64", "_mm_load_sd",
        "_mm_loadh_pd", "_mm_loadl_pd", "_mm_loadl_epi64", "_mm_store_sd", "_mm_storeh_pd",
        "_mm_storel_pd", "_mm_storeu_si64", "_mm_storel_epi64", "_mm_stream_si64",
        "_mm256_broadcast_sd"},
    16: {"_mm256_broadcast_pd", "_mm256_broadcast_ps"},
}
SIZES = {name: size for size, names in BYTES.items() for name in names}
ELEMENTS = {"ps": 4, "pd": 8, "epi32": 4, "epi64": 8}

ROOM = 256    # bytes of a case's buffer
MIDDLE = 128  # where its pointer points to
INDICES = [-3, 5, 0, 9, -7, 2, 12, -1]
ACTIVE = [True, False, True, True, False, True, False, False]


@dataclasses.dataclass
class Case:
    name: str
    code: str      # statements; p is the pointer
    touched: set   # offsets in the buffer


def declared(headers):
    """Name and parameters of each function and macro with a pointer."""
    for header in headers:
        text = header.read_text()
        for found in FUNCTION.finditer(text):
            yield found[1] or found[3], " ".join((found[2] or found[4]).split()), False
        for found in MACRO.finditer(text):
            if re.search(r"\w \*\)", found[3]):
                yield found[1], found[2], True


def lanes_of(name, element):
    return (32 if name.startswith("_mm256") else 16) // element


def vector(lanes, bits, type_name):
    """A vector of integers as a value of the type."""
    unit = {8: "char", 32: "int", 64: "long long"}[bits]
    numbers = ", ".join(f"({unit}){lane}" for lane in lanes)
    size = len(lanes) * bits // 8
    return f"({type_name})(({unit} __attribute__((vector_size({size})))){{{numbers}}})"


def masks(lanes, element, type_name):
    """Masks of which only the highest bits count, as text and as lanes: constant, and not."""
    on, off = 1 << (8 * element - 1), (1 << (8 * element - 1)) - 1
    active = (ACTIVE * 4)[:lanes]
    some = vector([f"{on if lane else off}ull" for lane in active], 8 * element, type_name)
    every = vector(["-1"] * lanes, 8 * element, type_name)
    none = vector(["0"] * lanes, 8 * element, type_name)
    return [(some, active), (f"opaque({some})", active), (f"opaque({every})", [True] * lanes),
            (f"opaque({none})", [False] * lanes)]


def at(offsets, size):
    return {MIDDLE + offset + byte for offset in offsets for byte in range(size)}


def arguments_of(parameters, masked=None):
    """Arguments of the parameters' types. The second of two pointers is before the first."""
    pointers = 0
    for parameter in parameters.split(","):
        type_name = re.sub(r"\w+$", "", parameter.strip()).strip()
        if "*" in type_name:
            yield f"({type_name})(p - {64 * pointers})"
            pointers += 1
        elif masked and re.search(r"\b__[mMn]$", parameter.strip()):
            yield masked
        else:
            yield f"opaque<{type_name}>()"


def call(name, arguments, returns):
    text = f"{name}({', '.join(arguments)})"
    return f"keep({text});" if returns else f"{text};"


def cases_of_function(name, parameters):
    stores = re.search(r"store|_stream_(?!load)|maskmove", name)
    if re.search(r"mask(load|store|move)", name):
        element = ELEMENTS.get(name.rsplit("_", 1)[1], 1)
        lanes = 8 if name == "_mm_maskmove_si64" else lanes_of(name, element)
        type_name = {8: "__m64", 16: "__m128i", 32: "__m256i"}[lanes * element]
        for mask, active in masks(lanes, element, type_name):
            touched = at([element * lane for lane in range(lanes) if active[lane]], element)
            yield Case(name, call(name, arguments_of(parameters, mask), not stores), touched)
        return
    twice = re.search(r"(load|store)u2_", name)
    size = 16 if twice else SIZES.get(name, 32 if name.startswith("_mm256") else 16)
    yield Case(name, call(name, arguments_of(parameters), not stores),
               at([0, -64] if twice else [0], size))


def cases_of_gather(name):
    index_bits, kind = re.search(r"i(32|64)gather_(\w+)", name).groups()
    element, index_size = ELEMENTS[kind], int(index_bits) // 8
    width = 32 if name.startswith("_mm256") else 16
    lanes = width // max(element, index_size)
    # The narrower of the two vectors may be half used, or half as wide.
    indices = INDICES[:max(lanes, 16 // index_size)]
    result = max(16, lanes * element)
    register = f"__m{8 * result}" + {"ps": "", "pd": "d"}.get(kind, "i")
    pointer = {"ps": "float", "pd": "double", "epi32": "int", "epi64": "long long"}[kind]
    index = vector(indices, int(index_bits), f"__m{max(128, len(indices) * int(index_bits))}i")
    base = f"(const {pointer}*)p"
    for scale in (1, 2, 4, 8):
        if "_mask_" not in name:
            yield Case(name, f"keep({name}({base}, opaque({index}), {scale}));",
                       at([scale * i for i in indices[:lanes]], element))
            continue
        for mask, active in masks(result // element, element, register):
            touched = at([scale * indices[lane] for lane in range(lanes) if active[lane]], element)
            yield Case(name, f"keep({name}(opaque<{register}>(), {base}, opaque({index}), {mask}, "
                             f"{scale}));", touched)


def all_cases(include):
    cases = []
    for name, parameters, is_macro in declared(include / f"{header}.h" for header in HEADERS):
        if name in HINTS:
            continue
        cases += cases_of_gather(name) if is_macro else cases_of_function(name, parameters)
    for name, pointer in ALIASES.items():
        cases += cases_of_function(name, f"{pointer} const *__p")
    return cases
