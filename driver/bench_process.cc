// One run of a program under a time limit, with its output, times and peak memory.
//
// The program gets a process group of its own, so that a run that is stopped leaves nothing behind, and ends
// if this process does. rusage of wait4 has its times and memory.
#include "driver/bench_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

namespace taskrace::driver {
namespace {

using Clock = std::chrono::steady_clock;

volatile sig_atomic_t interrupted = 0;

// The longest output that is kept of one stream; the rest is dropped.
constexpr size_t kMostOutput = size_t{4} << 20;
// How late an interruption may be noticed by a thread that did not get the signal itself.
constexpr int kLookAgainMs = 200;

struct Pipe {
  int read = -1;
  int write = -1;
};

bool Open(Pipe& pipe) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  pipe = {ends[0], ends[1]};
  return true;
}

void Close(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

// Takes what there is; false at the end of the stream.
bool Drain(int descriptor, std::string& text) {
  char buffer[4096];
  ssize_t n;
  while ((n = read(descriptor, buffer, sizeof buffer)) > 0) {
    text.append(buffer,
                std::min(static_cast<size_t>(n), kMostOutput - std::min(kMostOutput, text.size())));
  }
  return n < 0 && (errno == EAGAIN || errno == EINTR);
}

void LimitCpus(int most) {
  cpu_set_t ours;
  if (most == 0 || sched_getaffinity(0, sizeof ours, &ours) != 0) return;
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  for (int cpu = 0; cpu < CPU_SETSIZE && most > 0; ++cpu) {
    if (!CPU_ISSET(cpu, &ours)) continue;
    CPU_SET(cpu, &chosen);
    --most;
  }
  sched_setaffinity(0, sizeof chosen, &chosen);
}

// One run.
class Process {
 public:
  explicit Process(const ProcessRequest& request) : request_(request) {}
  ~Process() {
    for (Pipe* pipe : {&out_, &errors_, &failure_}) {
      Close(pipe->read);
      Close(pipe->write);
    }
    Close(handle_);
  }

  Finished Run() {
    if (!Open(out_) || !Open(errors_) || !Open(failure_)) return NotStarted(errno);
    PrepareWords();
    begin_ = Clock::now();
    // Not vfork or posix_spawn: with those the peak of our own memory would count as the child's.
    child_ = fork();
    if (child_ < 0) return NotStarted(errno);
    if (child_ == 0) BecomeProgram();
    // Here too: the group must exist before anybody ends it.
    setpgid(child_, child_);
    for (Pipe* pipe : {&out_, &errors_, &failure_}) Close(pipe->write);
    int problem = 0;
    const bool failed = read(failure_.read, &problem, sizeof problem) == sizeof problem;
    if (!failed) Watch();
    Reap();
    if (failed) return NotStarted(problem);
    return std::move(finished_);
  }

 private:
  static Finished NotStarted(int problem) {
    return {.how = Finished::How::kNotStarted, .code = problem};
  }

  // Before the fork, as the child of a process with threads must not allocate.
  void PrepareWords() {
    for (const std::string& word : request_.command) {
      words_.push_back(const_cast<char*>(word.c_str()));
    }
    words_.push_back(nullptr);
    for (char** variable = environ; *variable != nullptr; ++variable) {
      const std::string_view text = *variable;
      const std::string_view name = text.substr(0, text.find('='));
      const bool replaced = std::ranges::any_of(
          request_.environment, [&](const auto& setting) { return setting.first == name; });
      if (!replaced) variables_.push_back(*variable);
    }
    for (const auto& [name, value] : request_.environment) {
      settings_.push_back(name + "=" + value);
    }
    for (std::string& setting : settings_) variables_.push_back(setting.data());
    variables_.push_back(nullptr);
  }

  [[noreturn]] void BecomeProgram() {
    // A group of its own, so that all of it can be ended; and it does not outlive us.
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, 0);
    dup2(out_.write, 1);
    dup2(errors_.write, 2);
    LimitCpus(request_.cpus);
    if (request_.fixed_addresses) personality(ADDR_NO_RANDOMIZE);
    execve(words_[0], words_.data(), variables_.data());
    const int problem = errno;
    if (write(failure_.write, &problem, sizeof problem) < 0) _exit(126);
    _exit(127);
  }

  // Milliseconds until the next look at the clock.
  int Patience() const {
    if (request_.timeout_s == 0) return kLookAgainMs;
    const double left = request_.timeout_s - Elapsed();
    return std::clamp(static_cast<int>(left * 1000) + 1, 0, kLookAgainMs);
  }

  double Elapsed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  // Reads what it says until it ends or is ended.
  void Watch() {
    handle_ = static_cast<int>(syscall(SYS_pidfd_open, child_, 0));
    for (int descriptor : {out_.read, errors_.read}) fcntl(descriptor, F_SETFL, O_NONBLOCK);
    std::array<pollfd, 3> watched = {pollfd{handle_, POLLIN, 0}, pollfd{out_.read, POLLIN, 0},
                                     pollfd{errors_.read, POLLIN, 0}};
    bool ended = false;
    while (!ended) {
      const int ready = poll(watched.data(), watched.size(), Patience());
      ended = ready > 0 && watched[0].revents != 0;
      if (ended) finished_.wall_s = Elapsed();
      if (!Drain(out_.read, finished_.out)) watched[1].fd = -1;
      if (!Drain(errors_.read, finished_.errors)) watched[2].fd = -1;
      if (!ended && interrupted != 0) {
        finished_.how = Finished::How::kInterrupted;
        kill(-child_, SIGKILL);
        return;
      }
      if (!ended && request_.timeout_s != 0 && Elapsed() >= request_.timeout_s) {
        finished_.how = Finished::How::kTimeout;
        finished_.wall_s = Elapsed();
        kill(-child_, SIGKILL);
        return;
      }
    }
  }

  void Reap() {
    int status = 0;
    rusage usage{};
    while (wait4(child_, &status, 0, &usage) < 0 && errno == EINTR) continue;
    finished_.peak_kib = usage.ru_maxrss;
    if (finished_.how != Finished::How::kNotStarted) return;
    finished_.how = WIFSIGNALED(status) ? Finished::How::kSignal : Finished::How::kExit;
    finished_.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  }

  const ProcessRequest& request_;
  Pipe out_, errors_;
  Pipe failure_;  // the child says here why exec failed
  int handle_ = -1;
  std::vector<char*> words_;
  std::vector<char*> variables_;
  std::vector<std::string> settings_;
  pid_t child_ = 0;
  Clock::time_point begin_;
  Finished finished_;
};

}  // namespace

std::string Finished::Ending() const {
  switch (how) {
    case How::kExit:
      return fmt::format("exit code {}", code);
    case How::kSignal:
      return fmt::format("signal {} ({})", code, strsignal(code));
    case How::kTimeout:
      return fmt::format("ended after {:.0f} s", wall_s);
    case How::kInterrupted:
      return "interrupted";
    case How::kNotStarted:
      return fmt::format("could not be started: {}", std::strerror(code));
  }
  return "";
}

Finished RunProcess(const ProcessRequest& request) {
  if (interrupted != 0) return {.how = Finished::How::kInterrupted};
  return Process(request).Run();
}

void WatchInterrupts() {
  struct sigaction note{};
  note.sa_handler = [](int) { interrupted = 1; };
  for (int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &note, nullptr);
}

bool Interrupted() { return interrupted != 0; }

int UsableCpus() {
  cpu_set_t ours;
  return sched_getaffinity(0, sizeof ours, &ours) == 0 ? CPU_COUNT(&ours) : 1;
}

}  // namespace taskrace::driver
