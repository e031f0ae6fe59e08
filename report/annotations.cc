#include "report/annotations.h"

#include <fmt/format.h>

#include "report/access_text.h"
#include "report/bytes.h"
#include "report/location_text.h"
#include "report/mistake.h"
#include "report/why.h"

namespace taskrace::report {
namespace {

std::string PlaceOf(const Stack& stack) {
  const Frame* frame = UserFrame(stack);
  return frame == nullptr ? "taskrace" : FramePlace(*frame);
}

// "earlier" and "later", or neither: in a parallel run it is chance.
std::string_view Which(const Report& report, size_t access) {
  if (report.options.exec == "parallel") return access == 0 ? "one" : "the other";
  return access == 0 ? "earlier" : "later";
}

std::string AccessSentence(const Report& report, const ReportedRace& race, size_t i) {
  return fmt::format("{}: {} by {}", Which(report, i), Operation(race.accesses[i]),
                     Who(race.accesses[i]));
}

// `text` begins a sentence that ends with the place, which is already at the beginning of the line.
std::string WithoutPlace(std::string text) {
  for (const std::string_view end : {" at ", " is"}) {
    if (text.ends_with(end)) text.resize(text.size() - end.size());
  }
  return text;
}

// Bytes that have a meaning in a command of a workflow; in a property also : and ,.
std::string Escaped(std::string_view text, bool property) {
  std::string escaped;
  for (const char c : ValidUtf8(text)) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    escaped += special ? fmt::format("%{:02X}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return escaped;
}

std::string GithubPlace(const Stack& stack) {
  const Frame* frame = UserFrame(stack);
  if (frame == nullptr || frame->file.empty()) return "";
  return fmt::format(" file={},line={},col={},", Escaped(ShownPath(frame->file), true), frame->line,
                     frame->column);
}

}  // namespace

std::string RenderGcc(const Report& report) {
  std::string text;
  const auto line = [&](const std::string& place, std::string_view severity,
                        const std::string& message) {
    text += fmt::format("{}: {}: {}\n", place, severity, message);
  };
  for (const ReportedRace& race : report.races) {
    line(PlaceOf(race.accesses[1].stack), "warning",
         fmt::format("{}: {} [{}]", Headline(race), AccessSentence(report, race, 1),
                     race.race_class));
    line(PlaceOf(race.accesses[0].stack), "note", AccessSentence(report, race, 0));
    for (const ReportedAccess& access : race.accesses) {
      for (size_t level = 0; level < access.created.size(); ++level) {
        line(PlaceOf(access.created[level]), "note", WithoutPlace(CreatedText(access, level)));
      }
    }
    if (const std::string why = Why(race); !why.empty()) {
      line(PlaceOf(race.accesses[1].stack), "note", why);
    }
    if (const auto mistake = FindMistake(race, report.sources)) {
      line(PlaceOf(race.accesses[1].stack), "note", mistake->text);
    }
    if (race.joined) line(PlaceOf(race.joined->stack), "note", "both are joined here");
    const ReportedLocation& location = race.location;
    const std::string declared = !location.file.empty() ? Place(location.file, location.line)
                                                        : PlaceOf(location.allocated_at);
    line(declared, "note", LocationSentence(race));
  }
  if (report.deadlock) {
    for (const ReportedWait& wait : *report.deadlock) {
      line(PlaceOf(wait.stack), "warning",
           fmt::format("deadlock: {} waits for {} [deadlock]", TaskText(wait.task),
                       Printable(wait.what)));
    }
  }
  for (const ReportedMessage& message : report.messages) {
    line(message.stacks.empty() ? "taskrace" : PlaceOf(message.stacks[0].second), message.severity,
         Printable(message.text));
  }
  return text;
}

std::string RenderGithub(const Report& report) {
  std::string text;
  const auto command = [&](std::string_view severity, const std::string& place,
                           const std::string& title, const std::string& message) {
    text += fmt::format("::{}{}title={}::{}\n", severity, place.empty() ? " " : place,
                        Escaped(title, true), Escaped(message, false));
  };
  for (const ReportedRace& race : report.races) {
    const Stack& earlier = race.accesses[0].stack;
    command(race.known ? "notice" : "error", GithubPlace(race.accesses[1].stack),
            "taskrace: " + Headline(race),
            fmt::format("{} at {}\n{} at {}\n{}\n{}\n{}", AccessSentence(report, race, 1),
                        PlaceOf(race.accesses[1].stack), AccessSentence(report, race, 0),
                        PlaceOf(earlier), Why(race), JoinText(race), LocationSentence(race)));
  }
  if (report.deadlock) {
    for (const ReportedWait& wait : *report.deadlock) {
      command("error", GithubPlace(wait.stack), "taskrace: deadlock",
              fmt::format("{} waits for {}", TaskText(wait.task), Printable(wait.what)));
    }
  }
  for (const ReportedMessage& message : report.messages) {
    command(message.severity == "error" ? "error" : "warning",
            message.stacks.empty() ? "" : GithubPlace(message.stacks[0].second), "taskrace",
            message.text);
  }
  command("notice", "", "taskrace", report.summary);
  return text;
}

}  // namespace taskrace::report
