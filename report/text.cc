#include "report/text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ranges>
#include <string_view>

#include "report/bytes.h"
#include "report/counted.h"
#include "report/function_name.h"
#include "report/source_excerpt.h"
#include "report/summary.h"
#include "report/wrap.h"

namespace taskrace::report {
namespace {

// Where lines go on that follow a line of "taskrace: ...".
constexpr size_t kIndent = 10;
// Of a deep stack, so many innermost and outermost frames are shown; JSON has them all.
constexpr size_t kInnermost = 20;
constexpr size_t kOutermost = 4;
// Of a deadlock, so many tasks are shown.
constexpr size_t kMostWaiting = 20;

enum class Paint { kHeadline, kWarning, kPlace, kCaret, kQuiet };

std::string Bytes(uint64_t size) { return Counted(size, "byte"); }

std::string Place(const std::string& file, uint64_t line, uint64_t column = 0) {
  std::string place = Printable(ShownPath(file));
  if (line > 0) place += fmt::format(":{}", line);
  if (line > 0 && column > 0) place += fmt::format(":{}", column);
  return place;
}

std::string FramePlace(const Frame& frame) {
  if (!frame.file.empty()) return Place(frame.file, frame.line, frame.column);
  if (frame.module.empty()) return fmt::format("({:#x})", frame.offset);
  return fmt::format("({}+{:#x})", Printable(ShownPath(frame.module)), frame.offset);
}

std::string FunctionText(const Frame& frame, size_t most) {
  return frame.function.empty() ? "??" : Printable(ShortName(frame.function, most));
}

std::string TaskText(uint64_t task) {
  return task == 0 ? "the main task" : fmt::format("task {}", task);
}

// "free" and "scope-end" as a person would say them.
std::string Operation(const ReportedAccess& access) {
  if (access.op == "free") return fmt::format("free of a block of {}", Bytes(access.size));
  if (access.op == "scope-end") {
    return fmt::format("end of the lifetime of a variable of {}", Bytes(access.size));
  }
  std::string op = access.op;
  std::ranges::replace(op, '-', ' ');
  return fmt::format("{} of {}", op, Bytes(access.size));
}

std::string LocationSentence(const ReportedRace& race) {
  const ReportedLocation& location = race.location;
  const auto part = [&] {
    if (location.size == 0 || (location.offset == 0 && race.size >= location.size))
      return std::string();
    if (race.size <= 1) return fmt::format("; byte {} of it", location.offset);
    return fmt::format("; bytes {} to {} of it", location.offset, location.offset + race.size - 1);
  };
  const std::string name = Printable(ShortName(location.name, 60));
  const std::string declared =
      location.file.empty() ? ""
                            : fmt::format(", declared at {}", Place(location.file, location.line));
  if (location.what == "global") {
    if (name.empty())
      return fmt::format("a global variable without a symbol, at {:#x}", race.address);
    return fmt::format("global variable '{}' ({}){}{}", name, Bytes(location.size), declared,
                       part());
  }
  if (location.what == "heap") {
    const Frame* frame = UserFrame(location.allocated_at);
    return fmt::format("heap block of {}{}{}", Bytes(location.size),
                       frame == nullptr ? "" : " allocated at " + FramePlace(*frame), part());
  }
  if (location.IsValue()) {
    const Frame* frame = UserFrame(location.allocated_at);
    return fmt::format("the value of a {}{}", location.what,
                       frame == nullptr ? "" : " made at " + FramePlace(*frame));
  }
  if (location.what == "stack") {
    if (name.empty() && location.function.empty()) {
      return fmt::format("a variable on the stack, at {:#x}", race.address);
    }
    return fmt::format(
        "stack variable '{}' ({}){}{}{}", name.empty() ? "(unnamed)" : name, Bytes(location.size),
        location.function.empty() ? ""
                                  : " of function " + Printable(ShortName(location.function, 50)),
        declared, part());
  }
  if (location.what == "tls") return fmt::format("a thread_local variable, at {:#x}", race.address);
  return fmt::format("memory at {:#x}", race.address);
}

class TextReport {
 public:
  TextReport(const Report& report, bool color) : report_(report), color_(color) {}

