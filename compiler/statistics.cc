#include "compiler/statistics.h"

#include <llvm/Support/raw_ostream.h>

namespace taskrace {

using llvm::TrackingStatistic;

TrackingStatistic Counters::kReads("taskrace", "reads", "checks of reads of 1 to 16 bytes");
TrackingStatistic Counters::kWrites("taskrace", "writes", "checks of writes of 1 to 16 bytes");
TrackingStatistic Counters::kRanges("taskrace", "ranges", "checks of ranges");
TrackingStatistic Counters::kStrings("taskrace", "strings", "checks of strings");
TrackingStatistic Counters::kAtomics("taskrace", "atomics", "checks of atomic operations");
TrackingStatistic Counters::kLifetimes("taskrace", "lifetimes", "starts of stack variables");
TrackingStatistic Counters::kThreadLocals("taskrace", "thread-locals", "thread_locals that leave");
TrackingStatistic Counters::kEntries("taskrace", "entries", "functions with a shadow frame");
TrackingStatistic Counters::kLibraryCalls("taskrace", "library-calls", "calls with known effects");
TrackingStatistic Counters::kOrdered("taskrace", "ordered", "regions ordered by a count");
TrackingStatistic Counters::kSkippedPrivate("taskrace", "skipped-private",
                                            "accesses to variables that cannot be shared");
TrackingStatistic Counters::kSkippedConstant("taskrace", "skipped-constant", "reads of constants");
TrackingStatistic Counters::kSkippedThreadLocal("taskrace", "skipped-thread-local",
                                                "direct accesses to thread_locals");
TrackingStatistic Counters::kSkippedOther("taskrace", "skipped-other",
                                          "accesses that belong to the compiler");
TrackingStatistic Counters::kRows("taskrace", "rows", "checks of evenly spaced ranges");
TrackingStatistic Counters::kParts("taskrace", "parts", "checks of accesses of several lines");
TrackingStatistic Counters::kLoopRanges("taskrace", "loop-ranges",
                                        "checks that stand before a loop for all iterations");
TrackingStatistic Counters::kMerged("taskrace", "merged",
                                    "accesses that the check of a neighbour stands for");
TrackingStatistic Counters::kRedundant("taskrace", "redundant",
                                       "accesses that another check of the strand stands for");
TrackingStatistic Counters::kLoops("taskrace", "loops",
                                   "checks that stand before a parallel loop for its iterations");
TrackingStatistic Counters::kMarks("taskrace", "marks",
                                   "parallel loops whose checks have all left them");

void PrintCounters(llvm::raw_ostream& out, llvm::StringRef source) {
  for (const TrackingStatistic* counter : {&Counters::kReads,
                                           &Counters::kWrites,
                                           &Counters::kRanges,
                                           &Counters::kStrings,
                                           &Counters::kAtomics,
                                           &Counters::kLifetimes,
                                           &Counters::kThreadLocals,
                                           &Counters::kEntries,
                                           &Counters::kLibraryCalls,
                                           &Counters::kOrdered,
                                           &Counters::kSkippedPrivate,
                                           &Counters::kSkippedConstant,
                                           &Counters::kSkippedThreadLocal,
                                           &Counters::kSkippedOther,
                                           &Counters::kRows,
                                           &Counters::kParts,
                                           &Counters::kLoopRanges,
                                           &Counters::kMerged,
                                           &Counters::kRedundant,
                                           &Counters::kLoops,
                                           &Counters::kMarks}) {
    out << "taskrace: " << source << ": " << counter->getName() << ' ' << counter->getValue()
        << '\n';
  }
}

}  // namespace taskrace
