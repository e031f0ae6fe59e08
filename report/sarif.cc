#include "report/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ranges>

#include "report/access_text.h"
#include "report/bytes.h"
#include "report/fingerprint.h"
#include "report/location_text.h"
#include "report/log_format.h"
#include "report/mistake.h"
#include "report/source_excerpt.h"
#include "report/sources.h"
#include "report/why.h"

namespace taskrace::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kBase[] = "SRCROOT";

struct Rule {
  const char* id;
  const char* name;
  const char* level;
  const char* brief;
  const char* help;
};
constexpr Rule kRules[] = {
    {"race", "Race", "error", "Two parallel accesses to the same memory, and at least one writes.",
     "No path in the task graph orders the two accesses. Join the tasks between them, or give each "
     "task its own "
     "memory and combine the results after the join."},
    {"lock-order", "LockOrder", "warning",
     "Two parallel accesses under a common lock: the schedule decides which comes first.",
     "This is not a data race. If the program must give the same result every time, order the "
     "accesses by a join."},
    {"deadlock", "Deadlock", "error", "All tasks that are left wait, and none can run.",
     "Look for the value or task that the first waiting task needs: what provides it is missing, "
     "is not reached, or "
     "itself waits."},
};

size_t RuleIndex(std::string_view id) {
  const auto found = std::ranges::find(kRules, id, &Rule::id);
  return found == std::end(kRules) ? 0 : static_cast<size_t>(found - std::begin(kRules));
}

// A rule for each kind of mistake follows those of kRules.
std::string MistakeRule(const MistakeKind& kind) { return fmt::format("race/{}", kind.id); }
size_t MistakeRuleIndex(const MistakeKind& kind) {
  return std::size(kRules) + static_cast<size_t>(&kind - MistakeKinds().data());
}

Json Message(std::string_view text) { return {{"text", ValidUtf8(text)}}; }

