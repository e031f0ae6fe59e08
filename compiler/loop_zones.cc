#include "compiler/loop_zones.h"

#include <llvm/IR/Module.h>

#include "taskrace/hooks.h"

namespace taskrace {

LoopZones::Zone LoopZones::Of(const Check& check) {
  const LoopZone& zone = check.zone;
  auto [found, is_new] = zones_.try_emplace({zone.before, zone.staying});
  if (is_new) {
    BuilderBefore builder(zone.before->getTerminator());
    llvm::IntegerType* word = SizeType(builder);
    llvm::Value* answer = CallHook(builder, "loop_zone", {builder.getInt32(zone.staying)},
                                   llvm::StructType::get(builder.getContext(), {word, word}));
    found->second = {builder.CreateExtractValue(answer, 0), builder.CreateExtractValue(answer, 1)};
  }
  return found->second;
}

llvm::Value* LoopZones::Condition(const Check& check, llvm::CallInst& hook) {
  const auto [first, end] = Of(check);
  BuilderBefore builder(&hook);
  llvm::Type* word = first->getType();
  // The zone of what was described is everything or nothing; rows are not worth more than that.
  if ((check.zone.staying & TASKRACE_ZONE_OF_POSSIBLE) != 0 || check.bytes.rows != nullptr) {
    return builder.CreateICmpNE(end, llvm::ConstantInt::get(word, 0));
  }
  llvm::Value* address = builder.CreatePtrToInt(hook.getArgOperand(0), word);
  const uint64_t known = check.bytes.KnownSize();
  llvm::Value* size = known != 0 ? llvm::ConstantInt::get(word, known) : hook.getArgOperand(1);
  return builder.CreateAnd(builder.CreateICmpULT(address, end),
                           builder.CreateICmpUGT(builder.CreateAdd(address, size), first));
}

void LoopZones::CallMark(const Check& check, llvm::CallInst& hook) {
  llvm::Instruction* mark = check.zone.mark->clone();
  mark->setDebugLoc(hook.getDebugLoc());
  mark->insertBefore(&hook);
}

}  // namespace taskrace
