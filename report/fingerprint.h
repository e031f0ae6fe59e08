// Names for races that stay the same while the program around them changes: for baselines, and for servers that
// compare the results of two builds.
//
// A fingerprint is a hash of the class, the variable, and for each access the function, the file's name and
// the text of its line; not of line numbers, addresses, directories or counts. Races that have all of this
// in common are told apart by a number. Thread rule: pure. Cost: linear in the races.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace taskrace::report {

// One for each race of the report.
std::vector<std::string> Fingerprints(const Report& report);

// Sets `known` of each race that is in the baseline, too.
void MarkKnown(Report& report, const Report& baseline);

}  // namespace taskrace::report
