#include "compiler/openmp_loops.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/parallel_loops.h"

namespace taskrace {

using llvm::dyn_cast;
using llvm::isa;

namespace {

// The variables that get a value loaded from `bound`.
llvm::SmallVector<llvm::Value*, 2> CopiesOf(llvm::Value* bound) {
  llvm::SmallVector<llvm::Value*, 2> copies;
  for (llvm::User* user : bound->users()) {
    auto* load = dyn_cast<llvm::LoadInst>(user);
    if (load == nullptr) continue;
    for (llvm::User* of_load : load->users()) {
      auto* store = dyn_cast<llvm::StoreInst>(of_load);
      if (store != nullptr && store->getValueOperand() == load) {
        copies.push_back(store->getPointerOperand());
      }
    }
  }
  return copies;
}

constexpr uint64_t kStaticChunked = 33, kStatic = 34;

// The schedule of a loop, without modifiers; 0: it is not known.
uint64_t ScheduleOf(const llvm::CallInst& init) {
  constexpr uint64_t kModifiers = uint64_t{3} << 29;
  const auto* schedule = dyn_cast<llvm::ConstantInt>(init.getArgOperand(2));
  return schedule == nullptr ? 0 : schedule->getZExtValue() & ~kModifiers;
}

// Is it a loop, and no sections?
bool IsLoop(const llvm::CallInst& init) {
  constexpr uint64_t kIsSections = 0x400;
  const auto* place = dyn_cast<llvm::GlobalVariable>(init.getArgOperand(0)->stripPointerCasts());
  if (place == nullptr || !place->hasInitializer()) return false;
  const auto* flags =
      llvm::dyn_cast_or_null<llvm::ConstantInt>(place->getInitializer()->getAggregateElement(1));
  return flags != nullptr && (flags->getZExtValue() & kIsSections) == 0;
}

// Does the thread run iterations in a row, each of them a unit? So it is with schedule(static), and without a schedule.
bool IsRun(const llvm::CallInst& init) { return ScheduleOf(init) == kStatic && IsLoop(init); }

// Static loops between which there may be no barrier: if they have the same number of iterations, each thread runs the same ones
// of both.
using PairedLoops = llvm::SmallPtrSet<const llvm::CallInst*, 8>;

bool MayBeAlike(const llvm::CallInst& a, const llvm::CallInst& b) {
  constexpr unsigned kChunk = 8;
  if (ScheduleOf(a) != ScheduleOf(b) || !IsLoop(a) || !IsLoop(b)) return false;
  if (ScheduleOf(a) == kStatic) return true;
  const auto* chunk = dyn_cast<llvm::ConstantInt>(a.getArgOperand(kChunk));
  const auto* other = dyn_cast<llvm::ConstantInt>(b.getArgOperand(kChunk));
  return ScheduleOf(a) == kStaticChunked &&
         (chunk == nullptr || other == nullptr || chunk->getZExtValue() == other->getZExtValue());
}

bool IsBarrier(const llvm::CallInst& call) {
  const llvm::Function* called = call.getCalledFunction();
  return called != nullptr &&
         (called->getName() == "__kmpc_barrier" || called->getName() == "__kmpc_cancel_barrier");
}

bool IsInit(const llvm::CallInst& call) {
  const llvm::Function* called = call.getCalledFunction();
  return called != nullptr && called->getName().starts_with("__kmpc_for_static_init_");
}

// Calls visit(call) for each call that may come after `from` without a barrier between them. Returns whether the
// function may end so.
template <class Visit>
bool ForEachCallBeforeBarrier(const llvm::Instruction& from, Visit visit) {
  bool ends = false;
  llvm::SmallVector<const llvm::Instruction*, 8> open = {&from};
  llvm::SmallPtrSet<const llvm::BasicBlock*, 8> seen;
  while (!open.empty()) {
    const llvm::Instruction* at = open.pop_back_val();
    const llvm::BasicBlock* block = at->getParent();
    for (; at != nullptr; at = at->getNextNode()) {
      const auto* call = dyn_cast<llvm::CallInst>(at);
      if (call != nullptr && IsBarrier(*call)) break;
      if (call != nullptr) visit(*call);
      ends |= isa<llvm::ReturnInst>(at);
    }
    if (at != nullptr) continue;
    for (const llvm::BasicBlock* next : llvm::successors(block)) {
      if (seen.insert(next).second) open.push_back(&next->front());
    }
  }
  return ends;
}

// Adds `init` and the loops that may come after it, in its function, one that this calls, or, if the function is not
// a whole region, wherever.
void AddPairs(const llvm::CallInst& init, llvm::ArrayRef<llvm::CallInst*> all, PairedLoops& pairs) {
  const auto add = [&](const llvm::CallInst& other) {
    if (!IsInit(other) || !MayBeAlike(init, other)) return;
    pairs.insert(&init);
    pairs.insert(&other);
  };
  const bool ends = ForEachCallBeforeBarrier(*init.getNextNode(), [&](const llvm::CallInst& call) {
    add(call);
    const llvm::Function* called = call.getCalledFunction();
    if (called != nullptr && !called->isDeclaration()) {
      ForEachCallBeforeBarrier(called->getEntryBlock().front(), add);
    }
  });
  if (!ends || init.getFunction()->getName().contains("omp_outlined")) return;
  for (const llvm::CallInst* other : all) add(*other);
}

// A mark in the block where the loop over `variable` goes on, if the load is the comparison of its header.
void MarkLoop(llvm::LoadInst& load, llvm::Value* variable, bool is_signed, bool is_run) {
  llvm::Module& module = *load.getModule();
  for (llvm::User* user : load.users()) {
    auto* compare = dyn_cast<llvm::ICmpInst>(user);
    if (compare == nullptr || compare->getOperand(0) != &load) continue;
    auto* branch = dyn_cast<llvm::BranchInst>(compare->getParent()->getTerminator());
    if (branch == nullptr || !branch->isConditional() || branch->getCondition() != compare)
      continue;
    llvm::BasicBlock* body = branch->getSuccessor(0);
    if (body->getSinglePredecessor() == nullptr) continue;
    llvm::IRBuilder<> builder(body, body->getFirstInsertionPt());
    builder.SetCurrentDebugLocation(load.getDebugLoc());
    llvm::Type* word = builder.getInt64Ty();
    llvm::Value* number =
        builder.CreateIntCast(builder.CreateLoad(load.getType(), variable), word, is_signed);
    llvm::FunctionCallee mark =
        module.getOrInsertFunction(kUnitMark, builder.getVoidTy(), word, builder.getInt32Ty());
    builder.CreateCall(mark, {number, builder.getInt32(is_run)})->setDoesNotThrow();
  }
}

void MarkLoopsOf(llvm::CallInst& init, bool is_signed, const PairedLoops& pairs) {
  constexpr unsigned kIsLast = 3, kLowerBound = 4, kStride = 6;
  if (init.arg_size() <= kStride) return;
  // The runtime forgets the variables that it fills: nothing else can change them, and they need no checks.
  for (unsigned i = kIsLast; i <= kStride; ++i) init.addParamAttr(i, llvm::Attribute::NoCapture);
  for (llvm::Value* variable : CopiesOf(init.getArgOperand(kLowerBound)->stripPointerCasts())) {
    llvm::SmallVector<llvm::LoadInst*, 8> loads;
    for (llvm::User* user : variable->users()) {
      if (auto* load = dyn_cast<llvm::LoadInst>(user)) loads.push_back(load);
    }
    // Units of which each is in order with one of another loop alone must be seen one by one.
    const bool is_run = IsRun(init) && !pairs.contains(&init);
    for (llvm::LoadInst* load : loads) MarkLoop(*load, variable, is_signed, is_run);
  }
  if (!pairs.contains(&init)) return;
  llvm::IRBuilder<> builder(&init);
  llvm::FunctionCallee paired =
      init.getModule()->getOrInsertFunction("__taskrace_paired_units", builder.getVoidTy());
  builder.CreateCall(paired)->setDoesNotThrow();
}

// How a thread learns who it is, but for calls of the runtime, which knows.
enum class Tells {
  kNothing,
  kOutsideOfUnits,  // what is often used inside of them for other reasons
  kAlways,
};

Tells WhatTells(const llvm::Instruction& instruction) {
  // Programs number threads by the result of an atomic update, or under a lock.
  if (isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction)) {
    return instruction.use_empty() ? Tells::kNothing : Tells::kOutsideOfUnits;
  }
  const auto* call = dyn_cast<llvm::CallInst>(&instruction);
  if (call == nullptr || call->getCalledFunction() == nullptr) return Tells::kNothing;
  if (call->getIntrinsicID() == llvm::Intrinsic::threadlocal_address) return Tells::kAlways;
  return llvm::StringSwitch<Tells>(call->getCalledFunction()->getName())
      .Cases("pthread_self", "gettid", "sched_getcpu", Tells::kAlways)
      .Cases("pthread_mutex_lock", "pthread_mutex_trylock", "pthread_spin_lock",
             "pthread_rwlock_wrlock", "mtx_lock", Tells::kOutsideOfUnits)
      .Default(Tells::kNothing);
}

// What a block of a loop does that waits.
enum class Waits {
  kNo,       // it does something else
  kPerhaps,  // it computes, in variables of the function
  kYes,      // it looks at what other threads do
};

bool IsVariable(const llvm::Value* pointer) {
  return isa<llvm::AllocaInst>(pointer->stripInBoundsOffsets());
}

Waits HowWaits(const llvm::BasicBlock& block) {
  Waits waits = Waits::kPerhaps;
  for (const llvm::Instruction& instruction : block) {
    if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
      if (!IsVariable(store->getPointerOperand())) return Waits::kNo;
    } else if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
      if (load->isVolatile() || load->isAtomic()) waits = Waits::kYes;
    } else if (isa<llvm::AtomicCmpXchgInst>(instruction)) {
      waits = Waits::kYes;
    } else if (isa<llvm::AtomicRMWInst, llvm::InvokeInst>(instruction)) {
      return Waits::kNo;
    } else if (const auto* call = dyn_cast<llvm::CallInst>(&instruction)) {
      if (isa<llvm::IntrinsicInst>(call)) continue;
      const llvm::Function* called = call->getCalledFunction();
      const bool is_wait =
          called != nullptr &&
          llvm::StringSwitch<bool>(called->getName())
              .Cases("__kmpc_critical", "__kmpc_critical_with_hint", "__kmpc_end_critical", true)
              .Cases("omp_set_lock", "omp_unset_lock", "omp_test_lock", "__kmpc_flush", true)
              .Cases("__kmpc_omp_taskyield", "sched_yield", "usleep", "nanosleep", "sleep", true)
              .Default(false);
      if (!is_wait) return Waits::kNo;
      waits = Waits::kYes;
    }
  }
  return waits;
}

