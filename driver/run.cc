// `taskrace run`: checks everything that can be wrong, starts the program, waits, and renders what is left.
//
// Options travel to the runtime in TASKRACE_OPTIONS, the same way as for a program that is started without
// this command, so both have one parser and one behaviour. The runtime writes its log into a directory of
// this run and starts the reporter itself. A log that is still there when the program has ended belongs to a
// process that was killed, or whose reporter failed: it is rendered here, and decides the exit code.
#include "driver/run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "driver/help.h"
#include "driver/log_directory.h"
#include "driver/merged_run.h"
#include "driver/program_check.h"
#include "driver/say.h"
#include "report/bytes.h"
#include "report/find_program.h"
#include "report/formats.h"
#include "report/options.h"
#include "report/output_file.h"
#include "report/suppressions.h"

namespace taskrace::driver {
namespace {

using report::Error;
using report::FindOption;
using report::OptionRow;
using report::Options;
using report::Printable;
using report::Result;

// The command line of `taskrace run`, parsed.
struct Request {
  Options options;
  std::vector<std::string> command;
  bool help = false;
  bool merge = false;  // of all processes that the program starts, one report
};

// "--max-races" -> "max_races": both spellings are accepted.
std::string OptionName(std::string_view word) {
  std::string name(word.substr(2));
  std::ranges::replace(name, '-', '_');
  return name;
}

// Takes the option at `arguments[at]`, and its value if that is the next argument. A switch takes the next
// argument only if it is 0 or 1, because it may as well be the program.
Result<bool> TakeOption(const std::vector<std::string>& arguments, size_t& at, Options& options) {
  const std::string& word = arguments[at];
  const size_t equals = word.find('=');
  if (equals != std::string::npos) {
    return options.Set(OptionName(word.substr(0, equals)), word.substr(equals + 1));
  }
  const std::string name = OptionName(word);
  const OptionRow* row = FindOption(name);
  if (row == nullptr) return options.Set(name, "");
  const bool has_next = at + 1 < arguments.size();
  if (row->IsSwitch()) {
    const bool next_is_value = has_next && (arguments[at + 1] == "0" || arguments[at + 1] == "1");
    return options.Set(name, next_is_value ? arguments[++at] : "1");
  }
  if (!has_next) {
    return Error{fmt::format("option {} has no value; write --{}=...", name, name)};
  }
  return options.Set(name, arguments[++at]);
}

// Options end at the first word that is not an option, so that the program's own arguments are not parsed.
// The environment comes first: the command line takes precedence.
Result<Request> ReadRequest(const std::vector<std::string>& arguments) {
  Request request;
  if (const char* environment = std::getenv("TASKRACE_OPTIONS"); environment != nullptr) {
    if (auto parsed = request.options.Parse(environment); !parsed) {
      return Error{"in TASKRACE_OPTIONS: " + parsed.error()};
    }
  }
  size_t at = 0;
  for (; at < arguments.size() && arguments[at].starts_with('-'); ++at) {
    const std::string& word = arguments[at];
    if (word == "--") {
      ++at;
      break;
    }
    if (word == "-h" || word == "--help") {
      request.help = true;
      return request;
    }
    if (word == "--merge") {
      request.merge = true;
      continue;
    }
    if (!word.starts_with("--")) {
      return Error{fmt::format("unknown option '{}'; see taskrace help run", Printable(word))};
    }
    if (auto taken = TakeOption(arguments, at, request.options); !taken) {
      return Error{taken.error()};
    }
  }
  request.command.assign(arguments.begin() + static_cast<ptrdiff_t>(at), arguments.end());
  if (auto checked = request.options.CheckTogether(); !checked) return Error{checked.error()};
  if (request.command.empty()) {
    return Error{"no program to run; usage: taskrace run [options] [--] ./program arguments..."};
  }
  return request;
}

// The program may change its directory before the report is written.
void MakeAbsolute(std::string& path) {
  if (!path.empty()) path = std::filesystem::absolute(path).lexically_normal().string();
}

// Checks the files that options name before the program runs: a mistake should not cost a long run.
Result<bool> CheckFiles(const Options& options) {
  if (!options.suppressions.empty()) {
    if (auto read = report::Suppressions::Read(options.suppressions); !read) {
      return Error{read.error()};
    }
  }
  for (const report::OutputOption& option : report::kOutputOptions) {
    if ((options.*option.file).empty()) continue;
    const std::string path = report::OutputPath(options.*option.file, getpid(), /*forked=*/false);
    if (auto probed = report::ProbeOutputFile(path); !probed) {
      return Error{fmt::format("option {}: {}", option.name, probed.error())};
    }
  }
  return true;
}

// A global, because signal handlers have no argument for it. 0: no program runs.
pid_t running_child = 0;

void ForwardSignal(int number) {
  if (running_child > 0) kill(running_child, number);
}

// Ctrl-C reaches the program directly, because it is in the same process group; this process ignores it and
// waits. Signals that are sent only to this process are forwarded. While the report is rendered, signals
// have their former effect again.
class WatchedSignals {
 public:
  WatchedSignals() {
    for (size_t i = 0; i < std::size(kNumbers); ++i) {
      struct sigaction watch{};
      watch.sa_handler = i < kForwarded ? ForwardSignal : SIG_IGN;
      sigaction(kNumbers[i], &watch, &before_[i]);
    }
  }
  ~WatchedSignals() {
    for (size_t i = 0; i < std::size(kNumbers); ++i) sigaction(kNumbers[i], &before_[i], nullptr);
  }

