// thread_local variables of the program. All threads of a team run on one operating system's thread, so
// the segment of the executable's thread-local storage is exchanged when another one of them runs.
// (Those of shared libraries are not: docs/limits.md.)
#pragma once

#include <cstdint>

namespace taskrace::openmp {

// The thread with identity `from` is left, that with identity `to` runs.
void SwitchThreadLocals(int32_t from, int32_t to);

}  // namespace taskrace::openmp
