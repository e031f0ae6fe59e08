// Which races have one cause: a join that is missing between two tasks.
//
// The chains of creations of the two accesses meet in one task. Below it they part: on each side
// there is a task that it created, or the task itself. Races that part at the same two lines are
// ordered by the same join, if there is one.
//   x.cpp:3 spawn  ->  x.cpp:9 spawn  ->  access        races of main with anything below x.cpp:3
//   main           ->  access                           have one cause
//
// Thread rule: one thread. Cost: linear in the chains.
#pragma once

#include <vector>

#include "report/report.h"

namespace taskrace::report {

// Sets `cause` of each race, counted from 1 in the order of the races.
void FindCauses(std::vector<ReportedRace>& races);

}  // namespace taskrace::report
