#include "compiler/gathered_checks.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace taskrace {

using llvm::dyn_cast;
using llvm::isa;

namespace {

constexpr size_t kMostExits = 4;
// How far back an address is followed to the loads that it is computed from.
constexpr unsigned kLongestWay = 8;

// What is expected of an address from one iteration to the next.
enum class Expected { kNothing, kSamePlace, kEqualSteps };

// Expects that whatever is loaded again is what it was.
class Expectation {
 public:
  Expectation(const llvm::Loop& loop, llvm::ScalarEvolution& evolution)
      : loop_(loop), evolution_(evolution) {}

  Expected Of(const llvm::SCEV* expression) {
    if (evolution_.isLoopInvariant(expression, &loop_)) return Expected::kSamePlace;
    if (const auto* walk = dyn_cast<llvm::SCEVAddRecExpr>(expression)) {
      const bool here = walk->getLoop() == &loop_ && walk->isAffine();
      return here ? Expected::kEqualSteps : Expected::kNothing;
    }
    if (const auto* value = dyn_cast<llvm::SCEVUnknown>(expression)) {
      return Stays(value->getValue(), kLongestWay) ? Expected::kSamePlace : Expected::kNothing;
    }
    unsigned moving = 0;
    for (const llvm::SCEV* operand : expression->operands()) {
      const Expected expected = Of(operand);
      if (expected == Expected::kNothing) return expected;
      if (expected == Expected::kEqualSteps) ++moving;
    }
    if (moving == 0) return Expected::kSamePlace;
    const bool linear = isa<llvm::SCEVAddExpr, llvm::SCEVCastExpr>(expression) ||
                        (isa<llvm::SCEVMulExpr>(expression) && moving == 1);
    return linear ? Expected::kEqualSteps : Expected::kNothing;
  }

 private:
  // Is it computed from what stays the same and what is loaded from places that stay the same?
  bool Stays(const llvm::Value* value, unsigned way) const {
    if (loop_.isLoopInvariant(value)) return true;
    const auto* instruction = llvm::cast<llvm::Instruction>(value);
    if (way == 0) return false;
    if (const auto* load = dyn_cast<llvm::LoadInst>(instruction)) {
      return load->isSimple() && Stays(load->getPointerOperand(), way - 1);
    }
    if (!isa<llvm::BinaryOperator, llvm::CastInst, llvm::GetElementPtrInst>(instruction)) {
      return false;
    }
    return llvm::all_of(instruction->operands(),
                        [&](const llvm::Use& use) { return Stays(use.get(), way - 1); });
  }

  const llvm::Loop& loop_;
  llvm::ScalarEvolution& evolution_;
};

// One check, while it is being inserted. Its state is in variables on the stack at first.
class Gathering {
 public:
  explicit Gathering(const Check& check)
      : check_(check),
        word_(llvm::cast<llvm::IntegerType>(check.bytes.size->getType())),
        pointer_(llvm::PointerType::getUnqual(check.access->getContext())),
        before_(check.gathers_in->getLoopPreheader()->getTerminator()) {
    check.gathers_in->getUniqueExitBlocks(exits_);
  }

  void Insert(llvm::SmallVectorImpl<llvm::AllocaInst*>& variables) {
    llvm::IRBuilder<> entry(&*check_.access->getFunction()->getEntryBlock().begin());
    llvm::IRBuilder<> before(before_);
    for (auto [variable, type] : {std::pair<llvm::AllocaInst**, llvm::Type*>{&first_, pointer_},
                                  {&last_, pointer_},
                                  {&count_, word_},
                                  {&distance_, word_}}) {
      variables.push_back(*variable = entry.CreateAlloca(type));
      before.CreateStore(llvm::Constant::getNullValue(type), *variable);
    }
    BuilderBefore here(check_.position, check_.access);
    llvm::Value* address = here.CreatePtrAdd(
        check_.pointer, here.getInt64(check_.bytes.offset - check_.pointer_offset));
    if (check_.expected_in_place) {
      CheckWhenItMoves(here, address);
    } else {
      Count(here, address);
    }
  }

