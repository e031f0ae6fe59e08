#include "report/text.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <ranges>
#include <string_view>

#include "report/access_text.h"
#include "report/bytes.h"
#include "report/counted.h"
#include "report/function_name.h"
#include "report/location_text.h"
#include "report/mistake.h"
#include "report/source_excerpt.h"
#include "report/sources.h"
#include "report/why.h"
#include "report/wrap.h"

namespace taskrace::report {
namespace {

// Indentation of the lines that continue a line of "taskrace: ...".
constexpr size_t kIndent = 10;
// The numbers of innermost and outermost frames shown of a deep stack; JSON has them all.
constexpr size_t kInnermost = 20;
constexpr size_t kOutermost = 4;
// A group of races with one cause is abridged if it has more than kLargestGroup members: some are
// shown in full, the next ones are listed.
constexpr size_t kLargestGroup = 5;
constexpr size_t kShownOfGroup = 3;
constexpr size_t kListedOfGroup = 20;
// The number of runs that are listed for a race.
constexpr size_t kMostRuns = 4;
// The number of waiting tasks shown for a deadlock.
constexpr size_t kMostWaiting = 20;

enum class Paint { kHeadline, kWarning, kPlace, kCaret, kQuiet };

std::string FunctionText(const Frame& frame, size_t most) {
  if (frame.function.empty()) return "??";
  const std::string part = frame.part.empty() ? "" : fmt::format(" [{}]", frame.part);
  return Printable(ShortName(frame.function, most > part.size() ? most - part.size() : 1)) + part;
}

class TextReport {
 public:
  TextReport(const Report& report, bool color, size_t width)
      : report_(report), color_(color), width_(width) {}

  std::string Render() {
    // Code that was not instrumented is worth a line only beside others.
    const bool anything = !report_.races.empty() || report_.deadlock || report_.HasErrors() ||
                          report_.warned || report_.options.stats != 0;
    if (!anything && (report_.options.hidden_summary == 0 || report_.forked)) return "";
    AddRaces();
    if (report_.deadlock) AddDeadlock(*report_.deadlock);
    for (const ReportedMessage& message : report_.messages) AddMessage(message);
    AddNotes();
    AddSuppressions();
    if (report_.options.stats != 0) AddStats();
    const bool bad = report_.Reports() > 0 || report_.deadlock || report_.HasErrors();
    Line(Painted(bad ? Paint::kWarning : Paint::kHeadline,
                 Wrap("taskrace: " + Printable(report_.summary), 0, kIndent)));
    return std::move(out_);
  }

 private:
  void Line(std::string_view text) {
    out_ += text;
    out_ += '\n';
  }

  std::string Wrap(std::string_view text, size_t column, size_t indent) const {
    return Wrapped(text, column, indent, width_);
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
    Line(Painted(Paint::kWarning, Wrap("taskrace: " + Headline(race), 0, kIndent)));
    if (locked) {
      Line("  " +
           Wrap("Both hold a common lock, but which comes first depends on the schedule.", 2, 4));
    }
    const bool parallel = report_.options.exec == "parallel";
    AddAccess(parallel ? "one" : "earlier", race.accesses[0]);
    AddAccess(parallel ? "the other" : "later", race.accesses[1]);
    AddWhy(race);
    AddLocation(race);
    AddCount(race);
    const bool named = race.location.what == "global";
    if (const std::string rule =
            RuleFor(named ? race.location.name : "", UserFrame(race.accesses[1].stack));
        !rule.empty()) {
      Line("  To suppress it: " + Printable(rule));
    }
    Line("");
  }

  // How often a race was seen, and of several runs in which.
  void AddCount(const ReportedRace& race) {
    const std::string times =
        race.count > 1 ? fmt::format("Seen {} times", race.count) : "Seen once";
    if (report_.runs.size() > 1) {
      std::vector<std::string> files;
      for (size_t run : race.runs | std::views::take(kMostRuns)) {
        files.push_back(Printable(report_.runs[run].Name()));
      }
      if (race.runs.size() > kMostRuns) files.emplace_back("...");
      Line("  " + Wrap(fmt::format("{} in {} of {} runs: {}", times, race.runs.size(),
                                   report_.runs.size(), fmt::join(files, ", ")),
                       2, 4));
    } else if (race.count > 1) {
      Line(fmt::format("  {}.", times));
    }
  }

  // Races with one cause: the first ones in full, of many the others in a list.
  void AddRaces() {
    std::map<uint64_t, size_t> group_sizes;
    for (const ReportedRace& race : report_.races) ++group_sizes[race.cause];
    std::map<uint64_t, size_t> shown;
    for (const ReportedRace& race : report_.races) {
      const size_t before = shown[race.cause]++;
      const bool many = report_.options.group != 0 && group_sizes[race.cause] > kLargestGroup;
      if (!many || before < kShownOfGroup) {
        AddRace(race);
      } else if (before == kShownOfGroup) {
        AddRest(race.cause, group_sizes[race.cause] - kShownOfGroup);
      }
    }
  }

