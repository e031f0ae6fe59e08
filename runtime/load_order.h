// Which library comes first: that of Taskrace, or an allocator that LD_PRELOAD puts in front of all.
#pragma once

namespace taskrace {

// If a preloaded library provides malloc, starts the program again (`arguments`: its own) with this
// library in front of it; programs that it starts in turn get the LD_PRELOAD of the user. Returns what to
// say if that cannot be done, else null. Requires: nothing of the program has run.
const char* LoadBeforeAllocators(char** arguments);

}  // namespace taskrace
