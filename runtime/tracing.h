// Tracing: a Detection that wraps another one, and writes each event to a file before it
// can collect, join or forget any of it (trace_format.h). test/oracle replays the file.
//
// Not in the trace: ranges that the program has ignored with <taskrace/annotate.h>, for they are
// taken out of the report only. A forked process is not traced.
// Thread rule: the worker. Cost: some 3 to 8 bytes and a few nanoseconds an access; none without
// the option.
// Tested by: test/runtime/trace_test.py, test/bench/program_test.sh
#pragma once

#include "detect/detection.h"

namespace taskrace {

// A detection that writes to the file and then calls `traced`; null if the
// file cannot be written. The second time the file is the same, whatever the path.
Detection* MakeTracing(const char* path, Detection& traced);

// This process leaves the file alone from now on.
void StopTracing();

}  // namespace taskrace
