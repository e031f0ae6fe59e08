// The checks of one instruction: how its accesses become calls of hooks, directly before it.
//
// Accesses to memory that needs no check (places.h) are left out. A lane of a vector that a mask
// leaves out is an empty range, which needs no branch around the hook; lanes of a constant mask have
// the hook of their size, or none.
//
// Thread rule: as for the module that is changed. Cost: constant an access or lane.
#ifndef TASKRACE_COMPILER_ACCESS_CHECKS_H_
#define TASKRACE_COMPILER_ACCESS_CHECKS_H_

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "compiler/hook_calls.h"
#include "compiler/local_memory.h"

namespace taskrace {

class AccessChecks {
 public:
  AccessChecks(llvm::Instruction* instruction, const LocalMemory& local)
      : local_(local), layout_(instruction->getModule()->getDataLayout()), builder_(instruction) {}

  // Has any hook been called?
  bool emitted() const { return emitted_; }

  // An access of a value of `type` at `pointer`. Bytes that are only padding of the store are not
  // touched: a long double has ten.
  void Access(AccessKind kind, llvm::Value* pointer, llvm::Type* type);
  void Range(AccessKind kind, llvm::Value* pointer, llvm::Value* size);
  void Range(AccessKind kind, llvm::Value* pointer, uint64_t size);

  // Lane i of a vector of `type` is at pointer + i * its size, if `mask` has it.
  void MaskedVector(AccessKind kind, llvm::Value* pointer, llvm::Value* mask, llvm::Type* type);
  // Lane i is at pointers[i], if `mask` has it.
  void MaskedLanes(AccessKind kind, llvm::Value* pointers, llvm::Value* mask, llvm::Type* type);
  // Lane i is at base + indices[i] * scale, if `mask` has it. There are as many lanes as the shorter
  // of `type` and `indices` has.
  void IndexedLanes(AccessKind kind, llvm::Value* base, llvm::Value* indices, llvm::Value* scale,
                    llvm::Value* mask, llvm::Type* type);
  // The active lanes are packed, beginning at `pointer`.
  void PackedVector(AccessKind kind, llvm::Value* pointer, llvm::Value* mask, llvm::Type* type);

  // As one bit a lane, which the functions above expect: of an integer its bits, of a vector the
  // lanes' highest ones.
  llvm::Value* BitsOfMask(llvm::Value* mask);

 private:
  using AddressOfLane = llvm::function_ref<llvm::Value*(unsigned)>;

  bool IsChecked(AccessKind kind, llvm::Value* pointer);
  void Emit(AccessKind kind, llvm::Value* pointer, llvm::Value* size);
  void EmitLanes(AccessKind kind, unsigned lanes, llvm::Type* element, llvm::Value* mask,
                 AddressOfLane address);
  llvm::Value* StoreSize(llvm::Type* type);

  const LocalMemory& local_;
  const llvm::DataLayout& layout_;
  BuilderBefore builder_;
  bool emitted_ = false;
};

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_ACCESS_CHECKS_H_
