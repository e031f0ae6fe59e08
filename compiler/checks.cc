#include "compiler/checks.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "compiler/gathered_checks.h"
#include "compiler/iteration_checks.h"
#include "compiler/loop_zones.h"
#include "compiler/parts.h"
#include "compiler/places.h"

namespace taskrace {

using llvm::dyn_cast;

namespace {

// The expression without its constant term, which is added to `offset`.
const llvm::SCEV* WithoutConstant(const llvm::SCEV* expression, int64_t& offset,
                                  llvm::ScalarEvolution& evolution) {
  if (const auto* sum = dyn_cast<llvm::SCEVAddExpr>(expression)) {
    const auto* constant = dyn_cast<llvm::SCEVConstant>(sum->getOperand(0));
    if (constant == nullptr || constant->getAPInt().getSignificantBits() > 62) return expression;
    offset += constant->getAPInt().getSExtValue();
    llvm::SmallVector<const llvm::SCEV*, 4> rest(llvm::drop_begin(sum->operands()));
    return evolution.getAddExpr(rest);
  }
  if (const auto* walk = dyn_cast<llvm::SCEVAddRecExpr>(expression)) {
    const llvm::SCEV* start = WithoutConstant(walk->getStart(), offset, evolution);
    if (start == walk->getStart()) return expression;
    llvm::SmallVector<const llvm::SCEV*, 3> operands(walk->operands());
    operands[0] = start;
    return evolution.getAddRecExpr(operands, walk->getLoop(), llvm::SCEV::FlagAnyWrap);
  }
  return expression;
}

struct Access {
  AccessKind kind;
  llvm::Value* pointer;
  const llvm::SCEV* size;  // as wide as a pointer; null: unknown
};

// What the instruction reads and writes, if it is a plain load, store, or copy or setting of memory.
llvm::SmallVector<Access, 2> PlainAccesses(llvm::Instruction& instruction,
                                           llvm::ScalarEvolution& evolution) {
  const llvm::DataLayout& layout = evolution.getDataLayout();
  llvm::Type* word = layout.getIntPtrType(instruction.getContext());
  auto size_of = [&](llvm::Type* type) -> const llvm::SCEV* {
    const llvm::TypeSize size = layout.getTypeStoreSize(type);
    return size.isScalable() ? nullptr : evolution.getConstant(word, size.getFixedValue());
  };
  if (instruction.hasMetadata(llvm::LLVMContext::MD_nosanitize)) return {};
  if (auto* load = dyn_cast<llvm::LoadInst>(&instruction); load && load->isSimple()) {
    return {{AccessKind::kRead, load->getPointerOperand(), size_of(load->getType())}};
  }
  if (auto* store = dyn_cast<llvm::StoreInst>(&instruction); store && store->isSimple()) {
    return {{AccessKind::kWrite, store->getPointerOperand(),
             size_of(store->getValueOperand()->getType())}};
  }
  auto* change = dyn_cast<llvm::MemIntrinsic>(&instruction);
  if (change == nullptr || change->isVolatile()) return {};
  const llvm::SCEV* length = evolution.getSCEV(change->getLength());
  if (evolution.getTypeSizeInBits(length->getType()) > evolution.getTypeSizeInBits(word)) return {};
  length = evolution.getNoopOrZeroExtend(length, word);
  llvm::SmallVector<Access, 2> accesses;
  if (auto* transfer = dyn_cast<llvm::MemTransferInst>(change)) {
    accesses.push_back({AccessKind::kRead, transfer->getRawSource(), length});
  }
  accesses.push_back({AccessKind::kWrite, change->getRawDest(), length});
  return accesses;
}

}  // namespace

uint64_t Footprint::KnownSize() const {
  const auto* constant = dyn_cast<llvm::SCEVConstant>(size);
  if (rows != nullptr || constant == nullptr || !constant->getAPInt().isIntN(62)) return 0;
  return constant->getAPInt().getZExtValue();
}

const llvm::SCEV* Footprint::First(llvm::ScalarEvolution& evolution) const {
  if (offset == 0) return base;
  return evolution.getAddExpr(base, evolution.getConstant(size->getType(), offset, true));
}

void Footprint::SetFirst(const llvm::SCEV* first, llvm::ScalarEvolution& evolution) {
  offset = 0;
  base = WithoutConstant(first, offset, evolution);
}

Checks PlanChecks(llvm::Function& function, llvm::ScalarEvolution& evolution,
                  const llvm::LoopInfo& loops, const LocalMemory& local, const MovedLoads& moved) {
  Checks checks;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const llvm::SmallVector<Access, 2> accesses = PlainAccesses(instruction, evolution);
    // An access that cannot be planned is checked where it is, with the others of the instruction.
    if (llvm::any_of(accesses, [&](const Access& access) {
          const Place place = PlaceOf(access.pointer, local);
          return access.size == nullptr || access.size->isZero() ||
                 (place == Place::kConstant && access.kind == AccessKind::kWrite);
        })) {
      continue;
    }
    for (const Access& access : accesses) {
      if (PlaceOf(access.pointer, local) != Place::kShared) continue;
      const llvm::SCEV* address =
          evolution.getSCEVAtScope(access.pointer, loops.getLoopFor(instruction.getParent()));
      llvm::Instruction* end_of_block = moved.lookup(&instruction);
      llvm::Instruction* position = end_of_block != nullptr ? end_of_block : &instruction;
      Check check{&instruction, position, access.kind, {}, access.pointer, 0, {}, {}, {}};
      check.unless_in = local.MixedInto(access.pointer);
      check.bytes.size = access.size;
      check.bytes.least = check.bytes.KnownSize();
      check.bytes.SetFirst(address, evolution);
      check.pointer_offset = check.bytes.offset;
      checks.push_back(check);
    }
  }
  return checks;
}