 private:
  static constexpr int kNumbers[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};
  static constexpr size_t kForwarded = 2;
  struct sigaction before_[std::size(kNumbers)];
};

// How the program has ended.
struct Ended {
  pid_t process;
  bool by_signal;
  int code;  // its exit code, or 128 + signal
};

// The exit code of this command. The runtime has already chosen the program's exit code, if it saw the
// end; only logs that were rendered here can change it.
int CodeOf(const Ended& ended, const Leftovers& left, const Options& options) {
  const bool reports = left.reported && options.exitcode != 0;
  if (ended.by_signal) return ended.code;
  // The runtime has not seen the end, so the last events may be missing.
  const bool unseen = left.has_program && !left.end;
  if (reports && (unseen || ended.code == 0)) return static_cast<int>(options.exitcode);
  if (unseen || (left.failed && ended.code == 0)) return kExitBad;
  // The runtime gave 2 because its reporter failed, but now there is a report.
  if (left.has_program && !left.failed && ended.code == kExitBad) return left.end->code;
  return ended.code;
}

// Starts the program and waits for it.
Result<Ended> RunProgram(const std::string& path, std::vector<std::string> command) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  int failure[2];  // the child says here why exec failed
  if (pipe2(failure, O_CLOEXEC) != 0)
    return Error{fmt::format("cannot make a pipe: {}", std::strerror(errno))};
  // Signals are blocked until the child's number is known, so that none is lost.
  sigset_t held;
  sigset_t before;
  sigemptyset(&held);
  for (int number : {SIGTERM, SIGHUP, SIGINT, SIGQUIT}) sigaddset(&held, number);
  sigprocmask(SIG_BLOCK, &held, &before);
  running_child = fork();
  if (running_child < 0) return Error{fmt::format("cannot fork: {}", std::strerror(errno))};
  if (running_child == 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    execv(path.c_str(), words.data());
    const int problem = errno;
    if (write(failure[1], &problem, sizeof problem) < 0) _exit(126);
    _exit(kExitBad);
  }
  const WatchedSignals watched;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  close(failure[1]);
  int problem = 0;
  const bool failed = read(failure[0], &problem, sizeof problem) == sizeof problem;
  close(failure[0]);
  int status = 0;
  while (waitpid(running_child, &status, 0) < 0 && errno == EINTR) continue;
  const pid_t process = std::exchange(running_child, 0);
  if (failed)
    return Error{fmt::format("cannot run {}: {}", Printable(path), std::strerror(problem))};
  return Ended{process, WIFSIGNALED(status),
               WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status)};
}

}  // namespace

namespace {

// What the processes of a merged run are told: one that exits with 66 would end the others under mpirun.
Options OptionsOfProcesses(const Options& options) {
  Options inner = options;
  for (const report::OutputOption& option : report::kOutputOptions) (inner.*option.file).clear();
  inner.exitcode = 0;
  return inner;
}

// The program itself need not be instrumented.
Result<std::string> FindLauncher(const std::string& name) {
  const std::string path = report::SearchPath(name);
  if (path.empty()) return Error{fmt::format("cannot run {}: not found", Printable(name))};
  return path;
}

}  // namespace

int Run(const std::vector<std::string>& arguments) {
  auto request = ReadRequest(arguments);
  if (!request) return Fail(request.error());
  if (request->help) return Help("run");
  Options& options = request->options;
  const auto program =
      request->merge ? FindLauncher(request->command[0]) : CheckProgram(request->command[0]);
  if (!program) return Fail(program.error());
  if (auto checked = CheckFiles(options); !checked) return Fail(checked.error());
  MakeAbsolute(options.suppressions);
  for (const report::OutputOption& option : report::kOutputOptions) {
    MakeAbsolute(options.*option.file);
  }
  options.hidden_summary = 1;
  auto directory = LogDirectory::Make(options.hidden_log_dir);
  if (!directory) return Fail(directory.error());
  options.hidden_log_dir = directory->path();
  const auto text = request->merge ? OptionsOfProcesses(options).Text() : options.Text();
  if (!text) {
    directory->Remove();
    return Fail(text.error());
  }
  if (request->merge) {
    if (auto made = MakeMergeFolder(*directory); !made) {
      directory->Remove();
      return Fail(made.error());
    }
  }
  setenv("TASKRACE_OPTIONS", text->c_str(), 1);
  const auto ended = RunProgram(*program, request->command);
  const Leftovers left = directory->RenderLeftovers(ended ? ended->process : 0);
  const int merged = request->merge && ended ? ReportMerged(*directory, options) : 0;
  if (request->merge) RemoveMergeFolder(*directory);
  directory->Remove();
  if (!ended) return Fail(ended.error());
  if (request->merge) return merged == 0 ? ended->code : merged;
  // The runtime does not even start then.
  if (options.mode == "off") fmt::print(stderr, "taskrace: nothing was checked: mode is off\n");
  return CodeOf(*ended, left, options);
}

}  // namespace taskrace::driver
