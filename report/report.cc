#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <tuple>

#include "report/blind_spots.h"
#include "report/bytes.h"
#include "report/cause.h"
#include "report/elf_file.h"
#include "report/function_name.h"
#include "report/libraries.h"
#include "report/log_format.h"
#include "report/members.h"
#include "report/notes.h"
#include "report/rank.h"
#include "report/sources.h"
#include "report/summary.h"
#include "report/symbols.h"

namespace taskrace::report {
namespace {

// "read" or "write": what an operation means for a race.
std::string_view ReadOrWrite(std::string_view op) {
  return op == "read" || op == "atomic-read" ? "read" : "write";
}

// What accesses of races that are found in any order are sorted by.
std::tuple<std::string, uint64_t, uint64_t, std::string> OrderOf(const ReportedAccess& access) {
  const Frame* frame = UserFrame(access.stack);
  if (frame == nullptr) return {"", 0, 0, access.op};
  if (frame->file.empty()) return {frame->module, frame->offset, 0, access.op};
  return {frame->file, frame->line, frame->column, access.op};
}

std::string Kind(const ReportedRace& race) {
  return fmt::format("{}-{}", ReadOrWrite(race.accesses[0].op), ReadOrWrite(race.accesses[1].op));
}

class Builder {
 public:
  explicit Builder(const Log& log) : log_(log), symbols_(log.modules) {}

  Report Build() {
    report_.program = log_.program;
    report_.pid = log_.pid;
    report_.forked = log_.forked;
    report_.engine = log_.engine;
    report_.why = log_.why;
    report_.history = log_.history;
    report_.options = log_.options;
    report_.stats = log_.stats;
    report_.end = log_.end;
    ResolveSymbols();
    ReadSuppressions();
    FindLibraries();
    AddMessages();
    AddRaces();
    AddDeadlock();
    AddBlindSpots();
    report_.rules = suppressions_.rules();
    CollectSources(report_);
    report_.notes = Notes(report_);
    report_.summary = Summary(report_);
    AddRun();
    return std::move(report_);
  }

 private:
  void ResolveSymbols() {
    for (const LoggedRace& race : log_.races) {
      for (const LoggedAccess& access : race.accesses) {
        symbols_.Want(access.stack);
        for (const LoggedLocation& lock : access.lock_locations) Want(lock);
        for (const RawStack& stack : access.created) symbols_.Want(stack);
      }
      Want(race.location);
      if (race.joined) symbols_.Want(race.joined->stack);
    }
    for (const LoggedWait& wait : Waiting()) {
      symbols_.Want(wait.stack);
      symbols_.Want(wait.made);
      for (const RawStack& stack : wait.created) symbols_.Want(stack);
    }
    for (const LoggedMessage& message : log_.messages) {
      for (const auto& [label, stack] : message.stacks) symbols_.Want(stack);
    }
    report_.symbolizer_problem = symbols_.Resolve();
  }

  void Want(const LoggedLocation& location) {
    symbols_.Want(location.stack);
    if (location.what == "global") symbols_.WantGlobal(location.global);
  }

  std::span<const LoggedWait> Waiting() const {
    if (!log_.deadlock) return {};
    return *log_.deadlock;
  }

  // What the user did not write, by the options of the run and of the compiler.
  void FindLibraries() {
    libraries_.Add(log_.options.library);
    for (const auto& [id, module] : log_.modules) {
      if (!module.instrumented) continue;
      for (const std::string& line : ElfFile(module.path).CommandLines()) {
        libraries_.AddCommandLine(line);
      }
    }
  }

  Stack Frames(const RawStack& raw) {
    Stack frames = Visible(symbols_.Frames(raw));
    for (Frame& frame : frames) {
      frame.library = suppressions_.IsLibrary(frame.file) || libraries_.Covers(frame.file);
    }
    return frames;
  }

  std::vector<Stack> Creations(const std::vector<RawStack>& raw) {
    std::vector<Stack> created;
    for (const RawStack& stack : raw) created.push_back(Frames(stack));
    return created;
  }

