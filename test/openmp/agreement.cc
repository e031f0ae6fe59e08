// agreement TASKRACE DIRECTORY INTERPRETER [--brief] PROGRAMS SEED CLASS...
// agreement TASKRACE DIRECTORY -FLAG... PROGRAMS SEED CLASS...
//
// Random OpenMP programs of each class, run under taskrace and compared with the oracle, racy byte for racy byte. The
// first form has the interpreter run them, with several engines, and those whose racy bytes do not depend on the
// size of teams also with teams of 2 to 9 threads; a program on which the two do not agree is made as small as
// it can be, and printed as C. The second form writes the programs as one C file and compiles it with these flags.
// --brief: the programs once, and no explanation. The exit code is 0 if all agree, 1 if not. Files are written to the directory.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
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
    {.name = "similar", .nowait = true, .single = true, .similar = true},
    {.name = "locks", .nowait = true, .dynamic = true, .single = true, .locks = true},
    {.name = "aware",
     .nowait = true,
     .dynamic = true,
     .single = true,
     .locks = true,
     .aware = true},
    {.name = "own", .nowait = true, .dynamic = true, .single = true, .aware = true, .own = true},
    {.name = "tasks", .nowait = true, .single = true, .tasks = true},
    {.name = "own-tasks", .nowait = true, .single = true, .own = true, .tasks = true},
    {.name = "locked-tasks",
     .nowait = true,
     .single = true,
     .locks = true,
     .aware = true,
     .tasks = true},
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
  bool is_brief = false;
  std::string File(const char* name) const { return directory + "/" + name; }
};