// The variable that the value was loaded from, or null.
const llvm::Value* LoadedFrom(const llvm::Value* value) {
  while (const auto* cast = dyn_cast<llvm::CastInst>(value)) value = cast->getOperand(0);
  const auto* load = dyn_cast<llvm::LoadInst>(value);
  return load != nullptr && IsVariable(load->getPointerOperand()) ? load->getPointerOperand()
                                                                  : nullptr;
}

// Is it a variable that the loop only adds to?
bool IsCounter(const llvm::Value* variable, const llvm::Loop& loop) {
  bool counts = false;
  for (const llvm::User* user : variable->users()) {
    const auto* store = dyn_cast<llvm::StoreInst>(user);
    if (store == nullptr || !loop.contains(store)) continue;
    const auto* sum = dyn_cast<llvm::BinaryOperator>(store->getValueOperand());
    if (sum == nullptr || LoadedFrom(sum->getOperand(0)) != variable) return false;
    counts = true;
  }
  return counts;
}

// Does the loop end after a number of rounds that is known, and only then?
bool IsCounted(const llvm::Loop& loop) {
  llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
  loop.getExitingBlocks(exiting);
  return llvm::all_of(exiting, [&](const llvm::BasicBlock* block) {
    const auto* branch = dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (branch == nullptr || !branch->isConditional()) return false;
    const auto* compare = dyn_cast<llvm::ICmpInst>(branch->getCondition());
    if (compare == nullptr) return false;
    return llvm::any_of(compare->operands(), [&](const llvm::Use& operand) {
      const llvm::Value* variable = LoadedFrom(operand);
      return variable != nullptr && IsCounter(variable, loop);
    });
  });
}

