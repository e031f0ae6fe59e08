// The memory that one call of a function brings with it: stack slots (allocas, and arguments passed
// by value in memory), heap blocks, closures of tasks that it creates, and what arguments that it
// keeps (passed_memory.h) point to; and which of it can be shared: the escape rule of the design.
//
// A slot or block is private when its address is used only to access it, to compute addresses
// inside it, to compare, to free it, and to pass it to functions that keep it. Passing it to any
// other call makes it escape, nocapture or not: a callee may spawn a task. Merging it (phi, select)
// with an address of unknown origin makes it escape as well, so that every pointer belongs to
// private slots only, or to none: an access is skipped or checked, never in between. But a variable
// that is only read and written through what it is mixed with (the first link of a list, before the
// others) stays private: the accesses find out whether it is this variable. A closure may
// also be handed over to its task, if the argument of the task's body is private and the creator
// does not use it from there on.
//
// Thread rule: none, immutable. Cost: linear in the uses of the slots, times the length
// of chains of merges; and for a closure in the blocks.
// Tested by:  test/lit/compiler/private_variables_are_not_checked.ll, heap_blocks_that_stay.cpp,
//             closures_that_stay.ll, variables_mixed_with_other_memory.ll
#ifndef TASKRACE_COMPILER_LOCAL_MEMORY_H_
#define TASKRACE_COMPILER_LOCAL_MEMORY_H_

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace taskrace {

class LocalMemory {
 public:
  LocalMemory(llvm::Function& function, const llvm::TargetLibraryInfo& library);

  // Is everything that `pointer` can point to private to this call of the function?
  bool IsPrivate(const llvm::Value* pointer) const;

  // The private variables that `pointer`, which is not private, may point into.
  llvm::SmallVector<llvm::AllocaInst*, 1> MixedInto(const llvm::Value* pointer) const;

  // Of an argument that is kept so far: is it? And is it shown to code that has hooks?
  bool IsKept(const llvm::Argument& argument) const;
  bool IsShown(const llvm::Argument& argument) const;
  // Is it a closure whose address goes nowhere but to the function's caller?
  bool IsOnlyReturned(const llvm::CallBase& storage) const;

  // The stack slots that hooks may get an address of: the hooks for their lifetime are needed.
  llvm::ArrayRef<llvm::Value*> announced() const { return announced_; }

 private:
  struct Slot {
    llvm::Value* value;  // or the call that allocates a block
    bool escapes = false;
    bool is_shown = false;  // to functions that keep it, but have hooks for it
    bool is_only_returned = false;
    bool can_be_mixed = false;
    bool is_mixed = false;  // with addresses of unknown origin
    llvm::SmallVector<llvm::Instruction*, 2> merges = {};

    // Is it this task's alone, if it does not escape? Of an argument the callers decide that.
    bool IsOwned() const;
  };

  struct Origin {
    unsigned slot;
    bool is_merged;  // on the way from there
  };

  bool IsPrivate(Origin origin) const;
  void FollowUses(Slot& slot, unsigned index, const llvm::TargetLibraryInfo& library);
  bool MergesOnlyPrivate(const llvm::Instruction& merge) const;
  const Slot* SlotOf(const llvm::Value& value) const;

  llvm::SmallVector<Slot, 8> slots_;
  // For each pointer that is computed from slots: which ones.
  llvm::DenseMap<const llvm::Value*, llvm::SmallVector<Origin, 1>> origins_;
  llvm::SmallVector<llvm::Value*, 4> announced_;
};

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_LOCAL_MEMORY_H_
