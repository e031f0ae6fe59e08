// Running a program for its time, its memory and its output; ending it when it takes too long or
// when the user has had enough.
//
// Thread rule: RunProcess from any number of threads; the rest from main's. Cost: a fork.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace taskrace::driver {

struct ProcessRequest {
  std::vector<std::string> command;                                   // a path and its arguments
  std::vector<std::pair<std::string, std::string>> environment = {};  // set on top of ours
  double timeout_s = 0;                                               // 0: none
  int cpus = 0;                  // the number of processors that it may use; 0: all
  bool fixed_addresses = false;  // the same addresses in every run
};

struct Finished {
  enum class How { kExit, kSignal, kTimeout, kInterrupted, kNotStarted };
  How how = How::kNotStarted;
  int code = 0;  // exit code, signal, or the errno that kept it from starting
  double wall_s = 0;
  long peak_kib = 0;        // of the process and its children
  std::string out = {};     // standard output
  std::string errors = {};  // standard error

  bool Succeeded() const { return how == How::kExit && code == 0; }
  // «exit code 1», «signal 11 (Segmentation fault)», ...
  std::string Ending() const;
};

Finished RunProcess(const ProcessRequest& request);

// From now on Ctrl-C and SIGTERM end what RunProcess runs, and then Interrupted() is true.
void WatchInterrupts();
bool Interrupted();

// How many cores this process may use.
int UsableCpus();

}  // namespace taskrace::driver
