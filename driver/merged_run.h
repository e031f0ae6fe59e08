// `taskrace run --merge`: runs any program, and makes one report of all instrumented processes that it starts.
#pragma once

#include <string>
#include <vector>

#include "driver/log_directory.h"
#include "report/options.h"
#include "report/report.h"
#include "report/result.h"

namespace taskrace::driver {

// Makes the folder in which the reporters of the processes leave their reports (report/render.h).
report::Result<bool> MakeMergeFolder(const LogDirectory& directory);

// Merges what they have left there, prints it, and writes the files that `options` name. Returns 66 (option exitcode) if
// there are races, 2 if a report could not be read or written or there is none, else 0.
int ReportMerged(const LogDirectory& directory, const report::Options& options);

// If nothing has run.
void RemoveMergeFolder(const LogDirectory& directory);

}  // namespace taskrace::driver