// Is there a way once around the loop on which nothing is done but to look at what others do? A loop that stores nothing
// at all waits, too, if it loads what others may change.
bool IsWaitLoop(const llvm::Loop& loop) {
  if (IsCounted(loop)) return false;
  // Where the way has come to, and whether it has looked at something.
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, bool>, 8> open;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 8> seen[2];
  bool stores = false, loads = false;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      stores |= instruction.mayWriteToMemory() && !instruction.isVolatile();
      const auto* load = dyn_cast<llvm::LoadInst>(&instruction);
      loads |= load != nullptr && !IsVariable(load->getPointerOperand());
    }
  }
  open.push_back({loop.getHeader(), loads && !stores});
  while (!open.empty()) {
    auto [block, looks] = open.pop_back_val();
    if (!seen[looks ? 1 : 0].insert(block).second) continue;
    const Waits waits = HowWaits(*block);
    if (waits == Waits::kNo) continue;
    looks |= waits == Waits::kYes;
    for (const llvm::BasicBlock* next : llvm::successors(block)) {
      if (next == loop.getHeader() && looks) return true;
      if (next != loop.getHeader() && loop.contains(next)) open.push_back({next, looks});
    }
  }
  return false;
}

// The runtime is told when such a loop begins again, and when it is over.
void MarkWaitLoops(llvm::Function& function) {
  llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  llvm::FunctionCallee wait = nullptr;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!IsWaitLoop(*loop)) continue;
    llvm::SmallVector<llvm::BasicBlock*, 4> exits;
    loop->getUniqueExitBlocks(exits);
    exits.push_back(loop->getHeader());
    for (llvm::BasicBlock* block : exits) {
      llvm::IRBuilder<> builder(block, block->getFirstInsertionPt());
      if (function.getSubprogram() != nullptr) builder.SetCurrentDebugLocation(loop->getStartLoc());
      wait = function.getParent()->getOrInsertFunction("__taskrace_wait", builder.getVoidTy(),
                                                       builder.getInt32Ty());
      builder.CreateCall(wait, {builder.getInt32(block == loop->getHeader())})->setDoesNotThrow();
    }
  }
}

}  // namespace