  std::string Render() {
    // Code that was not instrumented is worth a line only beside others.
    const bool anything = !report_.races.empty() || report_.deadlock || report_.HasErrors() ||
                          report_.warned || report_.options.stats != 0;
    if (!anything && (report_.options.hidden_summary == 0 || report_.forked)) return "";
    for (const ReportedRace& race : report_.races) AddRace(race);
    if (report_.deadlock) AddDeadlock(*report_.deadlock);
    for (const ReportedMessage& message : report_.messages) AddMessage(message);
    AddHints();
    AddSuppressions();
    if (report_.options.stats != 0) AddStats();
    const bool bad = report_.Reports() > 0 || report_.deadlock || report_.HasErrors();
    Line(Painted(bad ? Paint::kWarning : Paint::kHeadline, Wrapped(Summary(report_), 0, kIndent)));
    return std::move(out_);
  }

 private:
  void Line(std::string_view text) {
    out_ += text;
    out_ += '\n';
  }

  std::string Painted(Paint paint, std::string_view text) const {
    if (!color_) return std::string(text);
    const std::string_view code = paint == Paint::kHeadline  ? "\033[1m"
                                  : paint == Paint::kWarning ? "\033[1;31m"
                                  : paint == Paint::kPlace   ? "\033[36m"
                                  : paint == Paint::kCaret   ? "\033[1;32m"
                                                             : "\033[2m";
    return fmt::format("{}{}\033[0m", code, text);
  }

  void AddRace(const ReportedRace& race) {
    const bool locked = race.race_class == "lock-order";
    Line(Painted(Paint::kWarning, locked ? fmt::format("taskrace: lock order decides: {} on {}",
                                                       race.kind, Subject(race.location))
                                         : fmt::format("taskrace: race: {} on {}", race.kind,
                                                       Subject(race.location))));
    if (locked) Line("  Both hold a common lock, but which comes first depends on the schedule.");
    const bool parallel = report_.options.exec == "parallel";
    AddAccess(parallel ? "one" : "earlier", race.accesses[0]);
    AddAccess(parallel ? "the other" : "later", race.accesses[1]);
    AddLocation(race);
    if (race.count > 1) Line(fmt::format("  Seen {} times.", race.count));
    Line("");
  }

  // What the race is on, in a few words for the headline.
  static std::string Subject(const ReportedLocation& location) {
    if (!location.name.empty()) return fmt::format("'{}'", Printable(ShortName(location.name, 60)));
    if (location.what == "heap") return fmt::format("a heap block of {}", Bytes(location.size));
    if (location.IsValue()) return fmt::format("the value of a {}", location.what);
    if (location.what == "stack") return "a stack variable";
    if (location.what == "global") return "a global variable";
    if (location.what == "tls") return "a thread_local variable";
    return "memory";
  }

  void AddAccess(std::string_view which, const ReportedAccess& access) {
    Line(Painted(Paint::kHeadline,
                 fmt::format("  {}: {} by {} (strand {})", which, Operation(access),
                             TaskText(access.task), access.strand)));
    AddExcerpt(UserFrame(access.stack));
    AddStack(access.stack);
    AddLocks(access);
    AddCreation(access.task, access.created, access.ancestors);
  }

  void AddLocks(const ReportedAccess& access) {
    if (access.locks.empty()) return;
    std::vector<std::string> locks;
    for (uint64_t lock : access.locks) locks.push_back(fmt::format("{:#x}", lock));
    Line("    " + Wrapped(fmt::format("holding {} {}", locks.size() == 1 ? "lock" : "locks",
                                      fmt::join(locks, ", ")),
                          4, 6));
  }

