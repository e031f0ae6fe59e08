// What a report of a seeded program must say: the marked lines, and no others.
//
// Thread rule: pure functions. Cost: linear in the report.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "driver/bench_suite.h"

namespace taskrace::driver {

// The lines of the suite at which both accesses of every race stand.
SeededMarks::Lines ReportedLines(const nlohmann::json& report, const std::string& suite);

// What is reported without a mark, and what is marked and not reported. Empty: both agree.
std::vector<std::string> SeededComplaints(const SeededMarks::Lines& reported,
                                          const SeededMarks& marks);

// The racy bytes of each object, as offsets. Objects are identified by their description in a report
// and not by their addresses, which differ from run to run: of several blocks that one line has
// allocated, or that have had one address, the offsets stand together. Requires: a report with dedup=address.
using RacyObjects = std::map<std::string, std::set<uint64_t>>;
RacyObjects RacyBytes(const nlohmann::json& report);

}  // namespace taskrace::driver
