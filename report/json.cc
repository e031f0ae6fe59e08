#include "report/json.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "report/bytes.h"
#include "report/fork.h"
#include "report/log_format.h"
#include "report/mistake.h"
#include "report/race.h"
#include "report/why.h"

namespace taskrace::report {
namespace {

using Json = nlohmann::ordered_json;

std::string Hex(uint64_t number) { return fmt::format("{:#x}", number); }

Json FrameJson(const Frame& frame) {
  Json json = {{"function", ValidUtf8(frame.function)},
               {"file", ValidUtf8(ShownPath(frame.file))},
               {"line", frame.line},
               {"column", frame.column}};
  if (frame.file.empty()) {
    json["module"] = ValidUtf8(frame.module);
    json["offset"] = Hex(frame.offset);
  }
  if (frame.library) json["library"] = true;
  if (!frame.part.empty()) json["part"] = ValidUtf8(frame.part);
  return json;
}

Json StackJson(const Stack& stack) {
  Json json = Json::array();
  for (const Frame& frame : stack) json.push_back(FrameJson(frame));
  return json;
}

Json CreationsJson(const std::vector<Stack>& created) {
  Json json = Json::array();
  for (const Stack& stack : created) json.push_back(StackJson(stack));
  return json;
}

Json LocationJson(const ReportedLocation& location) {
  return {{"what", ValidUtf8(location.what)},
          {"name", ValidUtf8(location.name)},
          {"function", ValidUtf8(location.function)},
          {"member", ValidUtf8(location.member)},
          {"offset", location.offset},
          {"size", location.size},
          {"file", ValidUtf8(ShownPath(location.file))},
          {"line", location.line},
          {"allocated_at", StackJson(location.allocated_at)}};
}

// Which tasks of a chain of creations are iterations of a loop: their levels, from the task itself outward.
Json IterationsJson(const std::map<size_t, int64_t>& iterations) {
  Json json = Json::array();
  for (const auto& [level, number] : iterations) {
    const bool is_section = number >= kFirstSection;
    const bool is_single = number == kSingleBlock;
    const bool is_lane = !is_section && number >= kFirstLane;
    json.push_back({{"level", level},
                    {"number", is_single    ? 0
                               : is_section ? number - kFirstSection
                               : is_lane    ? number - kFirstLane
                                            : number},
                    {"kind", is_single    ? "single"
                             : is_section ? "section"
                             : is_lane    ? "lane"
                                          : "iteration"}});
  }
  return json;
}

// A thread of a team, or one that the program has started.
Json ThreadJson(const ThreadOfTeam& thread) {
  Json json = {{"number", thread.number}, {"team_size", nullptr}};
  if (thread.team_size != 0) json["team_size"] = thread.team_size;
  return json;
}

Json ThreadsJson(const std::map<size_t, ThreadOfTeam>& threads) {
  Json json = Json::array();
  for (const auto& [level, thread] : threads) {
    json.push_back(ThreadJson(thread));
    json.back()["level"] = level;
  }
  return json;
}

Json AccessJson(const ReportedAccess& access) {
  Json locks = Json::array();
  Json lock_locations = Json::array();
  for (const ReportedLock& lock : access.locks) {
    locks.push_back(Hex(lock.address));
    lock_locations.push_back(LocationJson(lock.location));
  }
  const Json iterations = IterationsJson(access.iterations);
  Json iteration;
  if (access.iterations.contains(0)) iteration = iterations[0]["number"];
  Json thread;
  if (const auto found = access.threads.find(0); found != access.threads.end()) {
    thread = ThreadJson(found->second);
  }
  return {{"op", ValidUtf8(access.op)},
          {"size", access.size},
          {"task", access.task},
          {"strand", access.strand},
          {"iteration", iteration},
          {"loop_iterations", iterations},
          {"is_loop", access.is_loop},
          {"thread", thread},
          {"threads", ThreadsJson(access.threads)},
          {"locks", locks},
          {"lock_locations", lock_locations},
          {"stack", StackJson(access.stack)},
          {"task_created_at", CreationsJson(access.created)},
          {"creators", access.ancestors}};
}

Json JoinJson(const std::optional<ReportedJoin>& joined) {
  if (!joined) return nullptr;
  return {{"task", joined->task}, {"strand", joined->strand}, {"stack", StackJson(joined->stack)}};
}

Json ForkJson(const ReportedRace& race) {
  const auto fork = FindFork(race);
  if (!fork) return nullptr;
  return {{"task", fork->task},
          {"levels", {fork->below[0], fork->below[1]}},
          {"stack", fork->at == nullptr ? Json::array() : StackJson(*fork->at)}};
}

Json MistakeJson(const ReportedRace& race, const SourceLines& sources) {
  const auto mistake = FindMistake(race, sources);
  if (!mistake) return nullptr;
  return {{"kind", mistake->kind->id}, {"text", ValidUtf8(mistake->text)}};
}

Json RaceJson(const ReportedRace& race, const SourceLines& sources, bool merged) {
  Json also = Json::array();
  for (const std::string& name : race.also_on) also.push_back(ValidUtf8(name));
  Json json = {
      {"class", ValidUtf8(race.race_class)},
      {"kind", race.kind},
      {"address", Hex(race.address)},
      {"size", race.size},
      {"count", race.count},
      {"location", LocationJson(race.location)},
      {"also_on", also},
      {"cause", race.cause},
      {"accesses", Json::array({AccessJson(race.accesses[0]), AccessJson(race.accesses[1])})},
      {"why", Why(race)},
      {"mistake", MistakeJson(race, sources)},
      {"fork", ForkJson(race)},
      {"joined_at", JoinJson(race.joined)}};
  if (merged) json["runs"] = race.runs;
  if (race.known) json["known"] = true;
  return json;
}

Json DeadlockJson(const Report& report) {
  if (!report.deadlock) return nullptr;
  Json waiting = Json::array();
  for (const ReportedWait& wait : *report.deadlock) {
    waiting.push_back({{"task", wait.task},
                       {"for", ValidUtf8(wait.what)},
                       {"stack", StackJson(wait.stack)},
                       {"made_at", StackJson(wait.made)},
                       {"task_created_at", CreationsJson(wait.created)},
                       {"creators", wait.ancestors},
                       {"loop_iterations", IterationsJson(wait.iterations)},
                       {"threads", ThreadsJson(wait.threads)},
                       {"run", wait.run}});
  }
  return {{"tasks", report.waiting}, {"waiting", waiting}};
}

Json MessageJson(const ReportedMessage& message) {
  Json stacks = Json::array();
  for (const auto& [label, stack] : message.stacks) {
    stacks.push_back({{"label", ValidUtf8(label)}, {"stack", StackJson(stack)}});
  }
  return {{"severity", ValidUtf8(message.severity)},
          {"text", ValidUtf8(message.text)},
          {"stacks", stacks}};
}

Json StringsJson(const std::vector<std::string>& strings) {
  Json json = Json::array();
  for (const std::string& string : strings) json.push_back(ValidUtf8(string));
  return json;
}

// What is known about a run, but its races and messages.
Json RunJson(const ReportedRun& run) {
  Json json = {{"program", ValidUtf8(run.program)}, {"pid", run.pid}};
  if (run.exit_code) {
    json["exit_code"] = *run.exit_code;
  } else {
    json["exit_code"] = nullptr;
  }
  json["rank"] = run.rank ? Json(*run.rank) : Json(nullptr);
  json["exec"] = run.exec;
  json["reports"] = run.reports;
  json["complete"] = run.complete;
  json["summary"] = ValidUtf8(run.summary);
  json["notes"] = StringsJson(run.notes);
  Json stats = {{"engine", ValidUtf8(run.engine)}};
  if (!run.why.empty()) stats["engine_reason"] = ValidUtf8(run.why);
  stats["history"] = ValidUtf8(run.history);
  for (const auto& [name, value] : run.stats) stats[ValidUtf8(name)] = value;
  json["stats"] = stats;
  return json;
}

Json SourcesJson(const SourceLines& sources) {
  Json json = Json::array();
  for (const auto& [file, lines] : sources) {
    Json texts = Json::object();
    for (const auto& [number, text] : lines) texts[std::to_string(number)] = ValidUtf8(text);
    json.push_back({{"file", ValidUtf8(ShownPath(file))}, {"lines", texts}});
  }
  return json;
}

std::string CurrentDirectory() {
  std::error_code unknown;
  return std::filesystem::current_path(unknown).string();
}

Json ReportJson(const Report& report) {
  const bool merged = report.runs.size() != 1;
  Json json = {{"schema", kReportSchema}, {"taskrace", kVersion}};
  if (!merged) json.update(RunJson(report.runs[0]));
  json["directory"] = ValidUtf8(CurrentDirectory());
  json["races"] = Json::array();
  for (const ReportedRace& race : report.races)
    json["races"].push_back(RaceJson(race, report.sources, merged));
  json["occurrences"] = report.occurrences;
  json["left_out"] = report.left_out;
  json["suppressed"] = report.suppressed;
  json["suppressions"] = Json::array();
  for (const Suppression& rule : report.rules) {
    json["suppressions"].push_back({{"rule", ValidUtf8(rule.text)},
                                    {"line", rule.rule_line},
                                    {"races", rule.reports},
                                    {"occurrences", rule.occurrences},
                                    {"frames", rule.frames}});
  }
  json["deadlock"] = DeadlockJson(report);
  json["messages"] = Json::array();
  for (const ReportedMessage& message : report.messages) {
    json["messages"].push_back(MessageJson(message));
  }
  json["sources"] = SourcesJson(report.sources);
  if (merged) {
    json["summary"] = ValidUtf8(report.summary);
    json["notes"] = StringsJson(report.notes);
    json["runs"] = Json::array();
    for (const ReportedRun& run : report.runs) {
      json["runs"].push_back({{"file", ValidUtf8(run.file)}});
      json["runs"].back().update(RunJson(run));
    }
  }
  return json;
}

}  // namespace

std::string RenderJson(const Report& report) { return ReportJson(report).dump(2) + "\n"; }

}  // namespace taskrace::report
