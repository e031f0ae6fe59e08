#include "report/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/cause.h"
#include "report/counted.h"
#include "report/location_text.h"

namespace taskrace::report {
namespace {

// All variables that a race of two lines was seen on; unnamed memory is known by where it was allocated.
std::vector<std::string> Variables(const ReportedRace& race) {
  std::vector<std::string> names = race.also_on;
  const Frame* allocated = UserFrame(race.location.allocated_at);
  names.push_back(!race.location.name.empty() ? race.location.name
                  : allocated != nullptr      ? FramePlace(*allocated)
                                              : "");
  return names;
}

bool HaveOneInCommon(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::any_of(
      a, [&](const std::string& name) { return std::ranges::find(b, name) != b.end(); });
}

void AddCounts(ReportedRace& known, const ReportedRace& again) {
  known.count += again.count;
  known.runs.insert(known.runs.end(), again.runs.begin(), again.runs.end());
  for (const std::string& name : Variables(again)) {
    if (!again.location.name.empty() && name != known.location.name &&
        std::ranges::find(known.also_on, name) == known.also_on.end()) {
      known.also_on.push_back(name);
    }
  }
}

std::string MergedSummary(const Report& report) {
  const std::string runs = Counted(report.runs.size(), "run");
  const auto incomplete =
      static_cast<uint64_t>(std::ranges::count(report.runs, false, &ReportedRun::complete));
  const auto racy = static_cast<uint64_t>(
      std::ranges::count_if(report.runs, [](const ReportedRun& run) { return run.reports > 0; }));
  std::string text = report.Reports() == 0
                         ? fmt::format("no races in {}", runs)
                         : fmt::format("{} ({}) in {} of {}", Counted(report.Reports(), "race"),
                                       Counted(report.occurrences, "occurrence"), racy, runs);
  if (report.suppressed > 0) text += fmt::format(", {} suppressed", report.suppressed);
  if (report.deadlock) text += ", and a deadlock";
  if (incomplete > 0) {
    text += fmt::format(
        "; {} not checked completely",
        incomplete == 1 ? std::string("1 run was") : fmt::format("{} runs were", incomplete));
  }
  return text;
}

}  // namespace

void Merger::Add(Report report, const std::string& file) {
  ++reports_;
  const size_t first_run = merged_.runs.size();
  for (ReportedRun& run : report.runs) {
    if (run.file.empty()) run.file = file;
    merged_.runs.push_back(std::move(run));
  }
  if (report.options.exec == "parallel") merged_.options.exec = report.options.exec;
  for (ReportedRace& race : report.races) AddRace(std::move(race), first_run);
  AddDeadlock(report, first_run);
  for (const Suppression& rule : report.rules) AddRule(rule);
  for (ReportedMessage& message : report.messages) AddMessage(std::move(message));
  for (auto& [source, lines] : report.sources) merged_.sources[source].merge(lines);
  for (const std::string& note : report.notes) {
    if (notes_.insert(note).second) merged_.notes.push_back(note);
  }
  merged_.occurrences += report.occurrences;
  merged_.left_out += report.left_out;
  merged_.suppressed += report.suppressed;
  merged_.summary = report.summary;
}

Report Merger::Take() {
  merged_.options.hidden_summary = 1;
  FindCauses(merged_.races);
  if (reports_ > 1) merged_.summary = MergedSummary(merged_);
  return std::move(merged_);
}

void Merger::AddRace(ReportedRace race, size_t first_run) {
  for (size_t& run : race.runs) run += first_run;
  std::string sites[2] = {Site(race.accesses[0]), Site(race.accesses[1])};
  if (sites[1] < sites[0]) std::swap(sites[0], sites[1]);
  std::vector<size_t>& same_lines = by_site_[{race.race_class, sites[0], sites[1]}];
  const std::vector<std::string> variables = Variables(race);
  for (const size_t i : same_lines) {
    // Option dedup=address reports each of them by itself: those of one file stay apart.
    const bool of_this_file = merged_.races[i].runs.front() >= first_run;
    if (of_this_file || !HaveOneInCommon(Variables(merged_.races[i]), variables)) continue;
    return AddCounts(merged_.races[i], race);
  }
  same_lines.push_back(merged_.races.size());
  merged_.races.push_back(std::move(race));
}

void Merger::AddDeadlock(const Report& report, size_t first_run) {
  if (!report.deadlock) return;
  std::vector<std::string> places;
  for (const ReportedWait& wait : *report.deadlock) {
    const Frame* frame = UserFrame(wait.stack);
    places.push_back(wait.what + (frame == nullptr ? "" : " " + FramePlace(*frame)));
  }
  if (!deadlocks_.insert(places).second) return;
  if (!merged_.deadlock) merged_.deadlock.emplace();
  merged_.waiting += report.waiting;
  for (ReportedWait wait : *report.deadlock) {
    wait.run += first_run;
    merged_.deadlock->push_back(std::move(wait));
  }
}

void Merger::AddRule(const Suppression& rule) {
  const auto [known, is_new] =
      rules_.try_emplace({rule.text, rule.rule_line}, merged_.rules.size());
  if (is_new) {
    merged_.rules.push_back(rule);
    return;
  }
  Suppression& sum = merged_.rules[known->second];
  sum.reports += rule.reports;
  sum.occurrences += rule.occurrences;
  sum.frames += rule.frames;
}

void Merger::AddMessage(ReportedMessage message) {
  const auto [first, last] = messages_.equal_range(message.text);
  const bool known = std::any_of(first, last, [&](const auto& entry) {
    return merged_.messages[entry.second].stacks == message.stacks;
  });
  if (known) return;
  messages_.emplace(message.text, merged_.messages.size());
  merged_.messages.push_back(std::move(message));
}

}  // namespace taskrace::report
