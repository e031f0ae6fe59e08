// Calls of the printf and scanf families: what their conversions read and write.
//
// Done where the format is a constant, i.e. nearly always; other formats are checked as strings and
// their arguments are not.
//
// Thread rule: as for the module that is changed. Cost: linear in the format.
#ifndef TASKRACE_COMPILER_FORMAT_CALLS_H_
#define TASKRACE_COMPILER_FORMAT_CALLS_H_

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>

#include "compiler/local_memory.h"

namespace taskrace {

// Inserts the checks before (printf) and after (scanf) `call`; says whether there are any.
bool CheckFormatArguments(llvm::CallBase* call, const LocalMemory& local);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_FORMAT_CALLS_H_
