// Which detector runs: the engines and histories there are, and what `auto` takes for a program.
//
// Thread rule: at start-up. Cost: none.
#pragma once

#include <cstdint>

#include "detect/detection.h"

namespace taskrace {

// What runs, and why.
struct EngineChoice {
  const char* engine;
  const char* why;  // the rest of a sentence: «engine spbags, because ...»
};

// What `auto` takes for a program that can use these constructs (__taskrace_construct): the
// cheapest engine that is exact for all of them.
EngineChoice ChooseEngine(uint32_t constructs);

// A detector in memory of its own. Requires: both are names from options.def, the engine not auto.
Detection* MakeDetection(const char* engine, const char* history, Execution& execution);

}  // namespace taskrace
