#include "report/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/bytes.h"
#include "report/log_format.h"
#include "report/race.h"

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

Json AccessJson(const ReportedAccess& access) {
  Json locks = Json::array();
  Json lock_locations = Json::array();
  for (const ReportedLock& lock : access.locks) {
    locks.push_back(Hex(lock.address));
    lock_locations.push_back(LocationJson(lock.location));
  }
  // Which tasks of the chain are iterations of a loop: their levels, from the task itself outward.
  Json iterations = Json::array();
  Json iteration;
  for (const auto& [level, number] : access.iterations) {
    const bool is_section = number >= kFirstSection;
    const bool is_single = number == kSingleBlock;
    const int64_t shown = is_single ? 0 : is_section ? number - kFirstSection : number;
    iterations.push_back({{"level", level},
                          {"number", shown},
                          {"kind", is_single    ? "single"
                                   : is_section ? "section"
                                                : "iteration"}});
    if (level == 0) iteration = shown;
  }
  Json thread;
  if (const auto found = access.threads.find(0); found != access.threads.end()) {
    thread = {{"number", found->second.number}, {"team_size", nullptr}};
    if (found->second.team_size != 0) thread["team_size"] = found->second.team_size;
  }
  return {{"op", ValidUtf8(access.op)},
          {"size", access.size},
          {"task", access.task},
          {"strand", access.strand},
          {"iteration", iteration},
          {"loop_iterations", iterations},
          {"thread", thread},
          {"locks", locks},
          {"lock_locations", lock_locations},
          {"stack", StackJson(access.stack)},
          {"task_created_at", CreationsJson(access.created)}};
}

Json RaceJson(const ReportedRace& race) {
  Json also = Json::array();
  for (const std::string& name : race.also_on) also.push_back(ValidUtf8(name));
  return {{"class", ValidUtf8(race.race_class)},
          {"kind", race.kind},
          {"address", Hex(race.address)},
          {"size", race.size},
          {"count", race.count},
          {"location", LocationJson(race.location)},
          {"also_on", also},
          {"cause", race.cause},
          {"accesses", Json::array({AccessJson(race.accesses[0]), AccessJson(race.accesses[1])})},
          {"joined_at", nullptr}};
}

Json DeadlockJson(const std::optional<std::vector<ReportedWait>>& deadlock) {
  if (!deadlock) return nullptr;
  Json waiting = Json::array();
  for (const ReportedWait& wait : *deadlock) {
    waiting.push_back({{"task", wait.task},
                       {"for", ValidUtf8(wait.what)},
                       {"stack", StackJson(wait.stack)},
                       {"made_at", StackJson(wait.made)},
                       {"task_created_at", CreationsJson(wait.created)}});
  }
  return {{"waiting", waiting}};
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

}  // namespace

std::string RenderJson(const Report& report) {
  Json races = Json::array();
  for (const ReportedRace& race : report.races) races.push_back(RaceJson(race));
  Json messages = Json::array();
  for (const ReportedMessage& message : report.messages) messages.push_back(MessageJson(message));
  Json rules = Json::array();
  for (const Suppression& rule : report.rules) {
    rules.push_back({{"rule", ValidUtf8(rule.text)},
                     {"line", rule.rule_line},
                     {"races", rule.reports},
                     {"occurrences", rule.occurrences},
                     {"frames", rule.frames}});
  }
  Json stats = {{"engine", ValidUtf8(report.engine)}};
  if (!report.why.empty()) stats["engine_reason"] = ValidUtf8(report.why);
  stats["history"] = ValidUtf8(report.history);
  for (const auto& [name, value] : report.stats) stats[ValidUtf8(name)] = value;
  Json json = {{"taskrace", kVersion}, {"program", ValidUtf8(report.program)}, {"pid", report.pid}};
  if (const auto code = report.ExitCode()) {
    json["exit_code"] = *code;
  } else {
    json["exit_code"] = nullptr;
  }
  json["races"] = races;
  json["left_out"] = report.left_out;
  json["suppressed"] = report.suppressed;
  json["suppressions"] = rules;
  json["deadlock"] = DeadlockJson(report.deadlock);
  json["messages"] = messages;
  json["stats"] = stats;
  return json.dump(2) + "\n";
}

}  // namespace taskrace::report
