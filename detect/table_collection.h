// TableCollection: gives back the memory that the engine and the tables of tasks and loops have for strands that
// nobody will ask for: those that the history does not remember and that do not run.
//
//   scope s;
//   for (;;) { scope t; t.spawn(f); t.sync(); }    // all those tasks have been joined; the history knows the last
//                                                  // few that touched the same memory
//
// When:       tables have grown to twice what the last collection left, and by half of what the history has: a
//             collection walks over the history.
// Thread rule: one thread. Cost: O(1) per cell of the history and per element of the tables that is not
//             forgotten yet; amortised by what was added to the tables, O(1) per strand.
// Tested by:  test/oracle/collected_tables_test.cc, test/runtime/memory_test.py
#pragma once

#include <algorithm>

#include "detect/detection.h"

namespace taskrace {

class TableCollection {
 public:
  // `now`: the strand that has just begun.
  template <class Engine, class History>
  void RunIfDue(Execution& execution, Engine& engine, History& history, StrandId now) {
    if (Index(now) < next_) [[likely]]
      return;
    if constexpr (requires(Roots<Engine, History> roots) { engine.Collect(roots); }) {
      Run(execution, engine, history, now);
    } else {
      next_ = UINT32_MAX;
    }
  }

 private:
  // What must be kept, as engines ask for it (reachability.h).
  template <class Engine, class History>
  struct Roots {
    Execution& execution;
    Engine& engine;
    History& history;
    StrandId now;

    template <class Visit>
    void ForEachStrand(Visit visit) const {
      const auto keep = [&](StrandId u) {
        execution.tasks.Keep(engine.TaskOf(u));
        visit(u);
      };
      StrandId last = kNoStrand;  // neighbouring bytes were touched by the same strands
      const auto remembered = [&](StrandId u) {
        if (u == last || u == kNoStrand || u > kLastStrand) return;
        last = u;
        if (!IsIteration(u)) return keep(u);
        if (execution.loops.IsForgotten(u)) return;
        execution.loops.Keep(u);
        keep(execution.loops.EngineStrand(u));
      };
      keep(now);
      remembered(execution.strand);
      execution.loops.ForEachRunning([&](const LoopTable::Loop& loop) { keep(loop.strand); });
      history.ForEachStrand(remembered);
      for (size_t i = 0; i < execution.open_races.Size(); ++i) {
        remembered(execution.open_races[i].earlier);
        remembered(execution.open_races[i].later);
      }
    }
    template <class Visit>
    void ForEachRunning(Visit visit) const {
      execution.tasks.ForEachRunning(visit);
    }
  };

  template <class Engine, class History>
  [[gnu::noinline]] void Run(Execution& execution, Engine& engine, History& history, StrandId now) {
    const auto bytes = [&] {
      return engine.BytesUsed() + execution.tasks.BytesUsed() + execution.loops.BytesUsed();
    };
    if (bytes() >= std::max(limit_, execution.small_tables)) {
      engine.Collect(Roots<Engine, History>{execution, engine, history, now});
      execution.tasks.Keep(kRootTask);
      execution.tasks.ForEachRunning([&](TaskId task) { execution.tasks.Keep(task); });
      execution.loops.ForgetOthers([&](TaskId task) { return execution.tasks.IsKept(task); });
      execution.tasks.ForgetOthers();
      limit_ = bytes() + std::max(bytes(), history.BytesUsed() / 2);
    }
    next_ = Index(now) + (execution.small_tables == 0 ? 0 : kStrandsBetweenLooks);
    if (execution.small_tables == 0) limit_ = 0;
  }

  static constexpr uint32_t kStrandsBetweenLooks = 4096;

  size_t limit_ = 0;   // of bytes; below it, nothing is done
  uint32_t next_ = 0;  // the strand at which to look at the tables again
};

}  // namespace taskrace