// Of a path: everything that has a meaning in a URI, and all bytes that are not ASCII, as %NN.
std::string UriOf(const std::string& path) {
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/+").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

class SarifReport {
 public:
  explicit SarifReport(const Report& report) : report_(report) {}

  std::string Render() {
    Json results = Json::array();
    const std::vector<std::string> fingerprints = Fingerprints(report_);
    for (size_t i = 0; i < report_.races.size(); ++i) {
      results.push_back(RaceResult(report_.races[i], fingerprints[i]));
    }
    if (report_.deadlock) results.push_back(DeadlockResult(*report_.deadlock));
    std::error_code unknown;
    const std::string here = std::filesystem::current_path(unknown).string();
    const Json run = {
        {"tool",
         {{"driver", {{"name", "Taskrace"}, {"version", kVersion}, {"rules", RulesJson()}}}}},
        {"columnKind", "unicodeCodePoints"},
        {"originalUriBaseIds", {{kBase, {{"uri", UriOf(here + "/")}}}}},
        {"invocations", Invocations()},
        {"results", results}};
    const Json json = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                       {"version", "2.1.0"},
                       {"runs", Json::array({run})}};
    return json.dump(2) + "\n";
  }

 private:
  static Json RulesJson() {
    Json rules = Json::array();
    for (const Rule& rule : kRules) {
      rules.push_back({{"id", rule.id},
                       {"name", rule.name},
                       {"shortDescription", Message(rule.brief)},
                       {"fullDescription", Message(rule.brief)},
                       {"help", Message(rule.help)},
                       {"defaultConfiguration", {{"level", rule.level}}}});
    }
    for (const MistakeKind& kind : MistakeKinds()) {
      rules.push_back({{"id", MistakeRule(kind)},
                       {"shortDescription", Message(kind.brief)},
                       {"fullDescription", Message(kind.brief)},
                       {"help", Message(kind.remedy)},
                       {"defaultConfiguration", {{"level", "error"}}}});
    }
    return rules;
  }

  // Columns of debug information count bytes.
  uint32_t Column(const Frame& frame) const {
    const std::string* line = SourceLine(report_.sources, frame.file, frame.line);
    return line == nullptr ? frame.column : CharacterColumn(*line, frame.column);
  }

  Json PhysicalLocation(const std::string& file, uint64_t line, uint64_t column) const {
    const std::string path = ShownPath(file);
    Json artifact = {{"uri", UriOf(path)}};
    if (!path.starts_with('/')) artifact["uriBaseId"] = kBase;
    Json physical = {{"artifactLocation", artifact}};
    if (line > 0) physical["region"]["startLine"] = line;
    if (line > 0 && column > 0) physical["region"]["startColumn"] = column;
    return physical;
  }

  Json Location(const Frame* frame, const std::string& message) const {
    Json location = Json::object();
    if (frame != nullptr && !frame->file.empty()) {
      location["physicalLocation"] = PhysicalLocation(frame->file, frame->line, Column(*frame));
    }
    if (frame != nullptr && !frame->function.empty()) {
      location["logicalLocations"] =
          Json::array({{{"fullyQualifiedName", ValidUtf8(frame->function)}, {"kind", "function"}}});
    }
    location["message"] = Message(message);
    return location;
  }

  // From main to the access: what created the tasks, then the calls.
  Json ThreadFlow(const ReportedAccess& access, const std::string& sentence) const {
    Json steps = Json::array();
    const auto add = [&](const Frame* frame, const std::string& message) {
      steps.push_back({{"location", Location(frame, message)}});
    };
    for (size_t level = access.created.size(); level-- > 0;) {
      const Frame* frame = UserFrame(access.created[level]);
      add(frame, CreatedText(access, level) +
                     (frame == nullptr ? "an unknown location" : FramePlace(*frame)));
    }
    for (const Frame& frame : access.stack | std::views::reverse) {
      const bool innermost = &frame == access.stack.data();
      add(&frame, innermost ? sentence : "calls");
    }
    // A flow without a step is not valid.
    if (steps.empty()) add(nullptr, sentence);
    return {{"message", Message(sentence)}, {"locations", steps}};
  }

  Json RaceResult(const ReportedRace& race, const std::string& fingerprint) const {
    std::string sentences[2];
    for (size_t i : {0, 1}) {
      const Frame* frame = UserFrame(race.accesses[i].stack);
      sentences[i] =
          fmt::format("{} by {} at {}", Operation(race.accesses[i]), Who(race.accesses[i]),
                      frame == nullptr ? "an unknown location" : FramePlace(*frame));
    }
    Json related = Json::array();
    const auto relate = [&](Json location) {
      location["id"] = related.size() + 1;
      related.push_back(std::move(location));
    };
    relate(Location(UserFrame(race.accesses[0].stack), sentences[0]));
    const ReportedLocation& object = race.location;
    if (!object.file.empty()) {
      relate({{"physicalLocation", PhysicalLocation(object.file, object.line, 0)},
              {"message", Message(LocationSentence(race))}});
    } else if (const Frame* frame = UserFrame(object.allocated_at); frame != nullptr) {
      relate(Location(frame, LocationSentence(race)));
    }
    if (race.joined) relate(Location(UserFrame(race.joined->stack), "both are joined here"));
    const std::string why = Why(race);
    const size_t rule = RuleIndex(race.race_class);
    Json result = {
        {"ruleId", kRules[rule].id},
        {"ruleIndex", rule},
        {"level", kRules[rule].level},
        {"message",
         Message(fmt::format("{}: {}, in parallel with {}{}.", Headline(race), sentences[1],
                             sentences[0], why.empty() ? "" : "; " + why))},
        {"locations", Json::array({Location(UserFrame(race.accesses[1].stack), sentences[1])})},
        {"relatedLocations", related},
        {"codeFlows", Json::array({{{"threadFlows",
                                     Json::array({ThreadFlow(race.accesses[0], sentences[0]),
                                                  ThreadFlow(race.accesses[1], sentences[1])})}}})},
        {"partialFingerprints", {{"taskrace/v1", fingerprint}}},
        {"occurrenceCount", std::max<uint64_t>(race.count, 1)}};
    if (const auto mistake = FindMistake(race, report_.sources)) {
      result["ruleId"] = MistakeRule(*mistake->kind);
      result["ruleIndex"] = MistakeRuleIndex(*mistake->kind);
    }
    if (report_.has_baseline) result["baselineState"] = race.known ? "unchanged" : "new";
    return result;
  }

  Json DeadlockResult(const std::vector<ReportedWait>& waiting) const {
    Json locations = Json::array();
    std::string text = "All tasks wait:";
    for (const ReportedWait& wait : waiting) {
      const std::string sentence =
          fmt::format("{} waits for {}", TaskText(wait.task), Printable(wait.what));
      text += " " + sentence + ".";
      locations.push_back(Location(UserFrame(wait.stack), sentence));
    }
    const size_t rule = RuleIndex("deadlock");
    Json result = {{"ruleId", kRules[rule].id},
                   {"ruleIndex", rule},
                   {"level", kRules[rule].level},
                   {"message", Message(text)}};
    if (!locations.empty()) result["locations"] = Json::array({locations[0]});
    for (size_t i = 1; i < locations.size(); ++i) {
      locations[i]["id"] = i;
      result["relatedLocations"].push_back(locations[i]);
    }
    return result;
  }

  Json Invocations() const {
    Json notifications = Json::array();
    for (const ReportedMessage& message : report_.messages) {
      Json notification = {{"level", message.severity == "error" ? "error" : "warning"},
                           {"message", Message(message.text)}};
      if (!message.stacks.empty()) {
        const auto& [label, stack] = message.stacks[0];
        notification["locations"] = Json::array({Location(UserFrame(stack), label)});
      }
      notifications.push_back(std::move(notification));
    }
    for (const std::string& note : report_.notes) {
      notifications.push_back({{"level", "note"}, {"message", Message(note)}});
    }
    Json invocations = Json::array();
    for (const ReportedRun& run : report_.runs) {
      Json invocation = {{"commandLine", ValidUtf8(run.program)},
                         {"executionSuccessful", run.complete}};
      if (run.exit_code) invocation["exitCode"] = *run.exit_code;
      if (run.pid > 0) invocation["processId"] = run.pid;
      invocations.push_back(std::move(invocation));
    }
    if (!notifications.empty()) invocations[0]["toolExecutionNotifications"] = notifications;
    return invocations;
  }

  const Report& report_;
};

}  // namespace

std::string RenderSarif(const Report& report) { return SarifReport(report).Render(); }

}  // namespace taskrace::report
