// What an atomic operation orders, for the hooks of hooks.h.
//
// An operation that acquires comes after the one whose value it reads, if that one releases. A read-modify-write whose
// result the program does not use acquires nothing: the program cannot tell which value was there.
//
// Thread rule: as for the module that is changed. Cost: constant an instruction.
#ifndef TASKRACE_COMPILER_ATOMIC_ORDER_H_
#define TASKRACE_COMPILER_ATOMIC_ORDER_H_

#include <llvm/IR/Instructions.h>

#include "compiler/hook_calls.h"
#include "compiler/local_memory.h"

namespace taskrace {

// Bits of enum __taskrace_order; 0: it is not atomic.
unsigned AtomicOrder(const llvm::Instruction& instruction);

// Does it acquire or release?
bool OrdersOthers(const llvm::Instruction& instruction);

// What a library function for atomics does, whatever order it is given.
unsigned AtomicOrderOfCall(AccessKind kind);

void CallAcquireHook(llvm::IRBuilderBase& builder, llvm::Value* address, unsigned order);
void CallReleaseHook(llvm::IRBuilderBase& builder, llvm::Value* address, unsigned order);

// While one lives, the checks of the operation are inserted: what it acquires comes before them, what it releases after.
class AnnouncedOrder {
 public:
  AnnouncedOrder(llvm::Instruction* instruction, const LocalMemory& local);
  ~AnnouncedOrder();
  AnnouncedOrder(const AnnouncedOrder&) = delete;
  AnnouncedOrder& operator=(const AnnouncedOrder&) = delete;

 private:
  llvm::Instruction* const instruction_;
  llvm::Value* address_ = nullptr;  // null: there is nothing to announce
  unsigned order_ = 0;
};

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_ATOMIC_ORDER_H_
