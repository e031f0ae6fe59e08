// Parallel loops: loops whose header calls the hook __taskrace_iteration, the *mark*, with a number that
// counts up by one. Between two marks lies an iteration, which is a strand of its own.
//
//   loop:  k = phi;  more = __taskrace_iteration(k);  br more, body, exit
//   body:  ...
//
// The worksharing loops of OpenMP have another mark, __taskrace_unit, which says nothing (openmp_loops.h). Their
// iterations are parallel to each other, too, but run on one thread, whose own variables they may change one after
// the other. The same holds for simd loops, whose mark is __taskrace_lane (simd_loops.h).
//
// Nothing else is looked at, so any front end can make them. As far as LLVM knows, the mark may read
// and write all memory: until the pass runs, no value is carried from one iteration to the next.
//
// A parallel loop is *open* if nothing in it but the mark is a barrier (barriers.h), and all loops in
// it end; of units also the number must be known on entry. Then every iteration runs to its end, so the mark never says that the rest of the part runs
// elsewhere.
//
// Thread rule: as for the module that is changed. Cost: linear in the loops of the function.
// Tested by:  test/lit/compiler/parallel_loop_*, test/compiler/
#ifndef TASKRACE_COMPILER_PARALLEL_LOOPS_H_
#define TASKRACE_COMPILER_PARALLEL_LOOPS_H_

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>

namespace taskrace {

class LoopFacts;

// The mark of units. Its second argument is 1 where a thread runs its units in a row: other loops are no parallel
// loops for the pass.
constexpr llvm::StringLiteral kUnitMark = "__taskrace_unit";
constexpr llvm::StringLiteral kLaneMark = "__taskrace_lane";
// Is the call the mark of units that a thread runs in a row?
bool IsUnitMark(const llvm::CallInst& call);

// The mark that the header of the loop calls before it touches any memory; null if there is none.
llvm::CallInst* MarkOf(const llvm::Loop& loop);

// Do the iterations share variables of the thread that runs them?
bool AreUnits(const llvm::Loop& loop);

// Do the iterations of a parallel loop end where the program enters `block`?
bool EndsIterations(const llvm::BasicBlock& block, const llvm::LoopInfo& loops);

// Does the function call the mark at all?
bool HasMarks(const llvm::Function& function);
// Does it run parts of parallel loops that are no units?
bool RunsParts(const llvm::Function& function);
// Is the block in a loop that calls the mark, wherever?
bool IsInIteration(const llvm::BasicBlock& block, const llvm::LoopInfo& loops);

// The parallel loops that are open. Requires: the facts see past marks.
llvm::SmallVector<llvm::Loop*, 2> OpenParallelLoops(LoopFacts& facts);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_PARALLEL_LOOPS_H_
