// Refuses programs that cannot be checked before they run: scripts, programs without instrumentation, and
// those of another hook ABI.
//
// The markers of object files decide (compiler/marker.cc). An executable may have none if its instrumented
// code is in a shared library, so the libraries are searched too, as the dynamic linker would find them.
#include "driver/program_check.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <vector>

#include "driver/subprocess.h"
#include "report/bytes.h"
#include "report/elf_file.h"
#include "report/find_program.h"
#include "taskrace/hooks.h"

namespace taskrace::driver {
namespace {

using report::ElfFile;
using report::Error;
using report::ObjectMarker;
using report::Printable;
using report::Result;

// The reason why the program cannot be run, as the system describes it.
Error CannotRun(const std::string& name) {
  if (name.find('/') == std::string::npos) {
    return Error{fmt::format("cannot run {}: not found in PATH{}", Printable(name),
                             std::filesystem::exists(name) ? "; write ./" + Printable(name) : "")};
  }
  std::error_code unknown;
  if (std::filesystem::is_directory(name, unknown)) {
    errno = EISDIR;
  } else {
    errno = access(name.c_str(), F_OK) == 0 ? EACCES : errno;
  }
  return Error{fmt::format("cannot run {}: {}", Printable(name), std::strerror(errno))};
}

// The libraries that the dynamic linker would load; it lists them and does not start the program.
std::vector<std::string> Libraries(const std::string& path, const std::string& interpreter) {
  std::vector<std::string> libraries;
  const Output listed = RunForOutput({interpreter, "--list", path});
  std::istringstream lines(listed.text);
  // A line is "name => /path (0xaddress)" or "/path (0xaddress)".
  for (std::string line; std::getline(lines, line);) {
    const size_t arrow = line.find(" => ");
    const size_t begin = arrow == std::string::npos ? line.find_first_not_of(" \t") : arrow + 4;
    const size_t end = line.rfind(" (0x");
    if (begin < end && end != std::string::npos)
      libraries.push_back(line.substr(begin, end - begin));
  }
  return libraries;
}

// True if the file has markers, all of our version.
Result<bool> CheckMarkers(const ElfFile& file, const std::string& path) {
  const std::vector<ObjectMarker> markers = file.Markers();
  for (const ObjectMarker& marker : markers) {
    if (marker.abi_version != TASKRACE_ABI_VERSION) {
      return Error{fmt::format(
          "{}: {} was compiled with another version of taskrace (hook ABI {}, this one has {}); "
          "compile it again",
          Printable(path), marker.source.empty() ? "an object" : Printable(marker.source),
          marker.abi_version, TASKRACE_ABI_VERSION)};
    }
  }
  return !markers.empty();
}

}  // namespace

Result<std::string> CheckProgram(const std::string& name) {
  const std::string path = report::SearchPath(name);
  if (path.empty()) return CannotRun(name);
  const ElfFile file(path);
  if (!file.IsElf()) {
    return Error{fmt::format(
        "{} is not instrumented: it is a script, or not an executable of this machine; run the "
        "program that it "
        "starts, or set TASKRACE_OPTIONS and start the script itself",
        Printable(name))};
  }
  bool instrumented = false;
  auto own = CheckMarkers(file, path);
  if (!own) return Error{own.error()};
  instrumented |= *own;
  if (const std::string interpreter = file.Interpreter(); !interpreter.empty()) {
    for (const std::string& library : Libraries(path, interpreter)) {
      const ElfFile library_file(library);
      auto markers = CheckMarkers(library_file, library);
      if (!markers) return Error{markers.error()};
      instrumented |= *markers;
    }
  }
  if (!instrumented) {
    return Error{
        fmt::format("{} is not instrumented: compile it with taskrace c++", Printable(name))};
  }
  return path;
}

}  // namespace taskrace::driver
