#include "report/symbols.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <optional>
#include <sstream>
#include <vector>

#include "report/ask_program.h"
#include "report/bytes.h"
#include "report/find_program.h"
#include "report/symbolizer_answers.h"

namespace taskrace::report {
namespace {

// A module's path as the symbolizer takes it; nothing if it cannot be said.
std::optional<std::string> Quoted(const std::string& path) {
  if (path.empty() || path.find('\n') != std::string::npos) return std::nullopt;
  for (char quote : {'"', '\''}) {
    if (path.find(quote) == std::string::npos) return quote + path + quote;
  }
  return std::nullopt;
}

std::string WhyItFailed(const std::string& symbolizer, const std::string& problem) {
  // Measured: LLVM 19 and its libraries take 210 MB; what they read comes on top.
  constexpr uint64_t kNeededMegabytes = 250;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < (kNeededMegabytes * 2) << 20) {
    return fmt::format(
        "{} failed under a limit of {} MB of address space; it needs about {} MB: run the program "
        "without the limit (ulimit -v)",
        symbolizer, limit.rlim_cur >> 20, kNeededMegabytes);
  }
  return fmt::format("{} {}; taskrace doctor may say why", symbolizer,
                     problem.empty() ? "failed" : problem);
}

// Seconds without an answer. The first one of a program of gigabytes takes a while.
int MostSilence() {
  constexpr int kUsual = 60;
  const char* chosen = secure_getenv("TASKRACE_SYMBOLIZER_TIMEOUT");
  const int seconds = chosen == nullptr ? 0 : std::atoi(chosen);
  return seconds > 0 ? seconds : kUsual;
}

}  // namespace

std::string FindSymbolizer() {
  return FindProgram("TASKRACE_SYMBOLIZER", TASKRACE_SYMBOLIZER_PATH,
                     {"llvm-symbolizer-19", "llvm-symbolizer"});
}

std::string Symbols::Path(int module) const {
  const auto found = modules_.find(module);
  return found == modules_.end() ? "" : found->second.path;
}

void Symbols::Want(const RawStack& stack) { wanted_code_.insert(stack.begin(), stack.end()); }

void Symbols::WantGlobal(CodeAddress address) { wanted_globals_.insert(address); }

std::string Symbols::Resolve() {
  if (wanted_code_.empty() && wanted_globals_.empty()) return "";
  const std::string symbolizer = FindSymbolizer();
  if (symbolizer.empty()) return "llvm-symbolizer was not found; install llvm-19";
  const bool answered = ResolveCode(symbolizer) && ResolveGlobals(symbolizer);
  return answered ? "" : WhyItFailed(symbolizer, problem_);
}

std::string Symbols::Ask(std::vector<std::string> command, const std::string& queries) {
  auto answer = AskProgram(std::move(command), queries, MostSilence());
  if (answer) return *answer;
  problem_ = answer.error();
  return "";
}

bool Symbols::ResolveCode(const std::string& symbolizer) {
  std::string queries;
  std::vector<CodeAddress> asked;
  for (const CodeAddress& address : wanted_code_) {
    const auto path = Quoted(Path(address.module));
    if (!path) continue;
    // A return address lies behind its call, perhaps in the next line: ask for the byte before.
    queries += fmt::format("CODE {} {:#x}\n", *path, address.offset - 1);
    asked.push_back(address);
  }
  if (asked.empty()) return true;
  std::istringstream lines(
      Ask({symbolizer, "--output-style=JSON", "--inlines", "--demangle"}, queries));
  std::string line;
  for (const CodeAddress& address : asked) {
    if (!std::getline(lines, line)) return false;
    code_[address] = ParseCodeAnswer(line);
  }
  return true;
}

bool Symbols::ResolveGlobals(const std::string& symbolizer) {
  std::string queries;
  std::vector<CodeAddress> asked;
  for (const CodeAddress& address : wanted_globals_) {
    const auto path = Quoted(Path(address.module));
    if (!path) continue;
    queries += fmt::format("DATA {} {:#x}\n", *path, address.offset);
    asked.push_back(address);
  }
  if (asked.empty()) return true;
  const auto answers =
      SplitAnswers(Ask({symbolizer, "--output-style=LLVM", "--demangle"}, queries));
  for (size_t i = 0; i < asked.size() && i < answers.size(); ++i) {
    globals_[asked[i]] = ParseGlobalAnswer(answers[i]);
  }
  return answers.size() >= asked.size();
}

Stack Symbols::Frames(const RawStack& stack) const {
  Stack frames;
  for (const CodeAddress& address : stack) {
    const auto found = code_.find(address);
    Stack known = found == code_.end() ? Stack() : found->second;
    if (known.empty()) known.emplace_back();
    for (Frame& frame : known) {
      frame.module = Path(address.module);
      frame.offset = address.offset;
      frames.push_back(std::move(frame));
    }
  }
  return frames;
}

GlobalSymbol Symbols::Global(CodeAddress address) const {
  const auto found = globals_.find(address);
  return found == globals_.end() ? GlobalSymbol() : found->second;
}

}  // namespace taskrace::report
