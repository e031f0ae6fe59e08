#include "report/ask_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>

extern char** environ;

namespace taskrace::report {
namespace {

// The environment without what would make the symbolizer slow (servers for debug information) or
// watched by the runtime.
std::vector<char*> QuietEnvironment() {
  std::vector<char*> kept;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const bool drop = text.starts_with("DEBUGINFOD_URLS=") || text.starts_with("LD_PRELOAD=") ||
                      text.starts_with("TASKRACE_OPTIONS=");
    if (!drop) kept.push_back(*variable);
  }
  kept.push_back(nullptr);
  return kept;
}

// Ctrl-C is ignored meanwhile.
class WithoutInterrupt {
 public:
  WithoutInterrupt() {
    struct sigaction ignore{};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignore, &before_);
  }
  ~WithoutInterrupt() { sigaction(SIGINT, &before_, nullptr); }

 private:
  struct sigaction before_;
};

// A file in memory with the input, so that neither side can block the other; -1: none.
int InputFile(const std::string& input) {
  const int file = memfd_create("taskrace-queries", MFD_CLOEXEC);
  for (size_t written = 0; file >= 0 && written < input.size();) {
    const ssize_t n = write(file, input.data() + written, input.size() - written);
    if (n < 0 && errno != EINTR) {
      close(file);
      return -1;
    }
    if (n > 0) written += static_cast<size_t>(n);
  }
  if (file >= 0) lseek(file, 0, SEEK_SET);
  return file;
}

// Reads up to the end; false: nothing came for `silence` seconds.
bool ReadAll(int file, int silence, std::string& output) {
  using Clock = std::chrono::steady_clock;
  auto last = Clock::now();
  std::vector<char> buffer(65536);
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        last + std::chrono::seconds(silence) - Clock::now());
    pollfd wait{file, POLLIN, 0};
    if (left.count() <= 0 || poll(&wait, 1, static_cast<int>(left.count())) == 0) return false;
    const ssize_t n = wait.revents == 0 ? -1 : read(file, buffer.data(), buffer.size());
    if (n == 0) return true;
    if (n < 0) continue;
    output.append(buffer.data(), static_cast<size_t>(n));
    last = Clock::now();
  }
}

}  // namespace

Result<std::string> AskProgram(std::vector<std::string> command, const std::string& input,
                               int silence) {
  const int in = InputFile(input);
  int out[2];
  if (in < 0 || pipe2(out, O_CLOEXEC) != 0) {
    const Error error{fmt::format("cannot be queried: {}", std::strerror(errno))};
    if (in >= 0) close(in);
    return error;
  }
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const WithoutInterrupt without_interrupt;
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &interrupt);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int problem = posix_spawn(&child, arguments[0], &actions, &attributes, arguments.data(),
                                  QuietEnvironment().data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(in);
  close(out[1]);
  std::string output;
  bool answers = true;
  if (problem == 0) {
    answers = ReadAll(out[0], silence, output);
    if (!answers) kill(child, SIGKILL);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
  }
  close(out[0]);
  if (problem != 0) return Error{fmt::format("cannot be run: {}", std::strerror(problem))};
  if (!answers) return Error{fmt::format("did not answer within {} s and was killed", silence)};
  return output;
}

}  // namespace taskrace::report
