#include "report/symbols.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <vector>

#include "report/bytes.h"
#include "report/find_program.h"

extern char** environ;

namespace taskrace::report {
namespace {

using nlohmann::json;

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

// What the program prints when it gets `input`; nothing if it could not be run. The input is a file
// in memory, so that neither side can block the other.
std::optional<std::string> Run(std::vector<std::string> command, const std::string& input) {
  const int in = memfd_create("taskrace-queries", MFD_CLOEXEC);
  if (in < 0) return std::nullopt;
  for (size_t written = 0; written < input.size();) {
    const ssize_t n = write(in, input.data() + written, input.size() - written);
    if (n <= 0) break;
    written += static_cast<size_t>(n);
  }
  lseek(in, 0, SEEK_SET);
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) {
    close(in);
    return std::nullopt;
  }
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int problem = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(),
                                  QuietEnvironment().data());
  posix_spawn_file_actions_destroy(&actions);
  close(in);
  close(out[1]);
  std::string output;
  if (problem == 0) {
    char buffer[65536];
    ssize_t n;
    while ((n = read(out[0], buffer, sizeof buffer)) > 0) output.append(buffer, n);
    int status = 0;
    waitpid(child, &status, 0);
  }
  close(out[0]);
  if (problem != 0) return std::nullopt;
  return output;
}

// A module's path as the symbolizer takes it; nothing if it cannot be said.
std::optional<std::string> Quoted(const std::string& path) {
  if (path.empty() || path.find('\n') != std::string::npos) return std::nullopt;
  for (char quote : {'"', '\''}) {
    if (path.find(quote) == std::string::npos) return quote + path + quote;
  }
  return std::nullopt;
}

std::string Known(const std::string& text) { return text == "??" ? "" : text; }

// One answer of style JSON, for one code address.
Stack ParseCode(const std::string& line) {
  Stack frames;
  const json answer = json::parse(Shield(line), nullptr, false);
  if (answer.is_discarded() || !answer.contains("Symbol")) return frames;
  for (const json& symbol : answer["Symbol"]) {
    Frame frame;
    frame.function = Known(Unshield(symbol.value("FunctionName", "")));
    frame.file = CleanPath(Known(Unshield(symbol.value("FileName", ""))));
    frame.line = symbol.value("Line", 0u);
    frame.column = symbol.value("Column", 0u);
    // Line 0 stands for code that has no place in the source.
    if (frame.line == 0 && frames.empty() && answer["Symbol"].size() == 1) frame.file.clear();
    frames.push_back(std::move(frame));
  }
  return frames;
}

// One answer of style LLVM, for one global: name, "start size", "file:line". (Style JSON leaves
// the declaration out.)
GlobalSymbol ParseGlobal(const std::vector<std::string>& lines) {
  GlobalSymbol global;
  if (lines.size() < 2) return global;
  global.name = Known(lines[0]);
  std::istringstream numbers(lines[1]);
  numbers >> global.start >> global.size;
  if (lines.size() < 3) return global;
  std::string declaration = lines[2];
  for (size_t i = 3; i < lines.size(); ++i) declaration += "\n" + lines[i];
  const size_t colon = declaration.rfind(':');
  if (colon == std::string::npos) return global;
  std::from_chars(declaration.data() + colon + 1, declaration.data() + declaration.size(),
                  global.line);
  if (global.line > 0) global.file = CleanPath(Known(declaration.substr(0, colon)));
  return global;
}

// Splits the answers of style LLVM, which end with an empty line each.
std::vector<std::vector<std::string>> SplitAnswers(const std::string& output) {
  std::vector<std::vector<std::string>> answers(1);
  std::istringstream stream(output);
  for (std::string line; std::getline(stream, line);) {
    if (line.empty()) {
      answers.emplace_back();
    } else {
      answers.back().push_back(line);
    }
  }
  return answers;
}

std::string WhyItFailed(const std::string& symbolizer) {
  // Measured: LLVM 19 and its libraries take 210 MB; what they read comes on top.
  constexpr uint64_t kNeededMegabytes = 250;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < (kNeededMegabytes * 2) << 20) {
    return fmt::format(
        "{} failed under a limit of {} MB of address space; it needs about {} MB: run the program "
        "without the limit (ulimit -v)",
        symbolizer, limit.rlim_cur >> 20, kNeededMegabytes);
  }
  return symbolizer + " failed; taskrace doctor may say why";
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
  return answered ? "" : WhyItFailed(symbolizer);
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
      Run({symbolizer, "--output-style=JSON", "--inlines", "--demangle"}, queries).value_or(""));
  std::string line;
  for (const CodeAddress& address : asked) {
    if (!std::getline(lines, line)) return false;
    code_[address] = ParseCode(line);
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
      SplitAnswers(Run({symbolizer, "--output-style=LLVM", "--demangle"}, queries).value_or(""));
  for (size_t i = 0; i < asked.size() && i < answers.size(); ++i) {
    globals_[asked[i]] = ParseGlobal(answers[i]);
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
