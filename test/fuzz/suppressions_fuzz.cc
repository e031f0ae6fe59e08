// A file of suppressions of any bytes is rules or one line that names file and line number.
#include <cstdlib>
#include <string>

#include "report/function_name.h"
#include "report/libraries.h"
#include "report/suppressions.h"

using namespace taskrace::report;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  auto rules = Suppressions::Parse(text, "file");
  if (!rules) {
    if (!rules.error().starts_with("file:") || rules.error().find('\n') != std::string::npos) {
      std::abort();
    }
    return 0;
  }
  const Stack stack = {
      {.function = "void ns::add<int>(std::vector<int>&)", .file = "/src/a.cc", .line = 12},
      {.function = "main::$_0::operator()() const", .file = "/src/main.cpp", .line = 3},
      {.function = text, .file = text, .line = 1}};
  const Suppression* matched = rules->Match({{&stack}, {&stack}, "ns::total"});
  if (matched != nullptr && rules->rules().empty()) std::abort();
  rules->IsLibrary("/src/a.cc");
  Libraries libraries;
  libraries.Add(text);
  libraries.AddCommandLine(text);
  libraries.Covers("/src/a.cc");
  ShortName(text, 20);
  Demangled(text);
  return 0;
}
