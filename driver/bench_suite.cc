#include "driver/bench_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "report/bytes.h"
#include "report/options.h"

namespace taskrace::driver {
namespace {

using Json = nlohmann::json;
using report::Error;
using report::Printable;
using report::Result;

std::optional<double> Number(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::nullopt;
  return found->get<double>();
}

BenchProgram ReadProgram(const Json& json, const Json& classes) {
  BenchProgram program;
  program.name = json.at("name");
  program.group = json.at("group");
  program.variant = json.value("variant", "");
  program.source = json.at("source");
  program.constructs = json.at("constructs");
  program.libraries = json.value("libraries", std::vector<std::string>());
  program.engines = classes.at(json.at("class").get<std::string>());
  program.race_moves = json.value("race_moves", false);
  const Json paper = json.value("paper", Json::object());
  program.paper = {.reach = Number(paper, "reach"),
                   .instrument = Number(paper, "instrument"),
                   .full = Number(paper, "overhead"),
                   .memory = Number(paper, "memory")};
  return program;
}

BenchGroup ReadGroup(const Json& json) {
  return {.name = json.at("group"),
          .variant = json.value("variant", ""),
          .title = json.at("title"),
          .remark = json.value("remark", ""),
          .words = json.value("words", std::map<std::string, std::string>()),
          .geomean = Number(json, "geomean")};
}

// The names in a mark, «stint/mmul, spd3/matmul».
std::vector<std::string> NamesIn(const std::string& text) {
  static const std::regex separator(", ");
  return {std::sregex_token_iterator(text.begin(), text.end(), separator, -1), {}};
}

// A mark refers to the first line below it that is not a mark.
void ReadMarks(std::istream& source, const std::string& file,
               std::map<std::string, SeededMarks>& marks) {
  static const std::regex mark(R"(\s*// Seeded race(, possibly)?: (.*))");
  std::vector<SeededMarks::Lines*> waiting;
  std::string line;
  for (int number = 1; std::getline(source, line); ++number) {
    std::smatch parts;
    if (std::regex_match(line, parts, mark)) {
      for (const std::string& name : NamesIn(parts[2])) {
        waiting.push_back(parts[1].matched ? &marks[name].possible : &marks[name].certain);
      }
    } else {
      for (SeededMarks::Lines* lines : waiting) lines->emplace(file, number);
      waiting.clear();
    }
  }
}

}  // namespace

std::string BenchProgram::ShortName() const {
  std::string name = this->name.substr(this->name.find('/') + 1);
  const std::string suffix = "-" + variant;
  if (!variant.empty() && name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  return name;
}

bool BenchProgram::IsHandledBy(const std::string& engine) const {
  return engine == "auto" || std::ranges::find(engines, engine) != engines.end();
}

Result<std::vector<BenchProgram>> Suite::Select(const std::vector<std::string>& names) const {
  if (names.empty()) return programs;
  std::set<std::string> known;
  std::set<std::string> wanted;
  for (const BenchProgram& program : programs) {
    const std::string within = program.name.substr(program.name.find('/') + 1);
    for (const std::string& name : {program.name, program.group, within, program.ShortName()}) {
      known.insert(name);
      if (std::ranges::find(names, name) != names.end()) wanted.insert(program.name);
    }
  }
  for (const std::string& name : names) {
    if (known.contains(name)) continue;
    std::string advice = report::Suggestion(name, {known.begin(), known.end()});
    if (advice.starts_with("valid names")) advice = "see taskrace bench --list";
    return Error{fmt::format("unknown benchmark '{}'; {}", Printable(name), advice)};
  }
  std::vector<BenchProgram> selected;
  std::ranges::copy_if(programs, std::back_inserter(selected),
                       [&](const BenchProgram& program) { return wanted.contains(program.name); });
  return selected;
}

Result<Suite> ReadSuite(const std::string& directory) {
  const std::string path = directory + "/programs.json";
  std::ifstream file(path);
  if (!file) {
    return Error{
        fmt::format("the benchmark programs are missing: cannot read {}; "
                    "build or install taskrace again",
                    Printable(path))};
  }
  try {
    const Json json = Json::parse(file);
    Suite suite;
    suite.directory = directory;
    for (const Json& group : json.at("groups")) suite.groups.push_back(ReadGroup(group));
    for (const Json& program : json.at("programs")) {
      suite.programs.push_back(ReadProgram(program, json.at("classes")));
    }
    return suite;
  } catch (const Json::exception& problem) {
    return Error{fmt::format("{}: {}", Printable(path), problem.what())};
  }
}

Result<std::map<std::string, SeededMarks>> ReadSeededMarks(const std::string& directory) {
  std::map<std::string, SeededMarks> marks;
  std::error_code problem;
  for (std::filesystem::recursive_directory_iterator at(directory, problem), end;
       !problem && at != end; at.increment(problem)) {
    const std::filesystem::path& path = at->path();
    if (path.extension() != ".cpp" && path.extension() != ".h") continue;
    std::ifstream source(path);
    ReadMarks(source, std::filesystem::relative(path, directory).string(), marks);
  }
  if (problem) {
    return Error{fmt::format("cannot read {}: {}", Printable(directory), problem.message())};
  }
  return marks;
}

}  // namespace taskrace::driver