 private:
  llvm::ConstantInt* Number(uint64_t value) const { return llvm::ConstantInt::get(word_, value); }
  llvm::Value* Load(llvm::IRBuilderBase& builder, llvm::AllocaInst* variable) const {
    return builder.CreateLoad(variable->getAllocatedType(), variable);
  }
  // The end of a block that is executed if the condition holds.
  llvm::Instruction* If(llvm::Value* condition, llvm::Instruction* position) const {
    llvm::MDBuilder weights(condition->getContext());
    return llvm::SplitBlockAndInsertIfThen(condition, position, false,
                                           weights.createUnlikelyBranchWeights());
  }

  // Emits: if (address != last) check(address), last = address;
  void CheckWhenItMoves(BuilderBefore& here, llvm::Value* address) {
    llvm::Value* moves = here.CreateICmpNE(address, Load(here, last_));
    BuilderBefore builder(If(moves, check_.position), check_.access);
    CallAccessHook(builder, check_.kind, address, Number(check_.bytes.KnownSize()));
    builder.CreateStore(address, last_);
  }

  // Emits: if (address - last != distance) {
  //   if (count == 1) { distance = address - last; }
  //   else { check the rows; first = address; count = 0; }
  // }
  // ++count, last = address;
  void Count(BuilderBefore& here, llvm::Value* address) {
    llvm::Value* step = here.CreateSub(here.CreatePtrToInt(address, word_),
                                       here.CreatePtrToInt(Load(here, last_), word_));
    llvm::Value* breaks = here.CreateICmpNE(step, Load(here, distance_));
    llvm::Instruction* broken = If(breaks, check_.position);
    BuilderBefore other(broken, check_.access);
    llvm::Instruction *is_second, *is_not;
    llvm::SplitBlockAndInsertIfThenElse(other.CreateICmpEQ(Load(other, count_), Number(1)), broken,
                                        &is_second, &is_not);
    BuilderBefore second(is_second, check_.access);
    second.CreateStore(step, distance_);
    BuilderBefore anew(is_not, check_.access);
    CheckRows(anew);
    anew.CreateStore(address, first_);
    anew.CreateStore(Number(0), count_);

    BuilderBefore counted(check_.position, check_.access);
    counted.CreateStore(counted.CreateAdd(Load(counted, count_), Number(1)), count_);
    counted.CreateStore(address, last_);
    for (llvm::BasicBlock* exit : exits_) {
      BuilderBefore after(&*exit->getFirstInsertionPt(), check_.access);
      CheckRows(after);
    }
  }
  void CheckRows(llvm::IRBuilderBase& builder) const {
    CallRowsHook(builder, check_.kind, Load(builder, first_), Number(check_.bytes.KnownSize()),
                 Load(builder, count_), Load(builder, distance_));
  }

  const Check& check_;
  llvm::IntegerType* word_;
  llvm::PointerType* pointer_;
  llvm::Instruction* before_;
  llvm::SmallVector<llvm::BasicBlock*, 4> exits_;
  // The first and the last address of the rows so far, how many there are, and how far apart.
  llvm::AllocaInst *first_ = nullptr, *last_ = nullptr, *count_ = nullptr, *distance_ = nullptr;
};

}  // namespace

bool Gather(Check& check, llvm::Loop& loop, LoopFacts& facts) {
  llvm::SmallVector<llvm::BasicBlock*, 4> exits;
  loop.getUniqueExitBlocks(exits);
  if (check.pointer == nullptr || !check.IsSimple() || check.bytes.has_parts ||
      facts.ShapeOf(loop).closed.kind != Obstacle::Kind::kNone || !facts.Ends(loop) ||
      !facts.dominators().dominates(check.position->getParent(), loop.getLoopLatch()) ||
      exits.size() > kMostExits ||
      llvm::any_of(exits, [](llvm::BasicBlock* exit) { return exit->isEHPad(); })) {
    return false;
  }
  const Expected expected = Expectation(loop, facts.evolution()).Of(check.bytes.base);
  if (expected == Expected::kNothing) return false;
  check.gathers_in = &loop;
  check.expected_in_place = expected == Expected::kSamePlace;
  return true;
}

void InsertGathered(llvm::ArrayRef<Check> checks) {
  llvm::SmallVector<Gathering, 4> all;
  for (const Check& check : checks) {
    if (check.gathers_in != nullptr) all.emplace_back(check);
  }
  if (all.empty()) return;
  llvm::SmallVector<llvm::AllocaInst*, 16> variables;
  for (Gathering& one : all) one.Insert(variables);
  llvm::DominatorTree dominators(*checks.front().access->getFunction());
  llvm::PromoteMemToReg(variables, dominators);
}

}  // namespace taskrace