  // Numbers of creators that do not match the creations are useless.
  static std::vector<uint64_t> Ancestors(const std::vector<uint64_t>& logged, size_t creations) {
    return logged.size() == creations ? logged : std::vector<uint64_t>();
  }

  void AddMessages() {
    for (const LoggedMessage& logged : log_.messages) {
      ReportedMessage message{logged.severity, logged.text, {}};
      for (const auto& [label, stack] : logged.stacks) {
        message.stacks.emplace_back(label, Frames(stack));
      }
      report_.warned |= logged.severity == "warning";
      report_.messages.push_back(std::move(message));
    }
  }

  void ReadSuppressions() {
    if (log_.options.suppressions.empty()) return;
    auto read = Suppressions::Read(log_.options.suppressions);
    if (read) {
      suppressions_ = std::move(*read);
    } else {
      report_.messages.push_back({"error", read.error() + "; nothing is suppressed", {}});
    }
  }

  ReportedAccess Access(const LoggedAccess& logged) {
    return {.op = logged.op,
            .size = logged.size,
            .task = logged.task,
            .strand = logged.strand,
            .locks = Locks(logged),
            .stack = Frames(logged.stack),
            .created = Creations(logged.created),
            .ancestors = Ancestors(logged.ancestors, logged.created.size()),
            .iterations = logged.iterations,
            .is_loop = logged.is_loop,
            .threads = logged.threads};
  }

  std::vector<ReportedLock> Locks(const LoggedAccess& logged) {
    std::vector<ReportedLock> locks;
    for (size_t i = 0; i < logged.locks.size(); ++i) {
      locks.push_back({.address = logged.locks[i], .location = {}});
      if (i < logged.lock_locations.size()) {
        locks.back().location = Location(logged.lock_locations[i], logged.locks[i], 1);
      }
    }
    return locks;
  }

  // `size`: how many bytes of it matter.
  ReportedLocation Location(const LoggedLocation& logged, uint64_t address, uint64_t size) {
    ReportedLocation location;
    location.what = logged.what;
    if (logged.what == "global") {
      const GlobalSymbol global = symbols_.Global(logged.global);
      location.name = global.name;
      location.offset = global.name.empty() ? 0 : logged.global.offset - global.start;
      location.size = global.size;
      location.file = global.file;
      location.line = global.line;
    } else if (logged.what == "worker") {
      location.name = logged.name;
    } else if (location.IsValue()) {
      location.allocated_at = Frames(logged.stack);
    } else if (logged.what == "heap" || logged.what == "stack") {
      location.name = logged.name;
      location.function = Demangled(logged.function);
      location.offset = address - logged.start;
      location.size = logged.size;
      location.file = CleanPath(logged.file);
      location.line = logged.line;
      if (!logged.stack.empty()) location.allocated_at = Frames(logged.stack);
    } else if (logged.start != 0) {
      location.offset = address - (logged.start + logged.size);
      location.size = logged.size;
      location.allocated_at = Frames(logged.stack);
    }
    if (!location.name.empty() && size < location.size) FindMember(location, size);
    return location;
  }

  // Which module a stack variable belongs to is not known: one that has such a variable in that line.
  void FindMember(ReportedLocation& location, uint64_t size) {
    for (const auto& [id, module] : log_.modules) {
      if (!module.instrumented) continue;
      location.member =
          members_.Path(module.path, location.name, location.line, location.offset, size);
      if (!location.member.empty()) return;
    }
  }

  // True if a rule suppresses the race; counts it.
  Suppression* Suppress(const ReportedRace& race) {
    SuppressionSubject subject;
    for (const ReportedAccess& access : race.accesses) {
      subject.stacks.push_back(&access.stack);
      for (const Stack& stack : access.created) subject.creations.push_back(&stack);
    }
    subject.variable = race.location.name;
    return suppressions_.Match(subject);
  }

