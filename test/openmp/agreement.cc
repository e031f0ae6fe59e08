// agreement TASKRACE INTERPRETER WORK_DIRECTORY PROGRAMS SEED CLASS...
// agreement --c SOURCE LIST PROGRAMS SEED CLASS...
// agreement TASKRACE PROGRAM WORK_DIRECTORY --of LIST
//
// Random OpenMP programs of each class, run by the interpreter under taskrace, and compared with the oracle racy byte for racy
// byte. A program on which they do not agree is made as small as it can be, and printed as C.
// Then all programs whose racy bytes do not depend on the team run with teams of other sizes.
//
// --c writes programs as one C file instead, and the list of them; --of compares what that file does, compiled, with the list's programs.
// The exit code is 0 if all agree.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "test/openmp/oracle.h"

namespace taskrace::openmp_oracle {
namespace {

const ProgramClass kClasses[] = {
    {.name = "loops", .dynamic = true},
    {.name = "nowait", .nowait = true, .dynamic = true, .single = true},
    {.name = "locks", .nowait = true, .dynamic = true, .single = true, .locks = true},
    {.name = "aware", .nowait = true, .dynamic = true, .single = true, .locks = true, .aware = true},
    {.name = "own", .nowait = true, .dynamic = true, .single = true, .aware = true, .own = true},
    {.name = "tasks", .nowait = true, .single = true, .tasks = true},
    {.name = "own-tasks", .nowait = true, .single = true, .own = true, .tasks = true},
    {.name = "depend", .single = true, .tasks = true, .depend = true},
    {.name = "nested", .nowait = true, .single = true, .aware = true, .own = true, .nested = true},
    {.name = "ordered", .nowait = true, .dynamic = true, .ordered = true},
    {.name = "everything",
     .nowait = true,
     .dynamic = true,
     .single = true,
     .locks = true,
     .aware = true,
     .own = true,
     .tasks = true,
     .depend = true,
     .nested = true,
     .ordered = true},
};

std::string ToString(const RacyBytes& racy) {
  std::string text;
  for (int byte : racy.shared) text += " " + std::to_string(byte);
  for (int byte : racy.own) text += " own+" + std::to_string(byte);
  return text.empty() ? " none" : text;
}

// Where the programs and their results are.
struct Place {
  std::string taskrace;
  std::string program;
  std::string directory;
  std::string File(const char* name) const { return directory + "/" + name; }
};

// What taskrace reports on each of the programs. `settings`: of the environment; `options`: of taskrace run.
std::vector<RacyBytes> RunAll(const Place& place, const std::vector<Body>& programs,
                              const std::string& settings, const std::string& options) {
  {
    std::ofstream list(place.File("list"));
    list << programs.size() << "\n";
    for (const Body& program : programs) list << program.size() << "\n" << ToList(program);
  }
  const std::string command = "env " + settings + " '" + place.taskrace + "' run " + options +
                              " --dedup=address --max_races=0 --json='" + place.File("report") + "' '" +
                              place.program + "' '" + place.File("list") + "' >'" +
                              place.File("output") + "' 2>'" + place.File("errors") + "'";
  const int code = WEXITSTATUS(std::system(command.c_str()));
  if (code != 0 && code != 66) {
    std::cerr << command << "\nended with " << code << "\n" << std::ifstream(place.File("errors")).rdbuf();
    std::exit(2);
  }
  std::ifstream output(place.File("output"));
  std::string address;
  size_t blocks = 0;
  output >> address >> blocks;
  const uint64_t base = std::stoull(address, nullptr, 16);
  std::map<uint64_t, size_t> block_of;
  for (size_t number; blocks > 0 && output >> number >> address; --blocks) {
    block_of[std::stoull(address, nullptr, 16)] = number;
  }
  std::vector<RacyBytes> found(programs.size());
  const nlohmann::json report = nlohmann::json::parse(std::ifstream(place.File("report")));
  for (const auto& race : report.at("races")) {
    const uint64_t first = std::stoull(race.at("address").get<std::string>(), nullptr, 16);
    const uint64_t size = race.at("size").get<uint64_t>();
    for (uint64_t byte = first; byte < first + size; ++byte) {
      if (byte >= base && byte - base < programs.size() * kBytes) {
        found[(byte - base) / kBytes].shared.insert(static_cast<int>((byte - base) % kBytes));
        continue;
      }
      const auto after = block_of.upper_bound(byte);
      if (after == block_of.begin() || byte - std::prev(after)->first >= kBytes) {
        std::cerr << "a race on something else:\n" << race.dump(1) << "\n";
        std::exit(1);
      }
      const auto [block, number] = *std::prev(after);
      found[number].own.insert(static_cast<int>(byte - block));
    }
  }
  return found;
}

// The smallest program like this one on which the two do not agree.
void ExplainFirst(const Place& place, Body program, const std::string& settings, const std::string& options) {
  for (;;) {
    const std::vector<Body> simpler = Simpler(program);
    const std::vector<RacyBytes> found = RunAll(place, simpler, settings, options);
    size_t i = 0;
    while (i < simpler.size() && found[i] == FindRacyBytes(simpler[i])) ++i;
    if (i == simpler.size()) break;
    program = simpler[i];
  }
  std::cerr << ToC(program, 1) << "expected" << ToString(FindRacyBytes(program)) << ", reported"
            << ToString(RunAll(place, {program}, settings, options)[0]) << " (" << settings << options
            << ")\n";
}

size_t Compare(const Place& place, const std::vector<Body>& programs, const std::vector<RacyBytes>& expected,
               const std::string& settings, const std::string& options) {
  const std::vector<RacyBytes> found = RunAll(place, programs, settings, options);
  size_t wrong = 0;
  for (size_t i = 0; i < programs.size(); ++i) {
    if (found[i] == expected[i]) continue;
    if (++wrong == 1) ExplainFirst(place, programs[i], settings, options);
  }
  return wrong;
}

std::vector<Body> Programs(const ProgramClass& program_class, size_t count, uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::vector<Body> programs;
  while (programs.size() < count) programs.push_back(RandomProgram(rng, program_class));
  return programs;
}

const ProgramClass* Find(std::string_view name) {
  for (const ProgramClass& program_class : kClasses) {
    if (program_class.name == name) return &program_class;
  }
  std::cerr << "no class " << name << "\n";
  std::exit(2);
}

int Run(int argc, char** argv) {
  const Place place{argv[1], argv[2], argv[3]};
  const size_t count = std::strtoull(argv[4], nullptr, 10);
  const uint64_t seed = std::strtoull(argv[5], nullptr, 10);
  size_t all_wrong = 0;
  for (int i = 6; i < argc; ++i) {
    const ProgramClass& program_class = *Find(argv[i]);
    const std::vector<Body> programs = Programs(program_class, count, seed);
    std::vector<RacyBytes> expected;
    size_t racy = 0;
    for (const Body& program : programs) {
      expected.push_back(FindRacyBytes(program));
      racy += expected.back() == RacyBytes{} ? 0 : 1;
    }
    const size_t wrong = Compare(place, programs, expected, "", "");
    std::cout << program_class.name << ": " << programs.size() << " programs, " << racy << " racy, " << wrong
              << " wrong" << std::endl;
    all_wrong += wrong;
  }
  return all_wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace taskrace::openmp_oracle

int main(int argc, char** argv) {
  if (argc < 7) {
    std::fprintf(stderr, "usage: agreement TASKRACE INTERPRETER DIRECTORY PROGRAMS SEED CLASS...\n");
    return 2;
  }
  return taskrace::openmp_oracle::Run(argc, argv);
}
