// The checks of one function's plain loads, stores and copies, as they are planned before any is inserted.
//
// A plan begins as one check an access. Then checks are dropped (redundant_checks.h), merged
// (neighbours.h) and moved out of loops (loop_ranges.h); what is left is inserted. Addresses are
// expressions of scalar evolution, cut into a base and a constant, so that equal and neighbouring
// ones are recognised however they are computed.
//
// All of it rests on one rule: between two barriers (barriers.h) checks may change places, as long
// as none is made that the program would not have come to.
//
// Thread rule: as for the module that is changed. Cost: linear in accesses.
#ifndef TASKRACE_COMPILER_CHECKS_H_
#define TASKRACE_COMPILER_CHECKS_H_

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "compiler/hook_calls.h"
#include "compiler/invariant_loads.h"
#include "compiler/local_memory.h"

namespace taskrace {

// `rows` ranges of `size` bytes, `distance` apart, the first at base + offset.
struct Footprint {
  const llvm::SCEV* base = nullptr;  // of pointer type, without a constant term
  int64_t offset = 0;
  const llvm::SCEV* size = nullptr;
  uint64_t least = 0;                // a row is never shorter than this
  const llvm::SCEV* rows = nullptr;  // null: one
  const llvm::SCEV* distance = nullptr;
  // Rows are not made longer: Check::parts would not be found in them.
  bool has_parts = false;

  // Its size, if it is one row of a size that is known; else 0.
  uint64_t KnownSize() const;
  const llvm::SCEV* First(llvm::ScalarEvolution& evolution) const;
  void SetFirst(const llvm::SCEV* first, llvm::ScalarEvolution& evolution);
  bool operator==(const Footprint& other) const = default;
};

// The check is made only if `condition` is `wanted`.
struct Guard {
  llvm::Value* condition;
  bool wanted;
  bool operator==(const Guard& other) const = default;
};

// Some bytes of a row, and the access that touches them.
struct Part {
  int64_t offset;
  uint64_t size;
  llvm::Instruction* access;
};

// The iterations of a parallel loop that a check before it is about: iteration first + i touches the
// check's bytes, i * step further on.
struct Iterations {
  const llvm::SCEV* step = nullptr;  // null: the check is made where the access is
  const llvm::SCEV* first = nullptr;
  const llvm::SCEV* count = nullptr;
  bool is_possible =
      false;  // an iteration may make the access or not; another check stays in the loop
};

// Where in memory a check that stays in a parallel loop is made (loop_zones.h).
struct LoopZone {
  llvm::BasicBlock* before = nullptr;  // the loop; null: the check is made wherever the access is
  unsigned staying = 0;                // __taskrace_staying: which zone it is
  llvm::CallInst* mark = nullptr;      // of the loop
};

struct Check {
  llvm::Instruction* access;    // whose line it has
  llvm::Instruction* position;  // before which it stands
  AccessKind kind;              // kRead or kWrite
  Footprint bytes;
  // A value of the program that is base + pointer_offset and known at `position`; null: compute it.
  llvm::Value* pointer;
  int64_t pointer_offset;
  llvm::SmallVector<Guard, 1> guards;
  // Nor is it made if it would be about one of these, which are private.
  llvm::SmallVector<llvm::AllocaInst*, 1> unless_in;
  // If it is about several lines: those of a row, by their addresses.
  llvm::SmallVector<Part, 0> parts;
  // If it gathers (gathered_checks.h): where, and whether always at the same address, most likely.
  llvm::Loop* gathers_in = nullptr;
  bool expected_in_place = false;
  // If it has left a parallel loop (iteration_checks.h).
  Iterations iterations = {};
  // If it stays in one that has no mark.
  LoopZone zone = {};

  bool IsWrite() const { return kind == AccessKind::kWrite; }
  // One row of known size, whatever happens.
  bool IsSimple() const { return guards.empty() && bytes.KnownSize() != 0; }
};

using Checks = std::vector<Check>;
using InstructionSet = llvm::SmallPtrSet<const llvm::Instruction*, 32>;

// A check for each plain load, store and copy that can be shared, in the order of the function. That
// of a moved load stands in the block that it was in.
Checks PlanChecks(llvm::Function& function, llvm::ScalarEvolution& evolution,
                  const llvm::LoopInfo& loops, const LocalMemory& local, const MovedLoads& moved);

// Are the two at the same line of the source, inlined at the same place?
bool OnSameLine(const llvm::Instruction& one, const llvm::Instruction& other);

// Inserts the hooks.
void InsertChecks(const Checks& checks, llvm::ScalarEvolution& evolution);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_CHECKS_H_