  void AddRaces() {
    // A report for each key: class, suppressed or not, and the two sites in either order.
    using Key = std::tuple<std::string, bool, std::string, std::string>;
    std::map<Key, ReportedRace*> by_site;
    std::vector<std::unique_ptr<ReportedRace>> reports;
    for (const LoggedRace& logged : log_.races) {
      auto race = std::make_unique<ReportedRace>();
      race->race_class = logged.race_class;
      race->address = logged.address;
      race->size = logged.size;
      race->count = logged.count;
      for (int i : {0, 1}) race->accesses[i] = Access(logged.accesses[i]);
      race->kind = Kind(*race);
      race->location = Location(logged.location, logged.address, logged.size);
      if (logged.joined) {
        race->joined = {logged.joined->task, logged.joined->strand, Frames(logged.joined->stack)};
      }
      Suppression* rule = Suppress(*race);
      if (rule != nullptr) {
        rule->occurrences += race->count;
      } else {
        report_.occurrences += race->count;
      }
      if (log_.options.dedup == "site") {
        std::string sites[2] = {Site(race->accesses[0]), Site(race->accesses[1])};
        if (sites[1] < sites[0]) std::swap(sites[0], sites[1]);
        auto [known, is_new] = by_site.try_emplace(
            {race->race_class, rule != nullptr, sites[0], sites[1]}, race.get());
        if (!is_new) {
          Merge(*known->second, *race);
          continue;
        }
        if (rule != nullptr) suppressed_.push_back(std::move(race));
      }
      if (rule != nullptr) {
        ++rule->reports;
        ++report_.suppressed;
      } else {
        reports.push_back(std::move(race));
      }
    }
    if (log_.options.exec == "parallel") PutInOrder(reports);
    const uint64_t most = log_.options.max_races;
    for (auto& race : reports) {
      if (most != 0 && report_.races.size() == most) {
        ++report_.left_out;
      } else {
        for (const ReportedAccess& access : race->accesses) NoteMissingLine(access.stack);
        report_.races.push_back(std::move(*race));
      }
    }
    FindCauses(report_.races);
  }

  // Where tasks run in parallel it is chance which race is found first, and which of its accesses.
  static void PutInOrder(std::vector<std::unique_ptr<ReportedRace>>& races) {
    for (auto& race : races) {
      if (OrderOf(race->accesses[1]) < OrderOf(race->accesses[0])) {
        std::swap(race->accesses[0], race->accesses[1]);
        race->kind = Kind(*race);
      }
    }
    std::ranges::sort(races, {}, [](const std::unique_ptr<ReportedRace>& race) {
      return std::tuple(OrderOf(race->accesses[0]), OrderOf(race->accesses[1]), race->location.name,
                        race->address);
    });
  }

  static void Merge(ReportedRace& known, const ReportedRace& again) {
    known.count += again.count;
    const std::string& name = again.location.name;
    if (!name.empty() && name != known.location.name &&
        std::ranges::find(known.also_on, name) == known.also_on.end()) {
      known.also_on.push_back(name);
    }
  }

  void AddDeadlock() {
    if (!log_.deadlock) return;
    report_.waiting = log_.waiting;
    report_.deadlock.emplace();
    for (const LoggedWait& logged : Waiting()) {
      ReportedWait wait{.task = logged.task,
                        .what = logged.what,
                        .stack = Frames(logged.stack),
                        .made = Frames(logged.made),
                        .created = Creations(logged.created),
                        .ancestors = Ancestors(logged.ancestors, logged.created.size()),
                        .iterations = logged.iterations,
                        .threads = logged.threads};
      // After main, a task waits outside of all code of the user.
      if (!std::ranges::all_of(wait.stack, IsSystem)) NoteMissingLine(wait.stack);
      report_.deadlock->push_back(std::move(wait));
    }
  }

