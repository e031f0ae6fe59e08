// Code of libstdc++ that is ordered by other means than the dag, and where such a region stops.
//
// The last release of a std::shared_ptr is ordered by its use count. In libstdc++'s control block (std::_Sp_counted_base), what happens once a count has reached zero,
// i.e. its plain stores and the calls that destroy the object and the block, is put between
// __taskrace_ordered_begin and __taskrace_ordered_end. That covers the destructor and the release
// of the memory, whatever they call.
//
// The shared state of std::packaged_task and std::async is set inside of std::call_once, which is an
// ordered region (runtime/interpose_once.c). The result belongs there; the program's function, which
// std::__future_base::_Task_setter calls, does not: the region stops for that call.
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
