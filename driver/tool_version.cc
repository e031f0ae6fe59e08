#include "driver/tool_version.h"

#include <algorithm>

#include "driver/subprocess.h"
#include "report/bytes.h"

namespace taskrace::driver {

std::string VersionOf(const std::string& program) {
  const std::string text = RunForOutput({program, "--version"}).text;
  const size_t at = text.find("version");
  const size_t end_before = at == std::string::npos ? at : text.rfind('\n', at);
  std::string line = text.substr(end_before == std::string::npos ? 0 : end_before + 1);
  line.erase(std::min(line.find('\n'), line.size()));
  line.erase(0, line.find_first_not_of(' '));
  return report::Printable(line);
}

}  // namespace taskrace::driver