void MarkOpenMpLoops(llvm::Module& module) {
  // A module that calls no function of OpenMP may be linked without our library.
  const bool calls_runtime = llvm::any_of(module, [](const llvm::Function& function) {
    return function.isDeclaration() &&
           (function.getName().starts_with("__kmpc_") || function.getName().starts_with("omp_"));
  });
  if (module.getModuleFlag("openmp") == nullptr || !calls_runtime) return;
  static constexpr struct {
    llvm::StringLiteral name;
    bool is_signed;
  } kInits[] = {{"__kmpc_for_static_init_4", true},
                {"__kmpc_for_static_init_4u", false},
                {"__kmpc_for_static_init_8", true},
                {"__kmpc_for_static_init_8u", false}};
  llvm::SmallVector<std::pair<llvm::CallInst*, bool>, 8> loops;
  llvm::SmallVector<llvm::CallInst*, 8> inits;
  for (const auto& [name, is_signed] : kInits) {
    llvm::Function* init = module.getFunction(name);
    if (init == nullptr) continue;
    for (llvm::User* user : init->users()) {
      auto* call = dyn_cast<llvm::CallInst>(user);
      if (call == nullptr) continue;
      loops.push_back({call, is_signed});
      inits.push_back(call);
    }
  }
  PairedLoops pairs;
  for (const llvm::CallInst* init : inits) AddPairs(*init, inits, pairs);
  for (const auto& [init, is_signed] : loops) MarkLoopsOf(*init, is_signed, pairs);
  for (llvm::Function& function : module) {
    llvm::SmallVector<llvm::Instruction*, 8> telling;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (WhatTells(instruction) != Tells::kNothing) telling.push_back(&instruction);
    }
    for (llvm::Instruction* instruction : telling) {
      llvm::IRBuilder<> builder(instruction);
      llvm::FunctionCallee aware =
          module.getOrInsertFunction("__taskrace_aware", builder.getVoidTy(), builder.getInt32Ty());
      const bool in_units = WhatTells(*instruction) == Tells::kAlways;
      builder.CreateCall(aware, {builder.getInt32(in_units)})->setDoesNotThrow();
    }
    if (!function.isDeclaration()) MarkWaitLoops(function);
  }
}

}  // namespace taskrace
