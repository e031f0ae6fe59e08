#include "report/html.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>

#include "report/access_text.h"
#include "report/bytes.h"
#include "report/fork.h"
#include "report/html_files.h"
#include "report/location_text.h"
#include "report/mistake.h"
#include "report/source_excerpt.h"
#include "report/sources.h"
#include "report/suppressions.h"
#include "report/why.h"

namespace taskrace::report {
namespace {

using Json = nlohmann::ordered_json;

// A sentence that ends with "... at " and a place, which the page shows by itself.
std::string Lead(std::string text) {
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

class Page {
 public:
  explicit Page(const Report& report) : report_(report) {}

  Json Data() {
    Json data = {{"summary", ValidUtf8(report_.summary)},
                 {"races", Json::array()},
                 {"deadlock", Json::array()},
                 {"messages", Json::array()},
                 {"rules", Json::array()},
                 {"runs", Json::array()}};
    Json races = Json::array();
    for (const ReportedRace& race : report_.races) races.push_back(RaceData(race));
    data["races"] = std::move(races);
    if (report_.deadlock) {
      for (const ReportedWait& wait : *report_.deadlock) data["deadlock"].push_back(WaitData(wait));
    }
    for (const ReportedMessage& message : report_.messages) {
      data["messages"].push_back(MessageData(message));
    }
    for (const Suppression& rule : report_.rules) {
      data["rules"].push_back(
          {ValidUtf8(rule.text), rule.rule_line, rule.reports, rule.occurrences, rule.frames});
    }
    for (const ReportedRun& run : report_.runs) data["runs"].push_back(RunData(run));
    data["sources"] = Json::object();
    for (const auto& [file, lines] : report_.sources) {
      Json texts = Json::object();
      for (const auto& [number, text] : lines) texts[std::to_string(number)] = ValidUtf8(text);
      data["sources"][ValidUtf8(ShownPath(file))] = std::move(texts);
    }
    data["stacks"] = std::move(stacks_);
    return data;
  }

 private:
  // Many accesses have the same stack: the page has each once, and its number elsewhere.
  size_t StackIndex(const Stack& stack) {
    std::string key;
    for (const Frame& frame : stack) {
      fmt::format_to(std::back_inserter(key), "{}\n{}\n{}:{}\n{}\n{}+{}\n{}\n", frame.function,
                     frame.file, frame.line, frame.column, frame.part, frame.module, frame.offset,
                     frame.library);
    }
    const auto [known, is_new] = indices_.try_emplace(std::move(key), stacks_.size());
    if (!is_new) return known->second;
    Json frames = Json::array();
    for (const Frame& frame : stack) {
      std::string name = frame.function.empty() ? "??" : ValidUtf8(frame.function);
      if (!frame.part.empty()) name += fmt::format(" [{}]", ValidUtf8(frame.part));
      frames.push_back({name, FramePlace(frame), IsSystem(frame) ? 1 : 0});
    }
    stacks_.push_back(std::move(frames));
    return known->second;
  }

  Json OptionalStack(const Stack& stack) {
    return stack.empty() ? Json(nullptr) : Json(StackIndex(stack));
  }

  static std::string PlaceOf(const Stack& stack) {
    const Frame* frame = UserFrame(stack);
    return frame == nullptr ? "an unknown location" : FramePlace(*frame);
  }

  Json LinkData(std::string text, const Stack& created) {
    return {{"text", Lead(std::move(text))},
            {"place", created.empty() ? "" : PlaceOf(created)},
            {"stack", OptionalStack(created)}};
  }

  // What follows the last creation of a chain.
  static std::string EndOfChain(const std::vector<uint64_t>& ancestors) {
    return ancestors.empty() || ancestors.back() == 0
               ? "by the main task"
               : fmt::format("by task {}, and so on out to main", ancestors.back());
  }

  Json AccessData(const ReportedAccess& access, std::string_view which) {
    const Frame* frame = UserFrame(access.stack);
    Json data = {{"which", which},
                 {"text", fmt::format("{} by {}", Operation(access), Who(access))},
                 {"place", PlaceOf(access.stack)},
                 {"file", frame == nullptr ? "" : ValidUtf8(ShownPath(frame->file))},
                 {"line", frame == nullptr ? 0 : frame->line},
                 {"column", frame == nullptr ? 0 : Column(*frame)},
                 {"stack", StackIndex(access.stack)},
                 {"end", EndOfChain(access.ancestors)},
                 {"locks", Json::array()},
                 {"chain", Json::array()}};
    for (const ReportedLock& lock : access.locks) data["locks"].push_back(LockText(lock));
    for (size_t level = 0; level < access.created.size(); ++level) {
      data["chain"].push_back(LinkData(CreatedText(access, level), access.created[level]));
    }
    return data;
  }

  uint32_t Column(const Frame& frame) const {
    const std::string* line = SourceLine(report_.sources, frame.file, frame.line);
    return line == nullptr ? 0 : CharacterColumn(*line, frame.column);
  }

  // The kind of mistake and its remedy; empty if it is not known.
  std::string Advice(const ReportedRace& race) const {
    const auto mistake = FindMistake(race, report_.sources);
    return mistake ? fmt::format("Hint: {}. {}", mistake->text, mistake->kind->remedy) : "";
  }

  Json RaceData(const ReportedRace& race) {
    const bool parallel = report_.options.exec == "parallel";
    const bool named = race.location.what == "global";
    Json also = Json::array();
    for (const std::string& name : race.also_on) also.push_back(Printable(name));
    Json data = {
        {"headline", Headline(race)},
        {"kind", race.race_class == "race" ? race.kind : race.race_class},
        {"count", race.count},
        {"known", race.known},
        {"where", LocationSentence(race)},
        {"why", Why(race)},
        {"advice", Advice(race)},
        {"also", std::move(also)},
        {"allocated", OptionalStack(race.location.allocated_at)},
        {"rule",
         ValidUtf8(RuleFor(named ? race.location.name : "", UserFrame(race.accesses[1].stack)))},
        {"runs", race.runs},
        {"accesses", Json::array({AccessData(race.accesses[0], parallel ? "one" : "earlier"),
                                  AccessData(race.accesses[1], parallel ? "the other" : "later")})},
        {"fork", nullptr},
        {"joined", nullptr}};
    if (race.joined) {
      data["joined"] = {{"text", "joined by " + TaskText(race.joined->task)},
                        {"place", PlaceOf(race.joined->stack)}};
    }
    if (const auto fork = FindFork(race)) {
      data["fork"] = {{"text", TaskText(fork->task)},
                      {"place", fork->at == nullptr ? "" : PlaceOf(*fork->at)},
                      {"below", {fork->below[0], fork->below[1]}}};
    }
    return data;
  }

  Json WaitData(const ReportedWait& wait) {
    Json chain = Json::array();
    for (size_t level = 0; level < wait.created.size(); ++level) {
      const uint64_t task = level == 0                          ? wait.task
                            : level - 1 < wait.ancestors.size() ? wait.ancestors[level - 1]
                                                                : 0;
      chain.push_back(LinkData(CreatedText(wait.iterations, wait.threads, level, TaskText(task)),
                               wait.created[level]));
    }
    std::string text = fmt::format("{} waits for {}", TaskText(wait.task), Printable(wait.what));
    if (!wait.made.empty()) text += ", made at " + PlaceOf(wait.made);
    if (report_.runs.size() > 1) text += ", in " + Printable(report_.runs[wait.run].Name());
    return {{"text", text},
            {"stack", OptionalStack(wait.stack)},
            {"end", EndOfChain(wait.ancestors)},
            {"chain", std::move(chain)}};
  }

  Json MessageData(const ReportedMessage& message) {
    Json stacks = Json::array();
    for (const auto& [label, stack] : message.stacks) {
      stacks.push_back({{"label", ValidUtf8(label)}, {"stack", StackIndex(stack)}});
    }
    return {{"severity", ValidUtf8(message.severity)},
            {"text", ValidUtf8(message.text)},
            {"stacks", std::move(stacks)}};
  }

  static Json RunData(const ReportedRun& run) {
    Json data = {{"name", ValidUtf8(run.Name())},
                 {"program", ValidUtf8(run.program)},
                 {"pid", run.pid},
                 {"exit_code", run.exit_code ? Json(*run.exit_code) : Json(nullptr)},
                 {"engine", ValidUtf8(run.engine)},
                 {"why", ValidUtf8(run.why)},
                 {"history", ValidUtf8(run.history)},
                 {"exec", run.exec},
                 {"summary", ValidUtf8(run.summary)},
                 {"notes", Json::array()},
                 {"stats", Json::object()}};
    for (const std::string& note : run.notes) data["notes"].push_back(ValidUtf8(note));
    for (const auto& [name, value] : run.stats) data["stats"][ValidUtf8(name)] = value;
    return data;
  }

  const Report& report_;
  Json stacks_ = Json::array();
  std::unordered_map<std::string, size_t> indices_;
};

// Inside a script element, only "<" can end it or begin a comment; in a string of JSON it can be written as \u003c.
std::string ScriptSafe(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

std::string RenderHtml(const Report& report) {
  const std::string data = ScriptSafe(Page(report).Data().dump());
  std::string html;
  html.reserve(data.size() + kPageHtml.size() + kPageCss.size() + kPageJs.size());
  // "@DATA@" in a file of the page stands for the data, and so on.
  std::string_view rest = kPageHtml;
  for (const auto& [name, contents] :
       {std::pair<std::string_view, std::string_view>("@STYLE@", kPageCss),
        {"@DATA@", data},
        {"@SCRIPT@", kPageJs}}) {
    const size_t at = rest.find(name);
    html += rest.substr(0, at);
    html += contents;
    rest.remove_prefix(at + name.size());
  }
  html += rest;
  return html;
}

}  // namespace taskrace::report
