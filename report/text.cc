#include "report/text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "report/bytes.h"
#include "report/function_name.h"
#include "report/source_excerpt.h"
#include "report/wrap.h"

namespace taskrace::report {
namespace {

// Where lines go on that follow a line of "taskrace: ...".
constexpr size_t kIndent = 10;
// Of a deep stack, so many innermost and outermost frames are shown; JSON has them all.
constexpr size_t kInnermost = 20;
constexpr size_t kOutermost = 4;

enum class Paint { kHeadline, kWarning, kPlace, kCaret, kQuiet };

std::string Counted(uint64_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string Bytes(uint64_t size) { return Counted(size, "byte"); }

std::string SignalName(int number) {
  const char* name = sigabbrev_np(number);
  return name == nullptr ? fmt::format("signal {}", number) : fmt::format("SIG{}", name);
}

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
    const bool anything = !report_.races.empty() || report_.HasErrors() || report_.warned ||
                          report_.options.stats != 0;
    if (!anything && (report_.options.hidden_summary == 0 || report_.forked)) return "";
    for (const ReportedRace& race : report_.races) AddRace(race);
    for (const ReportedMessage& message : report_.messages) AddMessage(message);
    AddHints();
    AddSuppressions();
    if (report_.options.stats != 0) AddStats();
    Line(Painted(report_.Reports() > 0 || report_.HasErrors() ? Paint::kWarning : Paint::kHeadline,
                 Wrapped(Summary(), 0, kIndent)));
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
    AddAccess("earlier", race.accesses[0]);
    AddAccess("later", race.accesses[1]);
    AddLocation(race);
    if (race.count > 1) Line(fmt::format("  Seen {} times.", race.count));
    Line("");
  }

  // What the race is on, in a few words for the headline.
  static std::string Subject(const ReportedLocation& location) {
    if (!location.name.empty()) return fmt::format("'{}'", Printable(ShortName(location.name, 60)));
    if (location.what == "heap") return fmt::format("a heap block of {}", Bytes(location.size));
    if (location.what == "stack") return "a stack variable";
    if (location.what == "global") return "a global variable";
    if (location.what == "tls") return "a thread_local variable";
    return "memory";
  }

  void AddAccess(std::string_view which, const ReportedAccess& access) {
    const std::string who =
        access.task == 0 ? "the main task" : fmt::format("task {}", access.task);
    Line(Painted(Paint::kHeadline, fmt::format("  {}: {} by {} (strand {})", which,
                                               Operation(access), who, access.strand)));
    AddExcerpt(UserFrame(access.stack));
    AddStack(access.stack);
    AddLocks(access);
    AddCreation(access);
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

  void AddCreation(const ReportedAccess& access) {
    if (access.created.empty()) return;
    std::string lead = fmt::format("    task {} created at ", access.task);
    const size_t levels = access.created.size();
    const bool deep = levels > kInnermost + kOutermost + 1;
    for (size_t i = 0; i < levels; ++i) {
      if (deep && i == kInnermost) {
        Line(fmt::format("    ... {} more tasks", levels - kInnermost - kOutermost));
        i = levels - kOutermost;
        lead = Creator(access, i - 1) + " created at ";
      }
      const Frame* frame = UserFrame(access.created[i]);
      const std::string place = frame == nullptr ? "an unknown place" : FramePlace(*frame);
      std::string function;
      if (frame != nullptr && !frame->function.empty()) {
        const size_t taken = Columns(lead) + Columns(place) + 4;
        function = taken + 24 <= kWidth ? " in " + FunctionText(*frame, kWidth - taken)
                                        : "\n        in " + FunctionText(*frame, kWidth - 11);
      }
      Line(lead + Painted(Paint::kPlace, place) + function);
      lead = Creator(access, i) + " created at ";
    }
    const bool cut = !access.ancestors.empty() && access.ancestors.back() != 0;
    Line(cut ? Creator(access, levels - 1) + ", and so on out to main" : "      by the main task");
  }

  // "by task 3": who made the task that created[level] tells of.
  static std::string Creator(const ReportedAccess& access, size_t level) {
    if (level >= access.ancestors.size()) return "      by a task";
    return fmt::format("      by task {}", access.ancestors[level]);
  }

  void AddLocation(const ReportedRace& race) {
    Line(Painted(Paint::kHeadline, "  where: ") + Wrapped(LocationSentence(race), 9, 9));
    if (race.location.what == "heap" && !race.location.allocated_at.empty()) {
      AddStack(race.location.allocated_at);
    }
    if (race.also_on.empty()) return;
    std::vector<std::string> names;
    for (const std::string& name : race.also_on) {
      if (names.size() < 6) names.push_back(fmt::format("'{}'", Printable(ShortName(name, 40))));
    }
    Line("  " + Wrapped(fmt::format("The same two lines race on {}{} too.", fmt::join(names, ", "),
                                    race.also_on.size() > names.size() ? " and others" : ""),
                        2, 4));
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

  // " in 8 tasks, 25 strands"; nothing if the process was killed before it counted.
  std::string InSize() const {
    if (report_.stats.empty()) return "";
    return fmt::format(" in {}, {}", Counted(report_.Stat("tasks"), "task"),
                       Counted(report_.Stat("strands"), "strand"));
  }

  std::string Summary() const {
    std::string text = "taskrace: ";
    if (report_.forked) text += fmt::format("process {}: ", report_.pid);
    text += Findings();
    if (!report_.end) {
      text += "; the program was killed, what it did last may be missing";
    } else if (report_.end->signal) {
      text += fmt::format("; the program was ended by {}", SignalName(report_.end->code));
    }
    return text;
  }

  std::string Findings() const {
    const std::string engine =
        fmt::format("engine {}, history {}", Printable(report_.engine), Printable(report_.history));
    if (report_.options.mode != "full") {
      return fmt::format("nothing was checked: mode is {}", report_.options.mode);
    }
    const auto locked = static_cast<uint64_t>(
        std::ranges::count(report_.races, std::string("lock-order"), &ReportedRace::race_class));
    const uint64_t races = report_.Reports() - locked;
    if (report_.Reports() > 0) {
      std::string found = races > 0 ? Counted(races, "race") : "no races";
      if (locked > 0) found += fmt::format(", {}", Counted(locked, "lock-order report"));
      return fmt::format("{} ({}){}{}; {}", found, Counted(report_.occurrences, "occurrence"),
                         SuppressedText(), InSize(), engine);
    }
    if (!report_.any_instrumented) {
      return "nothing was checked: no part of the program is instrumented; compile it with "
             "taskrace c++";
    }
    const bool whole = report_.end && !report_.end->signal;
    std::string claim;
    if (report_.HasErrors()) {
      claim = ", but the errors above leave that open";
    } else if (report_.warned) {
      claim = ", but the warnings above leave that open";
    } else if (whole && report_.suppressed == 0) {
      claim =
          report_.blind_spots
              ? ": as far as it was instrumented, no schedule of this input has a determinacy race"
              : ": no schedule of this input has a determinacy race";
    }
    return fmt::format("no races{}{}{} ({})", SuppressedText(), InSize(), claim, engine);
  }

  std::string SuppressedText() const {
    return report_.suppressed == 0 ? "" : fmt::format(" but {} suppressed", report_.suppressed);
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
