// The source lines that a report shows, kept with it: the files may change, or be on another machine later.
//
// Thread rule: one thread. Cost: each file is read once, and only lines near those that the report names are kept.
#pragma once

#include "report/report.h"

namespace taskrace::report {

// Fills `report.sources`: the lines of accesses and waits with their neighbours, and those of creations and joins.
void CollectSources(Report& report);

// The line, if it was kept.
const std::string* SourceLine(const SourceLines& sources, const std::string& file, uint32_t line);

}  // namespace taskrace::report