// What taskrace reports on each of the programs. `options`: of taskrace run.
std::vector<RacyBytes> RunAll(const Place& place, const std::vector<Body>& programs,
                              const std::string& options) {
  {
    std::ofstream list(place.File("list"));
    list << programs.size() << "\n";
    for (const Body& program : programs) list << program.size() << "\n" << ToList(program);
  }
  const std::string command = "'" + place.taskrace + "' run " + options +
                              " --dedup=address --max_races=0 --json='" + place.File("report") +
                              "' '" + place.program + "' '" + place.File("list") + "' >'" +
                              place.File("output") + "' 2>'" + place.File("errors") + "'";
  const int code = WEXITSTATUS(std::system(command.c_str()));
  if (code != 0 && code != 66) {
    std::cerr << command << "\nended with " << code << "\n"
              << std::ifstream(place.File("errors")).rdbuf();
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
void Explain(const Place& place, Body program, const std::string& options) {
  for (;;) {
    const std::vector<Body> simpler = Simpler(program);
    const std::vector<RacyBytes> found = RunAll(place, simpler, options);
    size_t i = 0;
    while (i < simpler.size() && found[i] == FindRacyBytes(simpler[i])) ++i;
    if (i == simpler.size()) break;
    program = simpler[i];
  }
  std::cerr << ToC(program, 1) << "expected" << ToString(FindRacyBytes(program)) << ", reported"
            << ToString(RunAll(place, {program}, options)[0]) << " (" << options << ")\n";
}

size_t Compare(const Place& place, const std::vector<Body>& programs,
               const std::vector<RacyBytes>& expected, const std::string& options) {
  const std::vector<RacyBytes> found = RunAll(place, programs, options);
  size_t wrong = 0;
  for (size_t i = 0; i < programs.size(); ++i) {
    if (found[i] == expected[i]) continue;
    if (++wrong == 1 && !place.is_brief) Explain(place, programs[i], options);
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

std::vector<RacyBytes> Expected(const std::vector<Body>& programs) {
  std::vector<RacyBytes> expected;
  for (const Body& program : programs) expected.push_back(FindRacyBytes(program));
  return expected;
}

// The same programs with teams of another size where they have more than one thread.
std::vector<Body> WithTeamsOf(int size, std::vector<Body> programs) {
  for (Body& program : programs) {
    for (Node& node : program) {
      if (node.what == What::kParallel && node.size > 1) node.size = size;
    }
  }
  return programs;
}

// Racy bytes must be the same for all teams.
size_t CompareTeams(const Place& place, const std::vector<Body>& programs) {
  const std::vector<RacyBytes> expected = Expected(programs);
  size_t wrong = 0;
  for (int size = 2; size <= 9; ++size) {
    const std::vector<Body> changed = WithTeamsOf(size, programs);
    if (Expected(changed) != expected) {
      std::cerr << "the oracle's racy bytes depend on the size of teams\n";
      ++wrong;
    }
    wrong += Compare(place, changed, expected, "");
  }
  return wrong;
}

size_t RunClass(const Place& place, const ProgramClass& program_class, size_t count,
                uint64_t seed) {
  const std::vector<Body> programs = Programs(program_class, count, seed);
  const std::vector<RacyBytes> expected = Expected(programs);
  const auto racy = std::count_if(expected.begin(), expected.end(),
                                  [](const RacyBytes& bytes) { return bytes != RacyBytes{}; });
  size_t wrong = Compare(place, programs, expected, "");
  if (place.is_brief) return wrong;
  const std::vector<Body> some(programs.begin(),
                               programs.begin() + static_cast<std::ptrdiff_t>(count / 8));
  const std::vector<RacyBytes> expected_of_some(
      expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(count / 8));
  if (!program_class.ordered) {
    for (const char* options : {"--engine=donesets", "--history=intervals"}) {
      wrong += Compare(place, some, expected_of_some, options);
    }
  }
  wrong += Compare(place, some, expected_of_some, "--engine=promises");
  // What a thread did before its ordered blocks comes before those of others, and who has some depends on the team.
  if (!program_class.aware && !program_class.own && !program_class.tasks &&
      !program_class.ordered) {
    wrong += CompareTeams(place, some);
  }
  std::cout << program_class.name << ": " << programs.size() << " programs, " << racy << " racy, "
            << wrong << " wrong" << std::endl;
  return wrong;
}

// All programs of all classes in one file, compiled.
size_t RunCompiled(const Place& place, const std::string& flags,
                   const std::vector<Body>& programs) {
  {
    std::ofstream source(place.File("programs.c"));
    source << "#include \"test/openmp/accesses.h\"\n\nstatic char places[" << kDependAddresses
           << "];\n";
    for (size_t i = 0; i < programs.size(); ++i) {
      source << "\nstatic void Program" << i << "(unsigned char* buffer) {\n"
             << ToC(programs[i], 1) << "}\n";
    }
    source << "\nint main(void) {\n  Begin(" << programs.size() << ");\n";
    for (size_t i = 0; i < programs.size(); ++i)
      source << "  Program" << i << "(Buffer(" << i << "));\n";
    source << "  return End();\n}\n";
  }
  const std::string command = "'" + place.taskrace + "' cc -fopenmp -g -w " + flags + " '" +
                              place.File("programs.c") + "' -o '" + place.program + "'";
  if (std::system(command.c_str()) != 0) {
    std::cerr << command << " failed\n";
    return 1;
  }
  const std::vector<RacyBytes> found = RunAll(place, programs, "");
  size_t wrong = 0;
  for (size_t i = 0; i < programs.size(); ++i) {
    const RacyBytes expected = FindRacyBytes(programs[i]);
    if (found[i] == expected) continue;
    if (++wrong > 3) continue;
    std::cerr << ToC(programs[i], 1) << "expected" << ToString(expected) << ", reported"
              << ToString(found[i]) << " (" << flags << ")\n";
  }
  std::cout << flags << ": " << programs.size() << " programs, " << wrong << " wrong" << std::endl;
  return wrong;
}

int Run(int argc, char** argv) {
  Place place{.taskrace = argv[1], .program = argv[3], .directory = argv[2]};
  std::string flags;
  int at = 3;
  for (; at < argc && argv[at][0] == '-'; ++at) flags += std::string(" ") + argv[at];
  if (flags.empty()) ++at;
  if (flags.empty() && at < argc && argv[at] == std::string_view("--brief")) {
    place.is_brief = true;
    ++at;
  }
  if (at + 2 >= argc) return 2;
  const size_t count = std::strtoull(argv[at], nullptr, 10);
  const uint64_t seed = std::strtoull(argv[at + 1], nullptr, 10);
  size_t wrong = 0;
  std::vector<Body> all;
  for (int i = at + 2; i < argc; ++i) {
    const ProgramClass& program_class = *Find(argv[i]);
    if (flags.empty()) {
      wrong += RunClass(place, program_class, count, seed);
    } else {
      const std::vector<Body> programs = Programs(program_class, count, seed);
      all.insert(all.end(), programs.begin(), programs.end());
    }
  }
  if (!flags.empty()) {
    place.program = place.File("programs");
    wrong = RunCompiled(place, flags, all);
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace taskrace::openmp_oracle

int main(int argc, char** argv) {
  const int code = argc < 7 ? 2 : taskrace::openmp_oracle::Run(argc, argv);
  if (code == 2) {
    std::fprintf(
        stderr,
        "usage: agreement TASKRACE DIRECTORY INTERPRETER|-FLAG... PROGRAMS SEED CLASS...\n");
  }
  return code;
}
