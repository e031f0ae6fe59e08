#include "report/mistake.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/access_text.h"
#include "report/bytes.h"
#include "report/fork.h"
#include "report/function_name.h"
#include "report/location_text.h"
#include "report/source_excerpt.h"
#include "report/sources.h"
#include "report/why.h"

namespace taskrace::report {
namespace {

enum Kind {
  kFreed,
  kLifetime,
  kLock,
  kAtomic,
  kStatic,
  kContainer,
  kAccumulator,
  kCaptured,
  kResult
};
constexpr MistakeKind kKinds[] = {
    {"freed-in-use", "A block is freed while another task may still use it.",
     "Join the tasks that use it before it is freed."},
    {"lifetime", "A variable goes out of scope while a task may still use it.",
     "Join the task before the variable's scope ends."},
    {"missing-lock", "The two accesses do not hold a common lock.",
     "Take the same lock around both, or join the tasks between them."},
    {"atomic-and-plain", "One access is atomic, the other is not.", "Make both atomic."},
    {"function-static", "All tasks share the static variable of a function.",
     "Make it a local variable, or pass it in."},
    {"container", "Several tasks change one container of the standard library.",
     "Give each task its own container, and combine them after the join."},
    {"accumulator", "Iterations of a loop update one variable.",
     "Use parallel_reduce, or give each iteration its own variable."},
    {"captured-variable",
     "A task uses a variable of its creator, which changes it before the join.",
     "Capture a copy, or change the variable after the join."},
    {"result-before-join", "A result is read before the task that writes it is joined.",
     "Read it after the join."},
};

bool IsWritten(const ReportedAccess& access) { return access.op == "write"; }
bool IsAtomicOp(const ReportedAccess& access) { return access.op.starts_with("atomic-"); }

// "'a' and 'b'"
std::string LockNames(const ReportedAccess& access) {
  std::string text;
  for (const ReportedLock& lock : access.locks) {
    text += (text.empty() ? "" : " and ") + LockText(lock);
  }
  return text;
}

bool HaveCommonLock(const ReportedRace& race) {
  return std::ranges::any_of(race.accesses[0].locks, [&](const ReportedLock& lock) {
    return std::ranges::find(race.accesses[1].locks, lock.address, &ReportedLock::address) !=
           race.accesses[1].locks.end();
  });
}

// "counter()" of "ns::counter()::n": the function that a static variable belongs to; empty if it is none.
std::string FunctionOfStatic(const ReportedLocation& location) {
  const size_t colons = location.name.rfind("::");
  if (location.what != "global" || colons == std::string::npos || colons == 0) return "";
  const std::string function = location.name.substr(0, colons);
  if (function.ends_with("(anonymous namespace)")) return "";
  return function.ends_with(')') || function.ends_with(") const") ? function : "";
}

// "vector" and "push_back", if the user's code calls a function there that changes a container of the standard library.
struct ContainerCall {
  std::string container;
  std::string function;
};
std::optional<ContainerCall> FindContainerCall(const Stack& stack) {
  constexpr std::string_view kContainers[] = {"vector",        "deque",
                                              "list",          "forward_list",
                                              "map",           "multimap",
                                              "set",           "multiset",
                                              "unordered_map", "unordered_multimap",
                                              "unordered_set", "unordered_multiset",
                                              "__cxx11::list"};
  constexpr std::string_view kChanges[] = {
      "push_back",   "emplace_back",     "push_front", "emplace_front", "insert",    "emplace",
      "try_emplace", "insert_or_assign", "erase",      "pop_back",      "pop_front", "clear",
      "resize"};
  const auto own = std::ranges::find_if_not(stack, IsSystem);
  if (own == stack.begin() || own == stack.end()) return std::nullopt;
  const std::string name = QualifiedName((own - 1)->function);
  if (!name.starts_with("std::")) return std::nullopt;
  const size_t colons = name.rfind("::");
  std::string container = name.substr(5, colons < 5 ? 0 : colons - 5);
  container = container.substr(0, container.find('<'));
  const std::string function = name.substr(colons + 2);
  if (std::ranges::find(kContainers, container) == std::end(kContainers)) return std::nullopt;
  // operator[] of a map may insert.
  const bool inserts = function == "operator[]" && container.ends_with("map");
  if (!inserts && std::ranges::find(kChanges, function) == std::end(kChanges)) return std::nullopt;
  return ContainerCall{container.substr(container.rfind(':') + 1), function};
}

// Does the source have an operator at the access that reads and writes a variable?
bool IsUpdate(const ReportedAccess& access, const SourceLines& sources) {
  const Frame* frame = UserFrame(access.stack);
  if (frame == nullptr || frame != access.stack.data() || frame->column == 0) return false;
  const std::string* line = SourceLine(sources, frame->file, frame->line);
  if (line == nullptr || frame->column > line->size()) return false;
  const std::string_view rest = std::string_view(*line).substr(frame->column - 1);
  constexpr std::string_view kUpdates[] = {"+=", "-=", "*=", "/=", "|=", "&=", "^=", "++", "--"};
  return std::ranges::any_of(kUpdates,
                             [&](std::string_view token) { return rest.starts_with(token); });
}

class Judge {
 public:
  Judge(const ReportedRace& race, const SourceLines& sources)
      : race_(race), sources_(sources), fork_(FindFork(race)) {}

