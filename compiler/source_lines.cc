#include "compiler/source_lines.h"

#include <llvm/ADT/Any.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <memory>

#include "compiler/instrument.h"

namespace taskrace {

namespace {

bool HasLine(const llvm::Instruction& instruction) {
  return instruction.getDebugLoc() && instruction.getDebugLoc().getLine() != 0;
}

// The lines of the accesses of one loop, while LICM is at work on it. What was noted may be gone by
// then, so it is compared only, never looked into; lines live as long as the context.
class LinesOfLoop {
 public:
  void Note(const llvm::Loop& loop) {
    Forget();
    if (!IsToBeInstrumented(*loop.getHeader()->getParent())) return;
    for (const llvm::BasicBlock* block : loop.blocks()) {
      for (const llvm::Instruction& instruction : *block) {
        if (!instruction.mayReadOrWriteMemory() || !HasLine(instruction)) continue;
        const llvm::DILocation* line = instruction.getDebugLoc().get();
        const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
        of_access_[&instruction] = {line, pointer};
        if (pointer) of_pointer_.try_emplace({pointer, instruction.getOpcode()}, line);
      }
    }
  }

  void PutBack(const llvm::Loop& loop) {
    if (of_access_.empty()) return;
    if (llvm::BasicBlock* before = loop.getLoopPreheader()) PutBack(*before);
    llvm::SmallVector<llvm::BasicBlock*, 4> exits;
    loop.getUniqueExitBlocks(exits);
    for (llvm::BasicBlock* after : exits) PutBack(*after);
    Forget();
  }

  void Forget() {
    of_access_.clear();
    of_pointer_.clear();
  }

 private:
  struct Access {
    const llvm::DILocation* line;
    const llvm::Value* pointer;  // null but for loads and stores
  };

  void PutBack(llvm::BasicBlock& block) const {
    for (llvm::Instruction& instruction : block) {
      if (!instruction.mayReadOrWriteMemory() || HasLine(instruction)) continue;
      if (const llvm::DILocation* line = LineOf(instruction)) instruction.setDebugLoc(line);
    }
  }

  // Null if none is known.
  const llvm::DILocation* LineOf(const llvm::Instruction& instruction) const {
    const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    // Not if it is new and stands where another was that is gone.
    if (auto moved = of_access_.find(&instruction);
        moved != of_access_.end() && moved->second.pointer == pointer) {
      return moved->second.line;
    }
    if (pointer == nullptr) return nullptr;
    for (unsigned opcode : {instruction.getOpcode(), unsigned{llvm::Instruction::Load},
                            unsigned{llvm::Instruction::Store}}) {
      if (const llvm::DILocation* line = of_pointer_.lookup({pointer, opcode})) return line;
    }
    return nullptr;
  }

  llvm::DenseMap<const llvm::Instruction*, Access> of_access_;
  // The first by this pointer with this opcode.
  llvm::DenseMap<std::pair<const llvm::Value*, unsigned>, const llvm::DILocation*> of_pointer_;
};

bool IsLicm(llvm::StringRef pass) { return pass == "LICMPass"; }

}  // namespace

void KeepSourceLines(llvm::PassInstrumentationCallbacks& callbacks) {
  callbacks.registerShouldRunOptionalPassCallback(
      [](llvm::StringRef pass, llvm::Any unit) { return pass != "ArgumentPromotionPass"; });
  auto lines = std::make_shared<LinesOfLoop>();
  callbacks.registerBeforeNonSkippedPassCallback([lines](llvm::StringRef pass, llvm::Any unit) {
    if (!IsLicm(pass)) return;
    if (auto* loop = llvm::any_cast<const llvm::Loop*>(&unit)) lines->Note(**loop);
  });
  callbacks.registerAfterPassCallback(
      [lines](llvm::StringRef pass, llvm::Any unit, const llvm::PreservedAnalyses& preserved) {
        if (!IsLicm(pass)) return;
        if (auto* loop = llvm::any_cast<const llvm::Loop*>(&unit)) lines->PutBack(**loop);
      });
  callbacks.registerAfterPassInvalidatedCallback(
      [lines](llvm::StringRef pass, const llvm::PreservedAnalyses& preserved) {
        if (IsLicm(pass)) lines->Forget();
      });
}

}  // namespace taskrace
