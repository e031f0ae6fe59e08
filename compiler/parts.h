// Which bytes of a check belong to which source line, if it covers accesses of several lines.
//
// A hook has one return address, hence one line. So such a check names a function that lists its
// parts: it calls back for each of them, from a call that has the line of the access. It is called only
// when a race is reported. It looks to debuggers and reports like the function that it belongs to.
//
// Thread rule: as for the module that is changed. Cost: a few instructions of cold code a part.
// Tested by:  test/lit/compiler/neighbours_of_other_lines.ll, test/lit/race/lines_side_by_side.cpp
#ifndef TASKRACE_COMPILER_PARTS_H_
#define TASKRACE_COMPILER_PARTS_H_

#include <llvm/IR/Function.h>

#include "compiler/checks.h"

namespace taskrace {

// A function of the type `__taskrace_parts` of hooks.h. Requires: the check has parts.
llvm::Function* MakePartsFunction(const Check& check);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_PARTS_H_
