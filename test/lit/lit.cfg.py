# Tests of what a user sees. Folders:
#   compiler/  the pass: IR in, IR out, and programs whose output must not change
#   tbb/       the same for programs that use oneTBB or std::execution
#   openmp/    the same for OpenMP programs; semantics/ what they compute, and what is not covered
#   threads/   the same for programs with threads
#   race/      programs that must be reported, norace/ programs that must not: the folder is the verdict
#
# Substitutions:
#   %taskrace         the driver of the build tree
#   %taskrace_pass    the plugin
#   %clang, %clangxx  the compilers that the plugin is for, bare
#   %instrument       flags that make them use the plugin
#   %opt              opt with the plugin loaded
#   %FileCheck, %not, %split_file  LLVM's
#   %include          flag for the project's headers
import os

import lit.formats

config.name = "taskrace"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ll", ".c", ".cpp", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.taskrace_build, "test", "lit")


def tool(name):
    return os.path.join(config.llvm_tools_dir, name)


plugin = os.path.join(config.taskrace_library_dir, "TaskracePass.so")
# A program of one file that is compiled in the ordinary way takes the task interface precompiled, which
# leaves all else as it is; with any other option the header is read as in a user's build.
config.substitutions += [
    (
        rf"%taskrace c\+\+ -{level} %s -o %t\b(?!\.)",
        f"%taskrace c++ -{level} -include-pch {config.test_exec_root}/tasks-{level}.pch %s -o %t",
    )
    for level in ("O0", "O2")
]
config.substitutions += [
    ("%taskrace_pass", plugin),
    ("%taskrace", os.path.join(config.taskrace_build, "bin", "taskrace")),
    (
        "%instrument",
        f"-fpass-plugin={plugin} -Xclang -load -Xclang {plugin} -mllvm -taskrace-verify"
        " -Xclang -fsanitize-address-use-after-scope",
    ),
    ("%clangxx", tool("clang++")),
    ("%clang", tool("clang")),
    ("%opt", f"{tool('opt')} -load-pass-plugin={plugin} -taskrace-verify"),
    ("%FileCheck", tool("FileCheck")),
    ("%split_file", tool("split-file")),
    ("%not", tool("not")),
    ("%include", "-I" + os.path.join(config.taskrace_source, "include")),
]
# Nothing of the caller's set-up may change a verdict.
for name in ("TASKRACE_OPTIONS", "LD_PRELOAD"):
    config.environment.pop(name, None)