bool OnSameLine(const llvm::Instruction& one, const llvm::Instruction& other) {
  const llvm::DILocation *here = one.getDebugLoc().get(), *there = other.getDebugLoc().get();
  if (here == nullptr || there == nullptr) return here == there;
  return here->getLine() == there->getLine() && here->getInlinedAt() == there->getInlinedAt() &&
         here->getFile() == there->getFile() &&
         here->getScope()->getSubprogram() == there->getScope()->getSubprogram();
}

namespace {

// Lets the hook be called only if all conditions hold, if its address is in none of the variables, and in the
// zone of the check.
void CallOnlyIf(llvm::ArrayRef<Guard> guards, const Check& check, LoopZones& zones,
                llvm::CallInst& hook) {
  const llvm::DataLayout& layout = hook.getModule()->getDataLayout();
  BuilderBefore builder(&hook);
  llvm::SmallVector<llvm::Value*, 2> conditions;
  const bool has_zone = check.zone.before != nullptr;
  if (has_zone) conditions.push_back(zones.Condition(check, hook));
  for (const Guard& guard : guards) {
    conditions.push_back(guard.wanted ? guard.condition : builder.CreateNot(guard.condition));
  }
  for (llvm::AllocaInst* variable : check.unless_in) {
    llvm::IntegerType* word = SizeType(builder);
    llvm::Value* distance = builder.CreateSub(builder.CreatePtrToInt(hook.getArgOperand(0), word),
                                              builder.CreatePtrToInt(variable, word));
    const uint64_t size = variable->getAllocationSize(layout)->getFixedValue();
    conditions.push_back(builder.CreateICmpUGE(distance, llvm::ConstantInt::get(word, size)));
  }
  hook.moveBefore(
      llvm::SplitBlockAndInsertIfThen(builder.CreateAnd(conditions), hook.getIterator(), false));
  if (has_zone) LoopZones::CallMark(check, hook);
}

}  // namespace

void InsertChecks(const Checks& checks, llvm::ScalarEvolution& evolution) {
  if (checks.empty()) return;
  struct Conditional {
    llvm::ArrayRef<Guard> guards;
    const Check* check;
    llvm::CallInst* hook;
  };
  llvm::SmallVector<Conditional, 4> conditional;
  const llvm::Module& module = *checks.front().access->getModule();
  llvm::SCEVExpander expander(evolution, module.getDataLayout(), "taskrace");
  llvm::Type* word = module.getDataLayout().getIntPtrType(module.getContext());
  for (const Check& check : checks) {
    if (check.gathers_in != nullptr) continue;
    if (check.iterations.step != nullptr) {
      InsertBeforeParallelLoop(check, evolution, expander);
      continue;
    }
    llvm::Instruction* position = check.position;
    auto expand = [&](const llvm::SCEV* expression, llvm::Type* type) {
      return expander.expandCodeFor(expression, type, position);
    };
    const Footprint& bytes = check.bytes;
    llvm::Value* address = check.pointer;
    if (address == nullptr) {
      address = expand(bytes.First(evolution), bytes.base->getType());
    }
    llvm::Value* size = expand(bytes.size, word);
    llvm::Value* rows = bytes.rows != nullptr ? expand(bytes.rows, word) : nullptr;
    llvm::Value* distance = bytes.rows != nullptr ? expand(bytes.distance, word) : nullptr;
    BuilderBefore builder(position, check.access);
    if (check.pointer != nullptr && bytes.offset != check.pointer_offset) {
      address =
          builder.CreatePtrAdd(address, builder.getInt64(bytes.offset - check.pointer_offset));
    }
    // Without rows, or of no bytes, nothing is checked; a small check is not even made.
    const bool is_small = bytes.KnownSize() != 0 && check.parts.empty();
    llvm::Value*& amount = rows != nullptr ? rows : size;
    for (const Guard& guard : check.guards) {
      if (is_small) break;
      llvm::Value* nothing = llvm::ConstantInt::get(word, 0);
      amount = guard.wanted ? builder.CreateSelect(guard.condition, amount, nothing)
                            : builder.CreateSelect(guard.condition, nothing, amount);
    }
    if (!check.parts.empty()) {
      llvm::Value* one = llvm::ConstantInt::get(word, 1);
      CallPartsHook(builder, check.kind, address, size, rows != nullptr ? rows : one,
                    rows != nullptr ? distance : one, MakePartsFunction(check));
    } else if (rows != nullptr) {
      CallRowsHook(builder, check.kind, address, size, rows, distance);
    } else {
      CallAccessHook(builder, check.kind, address, size);
    }
    const llvm::ArrayRef<Guard> guards = is_small ? check.guards : llvm::ArrayRef<Guard>();
    if (!guards.empty() || !check.unless_in.empty() || check.zone.before != nullptr) {
      conditional.push_back({guards, &check, llvm::cast<llvm::CallInst>(position->getPrevNode())});
    }
  }
  InsertGathered(checks);
  // Last, for new blocks are unknown to what has been found out about the function.
  LoopZones zones;
  for (auto [guards, check, hook] : conditional) CallOnlyIf(guards, *check, zones, *hook);
}

}  // namespace taskrace
