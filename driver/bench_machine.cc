#include "driver/bench_machine.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <fstream>

#include "driver/bench_process.h"
#include "driver/subprocess.h"
#include "report/bytes.h"

namespace taskrace::driver {
namespace {

std::string CpuModel() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return report::Printable(line.substr(colon + 2));
    }
  }
  return "unknown processor";
}

std::string Compiler(const std::string& clang) {
  const std::string text = RunForOutput({clang, "--version"}).text;
  const size_t at = text.find("version ");
  if (at == std::string::npos) return "clang of an unknown version";
  const size_t begin = at + std::string_view("version ").size();
  return "clang " +
         report::Printable(text.substr(begin, text.find_first_of(" (\n", begin) - begin));
}

}  // namespace

std::string Machine::Text() const {
  return fmt::format("{}, {} cores, {} GiB, Linux {}, {}", cpu, cores, memory_gib, kernel,
                     compiler);
}

bool Machine::IsBusy() const { return load > 0.5; }

Machine DescribeMachine(const std::string& clang) {
  Machine machine;
  machine.cpu = CpuModel();
  machine.cores = UsableCpus();
  struct sysinfo memory{};
  if (sysinfo(&memory) == 0) {
    constexpr uint64_t kGib = uint64_t{1} << 30;
    machine.memory_gib = (uint64_t{memory.totalram} * memory.mem_unit + kGib / 2) / kGib;
  }
  utsname kernel{};
  if (uname(&kernel) == 0) {
    // The text after the version number names the distributor.
    const std::string release = kernel.release;
    machine.kernel = release.substr(0, release.find_first_not_of("0123456789."));
  }
  machine.compiler = Compiler(clang);
  if (getloadavg(&machine.load, 1) != 1) machine.load = 0;
  return machine;
}

}  // namespace taskrace::driver
