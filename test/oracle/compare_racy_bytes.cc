// compare_racy_bytes EXPECTED OUTPUT REPORT
//
// Compares what a generated program was found to do with what the oracle says: EXPECTED is from
// generate_cpp, OUTPUT what the program printed (the address of its buffers), REPORT the JSON
// report of the run, made with dedup=address and max_races=0. Prints every difference; exits with 0
// if there is none.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace {

struct Expected {
  size_t offset = 0;
  std::set<size_t> racy;
};

std::map<size_t, Expected> ReadExpected(const char* path) {
  std::ifstream in(path);
  std::map<size_t, Expected> programs;
  size_t number, count;
  Expected program;
  while (in >> number >> program.offset >> count) {
    program.racy.clear();
    for (size_t byte; count > 0 && in >> byte; --count) program.racy.insert(byte);
    programs[number] = program;
  }
  return programs;
}

std::string ToString(const std::set<size_t>& bytes) {
  std::string text;
  for (size_t byte : bytes) text += " " + std::to_string(byte);
  return text.empty() ? " none" : text;
}

// The offsets of all racy bytes from the beginning of the buffers. Throws if the report is not one.
std::set<size_t> ReadReport(const char* path, uint64_t base) {
  const nlohmann::json report = nlohmann::json::parse(std::ifstream(path));
  std::set<size_t> racy;
  for (const auto& race : report.at("races")) {
    const uint64_t address = std::stoull(race.at("address").get<std::string>(), nullptr, 16);
    const uint64_t size = race.at("size").get<uint64_t>();
    for (uint64_t i = 0; i < size; ++i) racy.insert(address + i - base);
  }
  return racy;
}

int Compare(const char* expected_path, const char* output_path, const char* report_path) {
  const std::map<size_t, Expected> programs = ReadExpected(expected_path);
  std::string base;
  std::ifstream(output_path) >> base;
  if (programs.empty() || base.empty()) {
    std::cerr << "compare_racy_bytes: " << expected_path << " or " << output_path << " is empty\n";
    return 2;
  }
  std::set<size_t> reported = ReadReport(report_path, std::stoull(base, nullptr, 16));
  size_t wrong = 0;
  for (const auto& [number, program] : programs) {
    constexpr size_t kBytes = 16;
    std::set<size_t> found;
    for (size_t byte = 0; byte < kBytes; ++byte) {
      if (reported.erase(program.offset + byte) != 0) found.insert(byte);
    }
    if (found == program.racy) continue;
    ++wrong;
    std::cerr << "program " << number << ": expected" << ToString(program.racy) << ", reported"
              << ToString(found) << "\n";
  }
  if (!reported.empty()) {
    std::cerr << reported.size() << " reported bytes are in no buffer\n";
    ++wrong;
  }
  std::cout << programs.size() << " programs, " << wrong << " wrong\n";
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: compare_racy_bytes EXPECTED OUTPUT REPORT\n";
    return 2;
  }
  try {
    return Compare(argv[1], argv[2], argv[3]);
  } catch (const std::exception& error) {
    std::cerr << "compare_racy_bytes: " << argv[3] << ": " << error.what() << "\n";
    return 2;
  }
}
