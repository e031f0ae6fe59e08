// A runtime that only writes down what it is told: runs tasks at once, checks
// the order of the calls. A promise must be set before it is got.
//
// Thread rule: one thread. Cost: none that matters.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fake {

// One word per call, as "create", "sync", in order; cleared by the test.
extern std::vector<std::string> events;
// Storages handed out and not yet given back: by the end of their task, or as a state.
extern int live_storages;
// Joins, and those of them that were not of the left neighbour: a single task is put to the left of
// its creator, and a joined one leaves the line.
extern int joins, joins_of_others;
// How many tasks the line had at most.
extern size_t longest_line;

}  // namespace fake
