// The last release of a std::shared_ptr, ordered by its use count and not by the dag.
//
// In libstdc++'s control block (std::_Sp_counted_base), what happens once a count has reached zero,
// i.e. its plain stores and the calls that destroy the object and the block, is put between
// __taskrace_ordered_begin and __taskrace_ordered_end. That covers the destructor and the release
// of the memory, whatever they call.
//
// Thread rule: as for the module that is changed. Cost: linear in such functions.
#ifndef TASKRACE_COMPILER_ORDERED_REGIONS_H_
#define TASKRACE_COMPILER_ORDERED_REGIONS_H_

#include <llvm/IR/Function.h>

namespace taskrace {

// Requires: nothing has been inlined into `function` yet.
void MarkOrderedRegions(llvm::Function& function);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_ORDERED_REGIONS_H_
