// The memory that one call of a function brings with it: stack slots (allocas, and arguments passed
// by value in memory) and heap blocks; and which of it can be shared: the escape rule of the design.
//
// A slot or block is private when its address is used only to access it, to compute addresses
// inside it, to compare, and to free it. Passing it to any other call makes it escape, nocapture or
// not: a callee may spawn a task. Merging it (phi, select) with an address of unknown origin makes it escape as well,
// so that every pointer belongs to private slots only, or to none: an access is skipped or
// checked, never in between.
//
// Thread rule: none, immutable. Cost: linear in the uses of the slots, times the length
// of chains of merges.
#ifndef TASKRACE_COMPILER_LOCAL_MEMORY_H_
#define TASKRACE_COMPILER_LOCAL_MEMORY_H_

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Function.h>

namespace taskrace {

class LocalMemory {
 public:
  LocalMemory(llvm::Function& function, const llvm::TargetLibraryInfo& library);

  // Is everything that `pointer` can point to private to this call of the function?
  bool IsPrivate(const llvm::Value* pointer) const;

  // The stack slots whose address leaves the function.
  llvm::ArrayRef<llvm::Value*> escaping() const { return escaping_; }

 private:
  struct Slot {
    llvm::Value* value;  // or the call that allocates a block
    bool escapes;
    llvm::SmallVector<llvm::Instruction*, 2> merges;
  };

  void FollowUses(Slot& slot, unsigned index, const llvm::TargetLibraryInfo& library);
  bool MergesOnlyPrivate(const llvm::Instruction& merge) const;

  llvm::SmallVector<Slot, 8> slots_;
  // For each pointer that is computed from slots: which ones.
  llvm::DenseMap<const llvm::Value*, llvm::SmallVector<unsigned, 1>> origins_;
  llvm::SmallVector<llvm::Value*, 4> escaping_;
};

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_LOCAL_MEMORY_H_
