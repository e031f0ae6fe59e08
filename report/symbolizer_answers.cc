#include "report/symbolizer_answers.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/bytes.h"
#include "report/function_name.h"

namespace taskrace::report {
namespace {

using nlohmann::json;

std::string Known(const std::string& text) { return text == "??" ? "" : text; }
std::string KnownName(const std::string& text) { return SourceName(Known(text)); }

// What compilers append to the names of parts and copies of a function is not in the source:
// "f(int) (.private.llvm.12)" -> "f(int)", "f.parts" -> "f".
std::string WithoutSuffix(std::string function) {
  const bool is_plain = function.find_first_of("(< ") == std::string::npos;
  const size_t suffix = is_plain                  ? function.find('.', 1)
                        : function.ends_with(')') ? function.rfind(" (.")
                                                  : std::string::npos;
  return suffix == std::string::npos ? function : function.substr(0, suffix);
}

// What the compiler has made a function of its own: a construct of OpenMP. Empty: the whole function.
std::string PartOf(const std::string& function) {
  if (function.find(".omp_outlined") != std::string::npos) return "parallel region";
  if (function.find(".omp_task") != std::string::npos) return "task";
  return "";
}

}  // namespace

Stack ParseCodeAnswer(const std::string& line) try {
  Stack frames;
  const json answer = json::parse(Shield(line));
  if (!answer.contains("Symbol")) return frames;
  for (const json& symbol : answer["Symbol"]) {
    Frame frame;
    const std::string function = Unshield(symbol.value("FunctionName", ""));
    frame.function = KnownName(WithoutSuffix(function));
    frame.part = PartOf(function);
    frame.file = CleanPath(Known(Unshield(symbol.value("FileName", ""))));
    frame.line = symbol.value("Line", 0u);
    frame.column = symbol.value("Column", 0u);
    // Line 0 stands for code that has no place in the source.
    if (frame.line == 0 && frames.empty() && answer["Symbol"].size() == 1) frame.file.clear();
    frames.push_back(std::move(frame));
  }
  return frames;
} catch (const json::exception&) {
  return {};
}

GlobalSymbol ParseGlobalAnswer(const std::vector<std::string>& lines) {
  GlobalSymbol global;
  if (lines.size() < 2) return global;
  global.name = KnownName(lines[0]);
  std::istringstream numbers(lines[1]);
  numbers >> global.start >> global.size;
  if (lines.size() < 3) return global;
  std::string declaration = lines[2];
  for (size_t i = 3; i < lines.size(); ++i) declaration += "\n" + lines[i];
  const size_t colon = declaration.rfind(':');
  if (colon == std::string::npos) return global;
  std::from_chars(declaration.data() + colon + 1, declaration.data() + declaration.size(),
                  global.line);
  if (global.line > 0) global.file = CleanPath(Known(declaration.substr(0, colon)));
  return global;
}

std::vector<std::vector<std::string>> SplitAnswers(const std::string& output) {
  std::vector<std::vector<std::string>> answers(1);
  std::istringstream stream(output);
  for (std::string line; std::getline(stream, line);) {
    if (line.empty()) {
      answers.emplace_back();
    } else {
      answers.back().push_back(line);
    }
  }
  return answers;
}

}  // namespace taskrace::report
