// Calls of the hooks of include/taskrace/hooks.h.
//
// A hook is declared when it is first called. It may read and write anything as far as LLVM knows,
// so no access moves across it; it does not throw; its call is never a tail call (its return
// address is what the report symbolises) and goes through the GOT, not the PLT.
//
// Thread rule: as for the module that is changed. Cost: a look-up in the module's
// symbol table a call.
#ifndef TASKRACE_COMPILER_HOOK_CALLS_H_
#define TASKRACE_COMPILER_HOOK_CALLS_H_

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

namespace taskrace {

enum class AccessKind { kRead, kWrite, kAtomicRead, kAtomicWrite };

// Inserts before `position`, with its debug location or, if it has none, line 0 of the function: a
// hook without a location would be symbolised as whatever precedes it.
class BuilderBefore : public llvm::IRBuilder<> {
 public:
  explicit BuilderBefore(llvm::Instruction* position) : BuilderBefore(position, position) {}
  // With the location of another instruction, `access`.
  BuilderBefore(llvm::Instruction* position, const llvm::Instruction* access);
};

// Inserts after `call`, with its debug location; an invoke continues in its normal destination.
class BuilderAfter : public llvm::IRBuilder<> {
 public:
  explicit BuilderAfter(llvm::CallBase* call);
};

// Calls the hook `name` (with the prefix "__taskrace_") with these arguments; `result` is null where it
// returns nothing.
llvm::CallInst* CallHook(llvm::IRBuilderBase& builder, llvm::StringRef name,
                         llvm::ArrayRef<llvm::Value*> arguments, llvm::Type* result = nullptr);

// Calls the hook for an access of `size` (any integer) bytes: a sized one where there is one,
// nothing for a constant 0.
void CallAccessHook(llvm::IRBuilderBase& builder, AccessKind kind, llvm::Value* address,
                    llvm::Value* size);

// Calls the hook for `rows` ranges of `size` bytes, `distance` apart.
void CallRowsHook(llvm::IRBuilderBase& builder, AccessKind kind, llvm::Value* first,
                  llvm::Value* size, llvm::Value* rows, llvm::Value* distance);

// The same if `parts`, a function, lists the parts of a row, each with its line.
void CallPartsHook(llvm::IRBuilderBase& builder, AccessKind kind, llvm::Value* first,
                   llvm::Value* size, llvm::Value* rows, llvm::Value* distance, llvm::Value* parts);

// The same for the iterations [first, first + count) of a parallel loop, each `step` bytes after the one
// before. `parts` may be null.
void CallLoopHook(llvm::IRBuilderBase& builder, AccessKind kind, llvm::Value* address,
                  llvm::Value* size, llvm::Value* rows, llvm::Value* distance, llvm::Value* parts,
                  llvm::Value* step, llvm::Value* first, llvm::Value* count);

// The same for what an iteration may touch or not.
void CallPossibleHook(llvm::IRBuilderBase& builder, AccessKind kind, llvm::Value* address,
                      llvm::Value* size, llvm::Value* rows, llvm::Value* distance,
                      llvm::Value* step, llvm::Value* first, llvm::Value* count);

// Calls the hook for reading a string, of at most `most` characters if that is not null.
void CheckString(llvm::IRBuilderBase& builder, llvm::Value* string, llvm::Value* most);
// What an array of struct iovec lists is read; or, if `filled` is not null, so many bytes of it were written.
void CallBuffersHook(llvm::IRBuilderBase& builder, llvm::Value* vectors, llvm::Value* count,
                     llvm::Value* filled);

// The integer type of a size_t of the program.
llvm::IntegerType* SizeType(const llvm::IRBuilderBase& builder);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_HOOK_CALLS_H_
