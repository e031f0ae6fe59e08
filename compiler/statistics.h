// What the pass emitted and what it left out, for `-mllvm -taskrace-stats` and
// the tests that count.
//
// Thread rule: one compilation at a time. Cost: an addition a hook.
#ifndef TASKRACE_COMPILER_STATISTICS_H_
#define TASKRACE_COMPILER_STATISTICS_H_

#include <llvm/ADT/Statistic.h>

namespace llvm {
class raw_ostream;
}

namespace taskrace {

// LLVM's own counters, so that `-stats` shows them too where LLVM has it.
struct Counters {
  static llvm::TrackingStatistic kReads, kWrites, kRanges, kStrings, kAtomics;
  static llvm::TrackingStatistic kLifetimes, kThreadLocals, kEntries, kLibraryCalls, kOrdered;
  static llvm::TrackingStatistic kSkippedPrivate, kSkippedConstant, kSkippedThreadLocal;
  static llvm::TrackingStatistic kSkippedOther;
  static llvm::TrackingStatistic kRows, kParts, kLoopRanges, kMerged, kRedundant;
  static llvm::TrackingStatistic kLoops, kMarks;
};

// One line a counter: "taskrace: SOURCE: reads 12".
void PrintCounters(llvm::raw_ostream& out, llvm::StringRef source);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_STATISTICS_H_