  void AddExcerpt(const Frame* frame) {
    if (frame == nullptr || frame->file.empty()) return;
    const auto line = sources_.Line(frame->file, frame->line);
    if (!line) return;
    const std::string number = std::to_string(frame->line);
    const Excerpt excerpt = MakeExcerpt(*line, frame->column, kWidth - number.size() - 8);
    Line(fmt::format("    {} | {}", Painted(Paint::kQuiet, number), excerpt.text));
    Line(fmt::format("    {} | {}{}", std::string(number.size(), ' '),
                     std::string(excerpt.caret, ' '), Painted(Paint::kCaret, "^")));
  }

  void AddStack(const Stack& stack) {
    if (stack.empty()) Line("    (no stack is known)");
    const bool deep = stack.size() > kInnermost + kOutermost + 1;
    for (size_t i = 0; i < stack.size(); ++i) {
      if (deep && i == kInnermost) {
        Line(fmt::format("    ... {} more frames", stack.size() - kInnermost - kOutermost));
        i = stack.size() - kOutermost;
      }
      AddFrame(fmt::format("    #{} ", i), stack[i]);
    }
  }

  void AddFrame(const std::string& lead, const Frame& frame) {
    const std::string place = FramePlace(frame);
    const size_t taken = lead.size() + Columns(place) + 1;
    const bool one_line = taken + 24 <= kWidth;
    const std::string function =
        FunctionText(frame, one_line ? kWidth - taken : kWidth - lead.size());
    if (one_line) {
      Line(lead + function + " " + Painted(Paint::kPlace, place));
    } else {
      Line(lead + function);
      Line(std::string(lead.size(), ' ') + Painted(Paint::kPlace, place));
    }
  }

  // Where a task was created, its creator, and so on out to main.
  void AddCreation(uint64_t task, const std::vector<Stack>& created,
                   const std::vector<uint64_t>& ancestors) {
    if (created.empty()) return;
    std::string lead = fmt::format("    task {} created at ", task);
    const size_t levels = created.size();
    const bool deep = levels > kInnermost + kOutermost + 1;
    for (size_t i = 0; i < levels; ++i) {
      if (deep && i == kInnermost) {
        Line(fmt::format("    ... {} more tasks", levels - kInnermost - kOutermost));
        i = levels - kOutermost;
        lead = Creator(ancestors, i - 1) + " created at ";
      }
      AddUserPlace(lead, created[i]);
      lead = Creator(ancestors, i) + " created at ";
    }
    const bool cut = !ancestors.empty() && ancestors.back() != 0;
    Line(cut ? Creator(ancestors, levels - 1) + ", and so on out to main"
             : "      by the main task");
  }

  // Of a stack, only the user's line and function; nothing where the interface did it by itself.
  void AddUserPlace(const std::string& lead, const Stack& stack) {
    const Frame* frame = UserFrame(stack);
    if (frame != nullptr && IsMachinery(*frame)) {
      return Line(lead.substr(0, lead.rfind(" at ")) + " by the task interface");
    }
    const std::string place = frame == nullptr ? "an unknown place" : FramePlace(*frame);
    std::string function;
    if (frame != nullptr && !frame->function.empty()) {
      const size_t taken = Columns(lead) + Columns(place) + 4;
      function = taken + 24 <= kWidth ? " in " + FunctionText(*frame, kWidth - taken)
                                      : "\n        in " + FunctionText(*frame, kWidth - 11);
    }
    Line(lead + Painted(Paint::kPlace, place) + function);
  }

  // "by task 3": who made the task that created[level] tells of.
  static std::string Creator(const std::vector<uint64_t>& ancestors, size_t level) {
    if (level >= ancestors.size()) return "      by a task";
    return fmt::format("      by task {}", ancestors[level]);
  }

  void AddLocation(const ReportedRace& race) {
    Line(Painted(Paint::kHeadline, "  where: ") + Wrapped(LocationSentence(race), 9, 9));
    if (!race.location.allocated_at.empty()) AddStack(race.location.allocated_at);
    if (race.also_on.empty()) return;
    std::vector<std::string> names;
    for (const std::string& name : race.also_on) {
      if (names.size() < 6) names.push_back(fmt::format("'{}'", Printable(ShortName(name, 40))));
    }
    Line("  " + Wrapped(fmt::format("The same two lines race on {}{} too.", fmt::join(names, ", "),
                                    race.also_on.size() > names.size() ? " and others" : ""),
                        2, 4));
  }

