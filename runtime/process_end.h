// Every way in which a process can end, turned into Runtime::Finish: exit, quick_exit, fatal
// signals, Ctrl-C, the time limit. (_exit and exec are interposed: interpose_process.cc.)
#pragma once

#include <cstdint>

namespace taskrace {

// Called once, by Runtime::Start. `timeout`: seconds, 0 for none.
void WatchProcessEnd(int64_t timeout, bool runs_in_parallel);

// A handler of a fatal signal that hangs ends the program after a while, until this is called: what
// remains is the report, which may take longer.
void StopWatchdog();

// Has the program a signal handler of its own, which may wake a thread?
bool ProgramHandlesSignals();

// The signal that makes a thread check its pending accesses (Runtime::TellNow).
int TellSignal();

}  // namespace taskrace
