// What callees do with memory whose address they are passed, computed over the whole module.
//
// An argument is *kept* if the function does not pass its address on (local_memory.h): then the
// caller knows that only the running task accesses the memory.
// It is *private* if, moreover, every call passes memory that is private to the caller, or nothing:
// then accesses through it need no hook. The argument of a task's body is private if the closure of
// every task with this body is: what the creator does with it comes before the task, and what the
// task does is the task's own. And a kept argument is *unseen* if no hook gets an address in the memory: then
// a variable that is passed so needs no lifetime either.
//
// For a private argument all calls must be known: of functions that are local to the module, and of
// inline ones, which become local when an argument of theirs is private. Of any other function the
// calls in the module go to a copy, if that has a private argument; the function itself is for
// calls from elsewhere.
//
// Marks: "taskrace-kept", "taskrace-private" and "taskrace-unseen" on arguments, "taskrace-storage"
// on functions that make the storage of a closure and return it. They are set before any function
// is instrumented, so that the order of functions does not matter.
//
// Thread rule: as for the module that is changed. Cost: linear in the module, times the length of
// chains of calls along which it turns out that an argument is not what it might be.
// Tested by:  test/lit/compiler/passed_memory_*.ll, closures_that_stay.ll
#ifndef TASKRACE_COMPILER_PASSED_MEMORY_H_
#define TASKRACE_COMPILER_PASSED_MEMORY_H_

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace taskrace {

bool IsKept(const llvm::Argument& argument);
bool IsPrivate(const llvm::Argument& argument);
bool IsUnseen(const llvm::Argument& argument);

// Of an operand of a call: the argument that it becomes, in the function that is called or in the
// body of the task that is created; null if that is not known.
const llvm::Argument* ArgumentFor(const llvm::Use& operand);

// Is the operand of a call a scope or finish that is handed to the runtime? It is never accessed
// with hooks but by its owner.
bool IsBookkeepingOfRuntime(const llvm::Use& operand);

// Does it make the storage of the closure of the task that is created next?
bool IsTaskStorage(const llvm::Value& value);

class FindPassedMemoryPass : public llvm::PassInfoMixin<FindPassedMemoryPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_PASSED_MEMORY_H_