  void AddDeadlock(const std::vector<ReportedWait>& waiting) {
    const std::string headline =
        waiting.size() == 1 ? fmt::format("{} waits for {}, and no other task can run",
                                          TaskText(waiting[0].task), Printable(waiting[0].what))
                            : fmt::format("no task can run, {} wait", Total(waiting));
    Line(Painted(Paint::kWarning, "taskrace: deadlock: " + headline));
    for (const ReportedWait& wait : waiting | std::views::take(kMostWaiting)) AddWait(wait);
    if (waiting.size() > kMostWaiting) {
      Line(fmt::format("  ... and {} more", Total(waiting) - kMostWaiting));
    }
    Line("");
  }
  uint64_t Total(const std::vector<ReportedWait>& waiting) const {
    return std::max<uint64_t>(report_.waiting, waiting.size());
  }

  void AddWait(const ReportedWait& wait) {
    Line(Painted(Paint::kHeadline,
                 fmt::format("  {} waits for {}", TaskText(wait.task), Printable(wait.what))));
    AddExcerpt(UserFrame(wait.stack));
    if (!wait.stack.empty()) AddStack(wait.stack);
    if (!wait.made.empty()) AddUserPlace("    what it waits for was made at ", wait.made);
    AddCreation(wait.task, wait.created, wait.ancestors);
  }

  void AddMessage(const ReportedMessage& message) {
    const bool error = message.severity == "error";
    const std::string lead = fmt::format("taskrace: {}: ", message.severity);
    Line(Painted(error ? Paint::kWarning : Paint::kHeadline, lead) +
         Wrapped(Printable(message.text), lead.size(), kIndent));
    for (const auto& [label, stack] : message.stacks) {
      Line(fmt::format("  {}:", Printable(label)));
      AddExcerpt(UserFrame(stack));
      AddStack(stack);
    }
  }

  void AddHints() {
    if (!report_.symbolizer_problem.empty()) {
      Line(Wrapped(
          "taskrace: note: no functions and lines: " + Printable(report_.symbolizer_problem), 0,
          kIndent));
    } else if (report_.lines_missing) {
      Line(Wrapped(
          "taskrace: note: some code has no source lines: it was compiled without -g, or the "
          "optimiser made one access of several (then -O0 shows the lines)",
          0, kIndent));
    }
    if (report_.left_out > 0) {
      Line(fmt::format("taskrace: note: {} left out; --max-races=0 reports all",
                       Counted(report_.left_out, "more report")));
    }
  }

  void AddSuppressions() {
    for (const Suppression& rule : report_.rules) {
      const std::string text = Printable(rule.text);
      const std::string matched = rule.reports == 0 && rule.occurrences == 0
                                      ? "nothing"
                                      : fmt::format("{} ({})", Counted(rule.reports, "race"),
                                                    Counted(rule.occurrences, "occurrence"));
      Line(Wrapped(fmt::format("taskrace: suppression '{}' (line {}) matched {}", text,
                               rule.rule_line, matched),
                   0, kIndent));
    }
  }

  void AddStats() {
    Line("taskrace: counters:");
    for (const auto& [name, value] : report_.stats) {
      Line(fmt::format("  {:<24} {:>16}", Printable(name), value));
    }
  }

  const Report& report_;
  const bool color_;
  SourceFiles sources_;
  std::string out_;
};

}  // namespace

std::string RenderText(const Report& report, bool color) {
  return TextReport(report, color).Render();
}

bool WantsColor(const std::string& option) {
  if (option != "auto") return option == "always";
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(2) == 1 && (no_color == nullptr || *no_color == '\0') &&
         (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

}  // namespace taskrace::report
