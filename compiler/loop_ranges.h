// Checks of a whole loop at once: an access that walks through memory without gaps is
// one range, checked before the loop. The loop itself stays free of hooks, so the
// vectoriser can still have it.
//
// A loop qualifies if nothing in it can end the strand (no calls but those that touch no memory),
// it leaves only at its end, and the number of iterations is known on entry. An access in it
// qualifies if it happens in every iteration, at an address that moves by no more than its own
// size: then the range is exactly what the loop touches, and every byte of it is touched. If the
// loop around qualifies too, and the range is the same in each of its iterations, or the next one
// begins where the last one ended, the check moves out of that loop as well.
//
// Thread rule: as for the module that is changed. Cost: scalar evolution of the loops.
// Tested by:  test/lit/compiler/loop_*.ll
#ifndef TASKRACE_COMPILER_LOOP_RANGES_H_
#define TASKRACE_COMPILER_LOOP_RANGES_H_

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

#include "compiler/stack_slots.h"

namespace taskrace {

using InstructionSet = llvm::SmallPtrSet<llvm::Instruction*, 16>;

// Inserts the ranges and adds the accesses that they stand for to `checked`.
void CheckLoopRanges(llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
                     const StackSlots& slots, InstructionSet& checked);

// Adds the reads that a check of a write stands for: of the same bytes, later in the same block,
// with nothing between that could end the strand. Both would race with the same accesses and more.
void FindReadsBeforeWrites(llvm::Function& function, InstructionSet& checked);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_LOOP_RANGES_H_