  void AddRest(uint64_t cause, size_t count) {
    Line(
        Painted(Paint::kWarning,
                Wrap(fmt::format("taskrace: {} between the same tasks, perhaps with the same cause "
                                 "(--group=0 shows all):",
                                 Counted(count, "more race")),
                     0, kIndent)));
    size_t skip = kShownOfGroup;
    size_t listed = 0;
    for (const ReportedRace& race : report_.races) {
      if (race.cause != cause || (skip > 0 && skip-- > 0)) continue;
      if (listed++ == kListedOfGroup) {
        Line(fmt::format("  ... and {} more", count - kListedOfGroup));
        break;
      }
      Line("  " + Wrap(fmt::format("{} on {}: {} and {}", race.kind, Subject(race.location),
                                   UserPlace(race.accesses[0]), UserPlace(race.accesses[1])),
                       2, 6));
    }
    Line("");
  }

  static std::string UserPlace(const ReportedAccess& access) {
    const Frame* frame = UserFrame(access.stack);
    return frame == nullptr ? "an unknown location" : FramePlace(*frame);
  }

  void AddAccess(std::string_view which, const ReportedAccess& access) {
    Line(Painted(Paint::kHeadline,
                 Wrap(fmt::format("  {}: {} by {}", which, Operation(access), Who(access)), 0, 6)));
    AddExcerpt(access.stack);
    AddStack(access.stack);
    AddLocks(access);
    AddCreation(access);
  }

  void AddLocks(const ReportedAccess& access) {
    if (access.locks.empty()) return;
    std::vector<std::string> locks;
    for (const ReportedLock& lock : access.locks) locks.push_back(LockText(lock));
    Line("    " + Wrap(fmt::format("holding {} {}", locks.size() == 1 ? "lock" : "locks",
                                   fmt::join(locks, "; ")),
                       4, 6));
  }

  void AddExcerpt(const Stack& stack) {
    if (LostItsLine(stack)) return Line("    (the optimiser has lost the source line)");
    const Frame* frame = UserFrame(stack);
    if (frame == nullptr || frame->file.empty()) return;
    const std::string* line = SourceLine(report_.sources, frame->file, frame->line);
    if (line == nullptr) return;
    const std::string number = std::to_string(frame->line);
    const Excerpt excerpt = MakeExcerpt(*line, frame->column, width_ - number.size() - 8);
    Line(fmt::format("    {} | {}", Painted(Paint::kQuiet, number), excerpt.text));
    Line(fmt::format("    {} | {}{}", std::string(number.size(), ' '),
                     std::string(excerpt.caret, ' '), Painted(Paint::kCaret, "^")));
  }

  void AddStack(const Stack& stack) {
    if (stack.empty()) Line("    (stack unavailable)");
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
    const bool one_line = taken + 24 <= width_;
    const std::string function =
        FunctionText(frame, one_line ? width_ - taken : width_ - lead.size());
    if (one_line) {
      Line(lead + function + " " + Painted(Paint::kPlace, place));
    } else {
      Line(lead + function);
      Line(std::string(lead.size(), ' ') + Painted(Paint::kPlace, place));
    }
  }

  // Where a task was created, its creator, and so on out to main.
  void AddCreation(const auto& of) {
    const std::vector<Stack>& created = of.created;
    const std::vector<uint64_t>& ancestors = of.ancestors;
    if (created.empty()) return;
    bool is_loop = false;
    if constexpr (requires { of.is_loop; }) is_loop = of.is_loop;
    std::string lead = is_loop ? "    the loop is at "
                               : "    " + CreatedText(of.iterations, of.threads, 0,
                                                      fmt::format("task {}", of.task));
    const size_t levels = created.size();
    const bool deep = levels > kInnermost + kOutermost + 1;
    for (size_t i = 0; i < levels; ++i) {
      if (deep && i == kInnermost) {
        Line(fmt::format("    ... {} more tasks", levels - kInnermost - kOutermost));
        i = levels - kOutermost;
        lead = Creator(of, i - 1);
      }
      AddUserPlace(lead, created[i]);
      lead = Creator(of, i);
    }
    const bool cut = !ancestors.empty() && ancestors.back() != 0;
    Line(cut ? fmt::format("      by task {}, and so on out to main", ancestors.back())
             : "      by the main task");
  }

  // Of a stack, only the user's line and function; nothing where the interface did it by itself.
  void AddUserPlace(const std::string& lead, const Stack& stack) {
    const Frame* frame = UserFrame(stack);
    if (frame != nullptr && IsMachinery(*frame)) {
      return Line(lead.substr(0, lead.rfind(" at ")) + " by the task interface");
    }
    const std::string place = frame == nullptr ? "an unknown location" : FramePlace(*frame);
    std::string function;
    if (frame != nullptr && !frame->function.empty()) {
      const size_t taken = Columns(lead) + Columns(place) + 4;
      function = taken + 24 <= width_ ? " in " + FunctionText(*frame, width_ - taken)
                                      : "\n        in " + FunctionText(*frame, width_ - 11);
    }
    const bool one_line = Columns(lead) + Columns(place) <= width_;
    Line((one_line ? lead : lead.substr(0, lead.size() - 1) + "\n        ") +
         Painted(Paint::kPlace, place) + function);
  }

