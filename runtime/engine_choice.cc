// The table of detectors, and the choice of `auto`. Each row instantiates a Detector<Engine, History>: this is
// the one file in which all of them are compiled, and the slowest of the runtime to compile.
#include "runtime/engine_choice.h"

#include <string.h>

#include <new>
#include <span>

#include "detect/detector.h"
#include "detect/history/intervals.h"
#include "detect/history/shadow.h"
#include "detect/reach/auto.h"
#include "detect/reach/donesets.h"
#include "detect/reach/dpst_engine.h"
#include "detect/reach/lattice2d.h"
#include "detect/reach/multibags.h"
#include "detect/reach/multibags_plus.h"
#include "detect/reach/promises.h"
#include "detect/reach/sp_bags.h"
#include "detect/reach/sp_order.h"
#include "taskrace/hooks.h"

namespace taskrace {
namespace {

struct Maker {
  const char* engine;
  const char* history;
  Detection* (*make)(Execution& execution);
};

template <class Engine, class History>
constexpr Maker kMaker = {Engine::kName, History::kName, [](Execution& execution) -> Detection* {
                            using Made = Detector<Engine, History>;
                            return new (Map(RoundUpToMapping(sizeof(Made)), "the detector"))
                                Made(execution);
                          }};

// For each engine the history that `auto` takes comes first.
template <class Engine>
constexpr Maker kMakersOf[] = {kMaker<Engine, ShadowHistory>, kMaker<Engine, IntervalHistory>};

constexpr std::span<const Maker> kMakers[] = {
    kMakersOf<SpBags>,     kMakersOf<SpOrder>,       kMakersOf<Auto>,
    kMakersOf<MultiBags>,  kMakersOf<MultiBagsPlus>, kMakersOf<DoneSets>,
    kMakersOf<DpstEngine>, kMakersOf<Lattice2d>,     kMakersOf<Promises>,
};

}  // namespace

EngineChoice ChooseEngine(uint32_t constructs) {
  if ((constructs & TASKRACE_USES_PROMISE) != 0) {
    return {Promises::kName, "the program uses promises"};
  }
  if ((constructs & TASKRACE_USES_EDGE) != 0) {
    return {Promises::kName, "the program declares happens-before edges"};
  }
  if ((constructs & TASKRACE_USES_THREAD) != 0) {
    return {Promises::kName, "the program starts threads"};
  }
  if (constructs == TASKRACE_USES_STAGE) {
    return {Lattice2d::kName, "the program uses only pipelines"};
  }
  if ((constructs & TASKRACE_USES_FUTURE) != 0) {
    return {Auto::kName, "the program uses futures"};
  }
  if ((constructs & (TASKRACE_USES_FORK | TASKRACE_USES_STAGE)) != 0) {
    return {Auto::kName, "the program forks tasks"};
  }
  // The single reader of spbags is right only where joins nest, whatever the program does later.
  if ((constructs & TASKRACE_USES_LOOSE_SCOPE) != 0) {
    return {MultiBags::kName, "the joins of scopes need not nest"};
  }
  const bool forks = (constructs & (TASKRACE_USES_SCOPE | TASKRACE_USES_NEST)) != 0;
  if (forks && (constructs & TASKRACE_USES_FINISH) != 0) {
    return {MultiBags::kName, "an async may outlive the scope or loop in which it was created"};
  }
  return {SpBags::kName, "all joins nest"};
}

Detection* MakeDetection(const char* engine, const char* history, Execution& execution) {
  const bool any_history = strcmp(history, "auto") == 0;
  for (const std::span<const Maker> makers : kMakers) {
    for (const Maker& maker : makers) {
      if (strcmp(engine, maker.engine) == 0 &&
          (any_history || strcmp(history, maker.history) == 0)) {
        return maker.make(execution);
      }
    }
  }
  CHECK(false, "an option names a detector that does not exist");
}

}  // namespace taskrace