  std::optional<Mistake> Find() {
    if (race_.race_class != "race") return std::nullopt;
    for (const size_t i : {0, 1}) {
      const ReportedAccess& access = race_.accesses[i];
      if (access.op == "free") {
        return Is(kFreed, "{} frees the block in parallel with the other access", Name(access));
      }
      if (access.op == "scope-end") {
        return Is(kLifetime, "the lifetime of {} ends in parallel with the other access",
                  Subject(race_.location));
      }
    }
    if (auto mistake = Synchronisation()) return mistake;
    if (const std::string function = FunctionOfStatic(race_.location); !function.empty()) {
      return Is(kStatic, "{} is a static variable of {}: all calls share it",
                Subject(race_.location), Printable(function));
    }
    if (auto mistake = Container()) return mistake;
    return fork_ ? FromTheFork() : std::nullopt;
  }

 private:
  template <class... Arguments>
  static std::optional<Mistake> Is(Kind kind, fmt::format_string<Arguments...> text,
                                   Arguments&&... arguments) {
    return Mistake{&kKinds[kind], fmt::format(text, std::forward<Arguments>(arguments)...)};
  }

  static std::string Name(const ReportedAccess& access) {
    const std::string iteration = IterationAt(access, 0);
    return iteration.empty() ? TaskText(access.task) : iteration;
  }

  std::optional<Mistake> Synchronisation() const {
    const ReportedAccess& one = race_.accesses[0];
    const ReportedAccess& other = race_.accesses[1];
    if (IsAtomicOp(one) != IsAtomicOp(other)) {
      const ReportedAccess& plain = IsAtomicOp(one) ? other : one;
      return Is(kAtomic, "the {} by {} is not atomic, the other access is", plain.op, Name(plain));
    }
    if (one.locks.empty() != other.locks.empty()) {
      const ReportedAccess& locked = one.locks.empty() ? other : one;
      const ReportedAccess& free = one.locks.empty() ? one : other;
      return Is(kLock, "{} holds lock {}, but {} holds none", Name(locked), LockNames(locked),
                Name(free));
    }
    if (!one.locks.empty() && !HaveCommonLock(race_)) {
      return Is(kLock, "the two accesses hold different locks: {}; {}", LockNames(one),
                LockNames(other));
    }
    return std::nullopt;
  }

  std::optional<Mistake> Container() const {
    const auto one = FindContainerCall(race_.accesses[0].stack);
    const auto other = FindContainerCall(race_.accesses[1].stack);
    if (!one || !other || one->container != other->container) return std::nullopt;
    return Is(kContainer, "both change a std::{} ({} and {})", one->container, one->function,
              other->function);
  }

  // The whole variable, and a small one.
  bool IsScalar() const {
    const ReportedLocation& location = race_.location;
    return !location.name.empty() && location.offset == 0 && location.size == race_.size &&
           location.size <= 16;
  }

  std::optional<Mistake> FromTheFork() const {
    const ReportedAccess& one = race_.accesses[0];
    const ReportedAccess& other = race_.accesses[1];
    const auto [one_below, other_below] = fork_->below;
    const bool are_iterations = one_below == 1 && other_below == 1 && one.task == other.task &&
                                one.iterations.contains(0) && other.iterations.contains(0);
    if (are_iterations) {
      if (IsScalar() && Site(one) == Site(other) && IsUpdate(one, sources_) &&
          IsUpdate(other, sources_)) {
        return Is(kAccumulator, "iterations of the loop update {} in parallel",
                  Subject(race_.location));
      }
      return std::nullopt;
    }
    // The rest is about a task and its creator, whose access comes later.
    if (one_below == 0 || other_below != 0 || one.iterations.contains(one_below - 1) ||
        one.threads.contains(one_below - 1)) {
      return std::nullopt;
    }
    if (IsWritten(other) && race_.location.what == "stack" && !race_.location.name.empty() &&
        BelongsTo(other)) {
      return Is(kCaptured, "{} uses {} of its creator, which changes it before the join", Name(one),
                Subject(race_.location));
    }
    const std::string joined = JoinText(race_);
    if (IsWritten(one) && other.op == "read" && race_.joined && race_.joined->task == fork_->task &&
        !joined.empty()) {
      return Is(kResult, "{} reads {} before {}, which writes it, is {}", Name(other),
                Subject(race_.location), Name(one), joined);
    }
    return std::nullopt;
  }

  // Is the variable one of a function that the access's stack has?
  bool BelongsTo(const ReportedAccess& access) const {
    return std::ranges::any_of(access.stack, [&](const Frame& frame) {
      return QualifiedName(frame.function) == QualifiedName(race_.location.function);
    });
  }

  const ReportedRace& race_;
  const SourceLines& sources_;
  const std::optional<Fork> fork_;
};

}  // namespace

std::span<const MistakeKind> MistakeKinds() { return kKinds; }

std::optional<Mistake> FindMistake(const ReportedRace& race, const SourceLines& sources) {
  return Judge(race, sources).Find();
}

}  // namespace taskrace::report
