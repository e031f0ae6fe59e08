// RunApart: does something in a process of its own that has our memory, but descriptors, signals and
// children of its own.
//
// The program may close, use up or reuse its descriptors, ignore SIGCHLD and wait for any child: it
// neither sees what is done apart nor stands in its way. The process is a child that only a wait with
// __WCLONE finds, and it raises no signal when it ends. What it maps is mapped here; what it opens is
// closed when it is done.
//
// Thread rule: any thread, also in signal handlers; the calling thread takes no signal meanwhile.
// Cost: a clone(2) without a copy of memory.
// Tested by: test/runtime/verdict_test.py
#pragma once

namespace taskrace {

// Calls work(argument) there, on 16 KiB of the caller's stack. Returns when it has ended: 0, or the
// errno for which it could not be started. The work must not use the program's functions, exit
// or anything that this library interposes. errno is left alone.
int RunApart(int (*work)(void*), void* argument);

// To be called in the work: frees all descriptors of this process, so that some can be opened.
void CloseDescriptors();

// To be called in the work: runs a program to its end, with the three standard files. Returns 0, or the errno for which it could not
// be started. `status` is as of waitpid, -1 if it is not known.
struct Command {
  const char* path;
  char* const* arguments;
  char* const* environment;
  bool drops_privileges;  // runs with the rights of the user who started us
};
int RunCommand(const Command& command, int& status);

}  // namespace taskrace
