// Any arguments of `taskrace c++` and `taskrace bench` are understood or refused with one line. The
// words are those of a response file, which is read too.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "driver/bench_options.h"
#include "driver/command_line.h"

using namespace taskrace::driver;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int file = memfd_create("arguments", 0);
  static const std::string response = "@/proc/self/fd/" + std::to_string(file);
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) < 0) return 0;
  const CommandLine line = ReadCommandLine({"-g", response});
  if (line.links && !line.has_inputs) std::abort();
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  std::vector<std::string> words;
  for (std::string word; std::getline(lines, word);) words.push_back(word);
  const auto request = ReadBenchRequest(words);
  if (!request && request.error().find('\n') != std::string::npos) std::abort();
  return 0;
}