  // "by task 3 created at ": the creator of the task that created[level] is about.
  static std::string Creator(const auto& of, size_t level) {
    return "      by " + CreatedText(of.iterations, of.threads, level + 1,
                                     level < of.ancestors.size()
                                         ? fmt::format("task {}", of.ancestors[level])
                                         : "a task");
  }
  void AddWhy(const ReportedRace& race) {
    const std::string why = Why(race);
    const std::string joined = JoinText(race);
    const std::string text = why + (why.empty() || joined.empty() ? "" : "; ") + joined;
    if (!text.empty()) Line(Painted(Paint::kHeadline, "  why: ") + Wrap(text, 7, 7));
    if (const auto mistake = FindMistake(race, report_.sources)) {
      Line(Painted(Paint::kHeadline, "  hint: ") +
           Wrap(fmt::format("{} (docs/mistakes.md#{})", mistake->text, mistake->kind->id), 8, 8));
    }
  }

  void AddLocation(const ReportedRace& race) {
    Line(Painted(Paint::kHeadline, "  where: ") + Wrap(LocationSentence(race), 9, 9));
    if (!race.location.allocated_at.empty()) AddStack(race.location.allocated_at);
    if (race.also_on.empty()) return;
    std::vector<std::string> names;
    for (const std::string& name : race.also_on) {
      if (names.size() < 6) names.push_back(fmt::format("'{}'", Printable(ShortName(name, 40))));
    }
    Line("  " + Wrap(fmt::format("The same two lines race on {}{} too.", fmt::join(names, ", "),
                                 race.also_on.size() > names.size() ? " and others" : ""),
                     2, 4));
  }

  void AddDeadlock(const std::vector<ReportedWait>& waiting) {
    const std::string headline =
        waiting.size() == 1 ? fmt::format("{} waits for {}, and no other task can run",
                                          Who(waiting[0]), Printable(waiting[0].what))
                            : fmt::format("no task can run, {} are waiting", Total(waiting));
    Line(Painted(Paint::kWarning, "taskrace: deadlock: " + headline));
    size_t run = 0;
    for (const ReportedWait& wait : waiting | std::views::take(kMostWaiting)) {
      if (report_.runs.size() > 1 && (wait.run != run || &wait == waiting.data())) {
        Line(fmt::format("  in {}:", Printable(report_.runs[run = wait.run].Name())));
      }
      AddWait(wait);
    }
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
                 fmt::format("  {} waits for {}", Who(wait), Printable(wait.what))));
    AddExcerpt(wait.stack);
    if (!wait.stack.empty()) AddStack(wait.stack);
    if (!wait.made.empty()) AddUserPlace("    what it waits for was created at ", wait.made);
    AddCreation(wait);
  }

  void AddMessage(const ReportedMessage& message) {
    const bool error = message.severity == "error";
    const std::string lead = fmt::format("taskrace: {}: ", message.severity);
    Line(Painted(error ? Paint::kWarning : Paint::kHeadline, lead) +
         Wrap(Printable(message.text), lead.size(), kIndent));
    for (const auto& [label, stack] : message.stacks) {
      Line(fmt::format("  {}:", Printable(label)));
      AddExcerpt(stack);
      AddStack(stack);
    }
  }

  void AddNotes() {
    for (const std::string& note : report_.notes) {
      Line(Wrap("taskrace: note: " + Printable(note), 0, kIndent));
    }
  }

  void AddSuppressions() {
    for (const Suppression& rule : report_.rules) {
      const std::string text = Printable(rule.text);
      const bool library = rule.kind == Suppression::Kind::kLibrary;
      const std::string matched = rule.reports == 0 && rule.occurrences == 0 && rule.frames == 0
                                      ? "nothing"
                                  : library ? Counted(rule.frames, "frame")
                                            : fmt::format("{} ({})", Counted(rule.reports, "race"),
                                                          Counted(rule.occurrences, "occurrence"));
      Line(Wrap(fmt::format("taskrace: {} '{}' (line {}) matched {}",
                            library ? "rule" : "suppression", text, rule.rule_line, matched),
                0, kIndent));
    }
  }

  void AddStats() {
    Line("taskrace: counters:");
    for (const auto& [name, value] : report_.runs.at(0).stats) {
      Line(fmt::format("  {:<24} {:>16}", Printable(name), value));
    }
  }

  const Report& report_;
  const bool color_;
  const size_t width_;
  std::string out_;
};

}  // namespace

std::string RenderText(const Report& report, bool color, size_t width) {
  return TextReport(report, color, width).Render();
}

size_t TerminalWidth(int descriptor) {
  constexpr size_t kNarrowest = 40;
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kWidth;
  return std::clamp<size_t>(size.ws_col, kNarrowest, kWidth);
}

bool WantsColor(const std::string& option, int descriptor) {
  if (option != "auto") return option == "always";
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(descriptor) == 1 && (no_color == nullptr || *no_color == '\0') &&
         (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

}  // namespace taskrace::report
