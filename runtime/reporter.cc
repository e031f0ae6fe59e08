// Starts `taskrace render LOG`. The command is found relative to this library, as both are installed together;
// PATH may lead to another version, and a set-uid program must not trust it.
#include "runtime/reporter.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/apart.h"

namespace taskrace {
namespace {

// The path of the command; empty if it is too long.
void FindReporter(char (&path)[4096]) {
  static constexpr char kReporter[] = "/../../bin/taskrace";
  Dl_info self{};
  path[0] = '\0';
  if (dladdr(&kReporter, &self) == 0 || strlen(self.dli_fname) + sizeof(kReporter) > sizeof(path)) {
    return;
  }
  strcpy(path, self.dli_fname);
  char* slash = strrchr(path, '/');
  strcpy(slash == nullptr ? path : slash, kReporter);
}

struct Work {
  Command command;
  ReporterEnd end;
};

int Run(void* argument) {
  Work& work = *static_cast<Work*>(argument);
  work.end.problem = RunCommand(work.command, work.end.status);
  return 0;
}

}  // namespace

ReporterEnd RunReporter(const char* log, Rendering rendering, bool is_secure) {
  char path[4096];
  FindReporter(path);
  char render[] = "render", keep[] = "--keep", verdict_only[] = "--verdict-only";
  char* const last = const_cast<char*>(log);
  char* arguments[] = {path, render, last, nullptr, nullptr};
  if (rendering != Rendering::kFull) {
    arguments[2] = rendering == Rendering::kKeepLog ? keep : verdict_only;
    arguments[3] = last;
  }
  static char search_path[] = "PATH=/usr/bin:/bin";
  char* const clean[] = {search_path, nullptr};
  Work work{{path, arguments, is_secure ? clean : environ, is_secure}, {0, -1}};
  if (const int problem = RunApart(Run, &work)) work.end.problem = problem;
  return work.end;
}

void Describe(ReporterEnd end, FixedLine& line) {
  if (end.problem != 0) {
    char path[4096];
    FindReporter(path);
    line << "cannot run " << path << ": " << strerrordesc_np(end.problem);
  } else if (end.status != -1 && WIFSIGNALED(end.status)) {
    line << "the reporter was killed by signal " << uint64_t(WTERMSIG(end.status));
  } else {
    line << "the reporter failed";
  }
}

}  // namespace taskrace
