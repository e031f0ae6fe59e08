// The shadow call stack: function entry and exit, inline, as include/taskrace/hooks.h says.
//
// Thread rule: as for the module that is changed. Cost in the program: a load and three stores on
// entry, a store on exit and on landing.
#ifndef TASKRACE_COMPILER_SHADOW_STACK_H_
#define TASKRACE_COMPILER_SHADOW_STACK_H_

#include <llvm/IR/Function.h>

namespace taskrace {

// Pushes a frame at the entry, pops it before each of `exits`, and makes it the top again in
// landing pads and after calls that return twice. Requires: all other hooks of the function are in
// place (the push goes before them).
void MaintainShadowStack(llvm::Function& function, llvm::ArrayRef<llvm::Instruction*> exits);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_SHADOW_STACK_H_
