// A runtime that only writes down what it is told: runs tasks at once, checks
// the order of the calls.
//
// Thread rule: one thread. Cost: none that matters.
#pragma once

#include <string>
#include <vector>

namespace fake {

// One word per call, as "create", "sync", in order; cleared by the test.
extern std::vector<std::string> events;
// Storages handed out and not yet given back by the end of their task.
extern int live_storages;
// Which constructs the static initialisers have named (a bit set of __taskrace_construct).
extern int constructs;

}  // namespace fake
