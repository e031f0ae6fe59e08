// oneTBB's containers with an element for each thread: tbb::enumerable_thread_specific, tbb::combinable.
//
// Their own code finds the element of the thread with atomic operations that order what the dag does not
// show: it is not instrumented, and not inlined into what is. What local() returns belongs to the thread, as a
// thread_local does, so after the call __taskrace_thread_local says so, with the size of the element.
//
// Thread rule: as for the module that is changed. Cost: linear in the calls of a function.
// Tested by:  test/lit/compiler/accumulators_of_threads.cpp, test/runtime/parallel_test.py
#ifndef TASKRACE_COMPILER_THREAD_ACCUMULATORS_H_
#define TASKRACE_COMPILER_THREAD_ACCUMULATORS_H_

#include <llvm/IR/Function.h>

namespace taskrace {

// A member of one of these containers.
bool IsOfThreadAccumulator(const llvm::Function& function);

// Requires: nothing has been inlined into `function` yet.
void MarkThreadAccumulators(llvm::Function& function);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_THREAD_ACCUMULATORS_H_
