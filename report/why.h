// One sentence on why two accesses are not ordered.
//
// Thread rule: a pure function.
#pragma once

#include <string>

#include "report/report.h"

namespace taskrace::report {

// Empty if the chains of creations do not show it.
std::string Why(const ReportedRace& race);
// "joined at x.cpp:9:3": where both are over; empty if it is not known.
std::string JoinText(const ReportedRace& race);

}  // namespace taskrace::report