  void AddRun() {
    report_.runs = {{.file = "",
                     .program = report_.program,
                     .pid = report_.pid,
                     .rank = RankOfProcess(),
                     .exit_code = report_.ExitCode(),
                     .exec = report_.options.exec,
                     .engine = report_.engine,
                     .why = report_.why,
                     .history = report_.history,
                     .reports = report_.Reports(),
                     .complete = report_.IsComplete(),
                     .summary = report_.summary,
                     .notes = report_.notes,
                     .stats = report_.stats}};
    for (ReportedRace& race : report_.races) race.runs = {0};
  }

  void NoteMissingLine(const Stack& stack) {
    const Frame* frame = UserFrame(stack);
    report_.lines_missing |= frame == nullptr || frame->file.empty() || LostItsLine(stack);
  }

  void AddBlindSpots() {
    const auto warn = [&](const std::string& text) {
      report_.messages.push_back({"warning", text, {}});
      report_.blind_spots = true;
    };
    report_.any_instrumented = std::ranges::any_of(
        log_.modules, [](const auto& module) { return module.second.instrumented; });
    if (const auto modules = UninstrumentedModules(log_.modules); !modules.empty()) {
      warn(fmt::format(
          "these libraries were not compiled with taskrace, so their accesses were not checked: {}",
          fmt::join(modules, ", ")));
    }
    for (const auto& [id, module] : log_.modules) {
      if (!module.instrumented) continue;
      if (const auto objects = UninstrumentedObjects(module.path); !objects.empty()) {
        warn(
            fmt::format("these parts of {} were not compiled with taskrace, so their accesses were "
                        "not checked: {}",
                        BaseName(module.path), fmt::join(objects, ", ")));
      }
      if (const auto sources = SourcesWithUnknownAccesses(module.path); !sources.empty()) {
        warn(fmt::format(
            "some instructions were not checked, because their accesses are unknown, in {}",
            fmt::join(sources, ", ")));
      }
      if (MakesTasksOfTbb(module.path)) {
        warn(
            fmt::format("{} can create tasks with oneTBB or std::execution, which are not checked: "
                        "only tasks of the task interface are",
                        BaseName(module.path)));
        report_.foreign_tasks = true;
      }
    }
  }

  const Log& log_;
  Symbols symbols_;
  Members members_;
  Suppressions suppressions_;
  Libraries libraries_;
  // Kept while the log is read: later races of the same site are counted there.
  std::vector<std::unique_ptr<ReportedRace>> suppressed_;
  Report report_;
};

}  // namespace

std::string Site(const ReportedAccess& access) {
  const Frame* frame = UserFrame(access.stack);
  if (frame == nullptr) return "";
  if (frame->file.empty()) return fmt::format("{}+{:#x}", frame->module, frame->offset);
  return fmt::format("{}:{}", frame->file, frame->line);
}

std::string ReportedRun::Name() const {
  const std::string name = file.empty() ? fmt::format("process {}", pid) : file;
  return rank ? fmt::format("rank {} ({})", *rank, name) : name;
}

std::optional<int> Report::ExitCode() const {
  if (!end) return std::nullopt;
  if (end->signal) return 128 + end->code;
  if (end->stopped) return end->code;
  return Reports() > 0 && options.exitcode != 0 ? static_cast<int>(options.exitcode) : end->code;
}

bool Report::HasErrors() const {
  return std::ranges::any_of(messages,
                             [](const ReportedMessage& m) { return m.severity == "error"; });
}

bool Report::IsComplete() const {
  return end && !end->signal && !deadlock && !HasErrors() && !warned && !foreign_tasks &&
         options.mode == "full" && any_instrumented && engine != "none";
}

bool Report::MadeNoTasks() const {
  return !stats.empty() && Stat("tasks") == 0 && Stat("loops") == 0 && Stat("simd_loops") == 0 &&
         options.mode == "full" && engine != "none" && any_instrumented && end && !end->signal &&
         !forked;
}

int64_t Report::Stat(const std::string& name) const {
  const auto found = std::ranges::find(stats, name, &std::pair<std::string, int64_t>::first);
  return found == stats.end() ? 0 : found->second;
}

Report MakeReport(const Log& log) { return Builder(log).Build(); }

}  // namespace taskrace::report
