#include "report/function_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

namespace taskrace::report {
namespace {

constexpr std::string_view kOperator = "operator";

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$';
}

// The length of an operator's symbol at `at` (`operator<<`, `operator()`), 0 if none stands there.
// Angle brackets and parentheses inside it do not count as brackets.
size_t OperatorLength(std::string_view name, size_t at) {
  if (name.substr(at, kOperator.size()) != kOperator) return 0;
  if (at > 0 && IsWordCharacter(name[at - 1])) return 0;
  const std::string_view rest = name.substr(at + kOperator.size());
  for (std::string_view symbol :
       {"<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "->", "<", ">"}) {
    if (rest.starts_with(symbol)) return kOperator.size() + symbol.size();
  }
  return 0;
}

// The end of the bracket that opens at `open`; nothing if it does not close.
std::optional<size_t> Close(std::string_view name, size_t open) {
  int depth = 0;
  for (size_t i = open; i < name.size(); ++i) {
    if (const size_t length = OperatorLength(name, i); length > 0) {
      i += length - 1;
      continue;
    }
    const char c = name[i];
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    if (c == '}' || c == ')' || c == ']') --depth;
    if (c == '>' && (i == 0 || name[i - 1] != '-')) --depth;
    if (depth == 0) return i + 1;
  }
  return std::nullopt;
}

// Copies `name`; every outermost bracket of `kind` becomes `replacement`.
std::string ReplaceBrackets(std::string_view name, char kind, std::string_view replacement) {
  std::string out;
  for (size_t i = 0; i < name.size();) {
    if (const size_t length = OperatorLength(name, i); length > 0) {
      out += name.substr(i, length);
      i += length;
      continue;
    }
    if (name[i] == kind && !name.substr(i).starts_with("(anonymous namespace)")) {
      const auto end = Close(name, i);
      if (!end) return std::string(name);
      out += *end - i > 2 ? replacement : name.substr(i, 2);
      i = *end;
      continue;
    }
    out += name[i++];
  }
  return out;
}

// The inline namespaces that separate the builds of the task interface; no source mentions them.
std::string DropBuilds(std::string name) {
  for (std::string_view outer : {"taskrace::", "taskrace::detail::"}) {
    for (std::string_view build : {"detected::", "elided::", "on_tbb::"}) {
      const std::string full = std::string(outer).append(build);
      for (size_t at = 0; (at = name.find(full, at)) != std::string::npos; at += outer.size()) {
        if (at == 0 || !IsWordCharacter(name[at - 1])) name.erase(at + outer.size(), build.size());
      }
    }
  }
  return name;
}

// Default template arguments, as the demangler writes them; reports omit them.
std::string DropDefaults(std::string name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kAliases = {{
      {"std::__cxx11::", "std::"},
      {"std::basic_string<char, std::char_traits<char>, std::allocator<char>>", "std::string"},
      {"std::basic_string_view<char, std::char_traits<char>>", "std::string_view"},
      {"std::basic_ostream<char, std::char_traits<char>>", "std::ostream"},
  }};
  for (const auto& [full, alias] : kAliases) {
    for (size_t at = 0; (at = name.find(full, at)) != std::string::npos; at += alias.size()) {
      name.replace(at, full.size(), alias);
    }
  }
  for (std::string_view argument : {", std::allocator<", ", std::less<", ", std::hash<",
                                    ", std::equal_to<", ", std::default_delete<"}) {
    for (size_t at = 0; (at = name.find(argument, at)) != std::string::npos;) {
      const auto end = Close(name, at + argument.size() - 1);
      if (!end) break;
      name.erase(at, *end - at);
    }
  }
  return name;
}

}  // namespace

std::string Demangled(const std::string& symbol) {
  // Outside of "_Z" the demangler reads types: "f" would become "float".
  if (!symbol.starts_with("_Z")) return symbol;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr), &std::free);
  return name == nullptr ? symbol : name.get();
}

std::string SourceName(std::string_view name) {
  constexpr std::string_view kTag = "[abi:";
  constexpr std::string_view kThinLto = ".llvm.";
  std::string plain(name);
  for (size_t at = 0; (at = plain.find(kTag, at)) != std::string::npos;) {
    const size_t end = plain.find(']', at);
    if (end == std::string::npos) break;
    plain.erase(at, end + 1 - at);
  }
  // The demangler sets a suffix in brackets.
  const bool bracket = plain.ends_with(')') && plain.find(" (.llvm.") != std::string::npos;
  const std::string_view body = std::string_view(plain).substr(0, plain.size() - bracket);
  const size_t suffix = body.rfind(kThinLto);
  if (suffix == std::string_view::npos) return plain;
  const std::string_view number = body.substr(suffix + kThinLto.size());
  if (number.empty() || number.find_first_not_of("0123456789") != std::string_view::npos) {
    return plain;
  }
  plain.resize(suffix - (bracket ? 2 : 0));
  return plain;
}

std::string NameWithArguments(std::string_view function) {
  // Cut at the parameters: the last bracket at the top level that no `::` follows.
  size_t name_begin = 0;
  size_t name_end = function.size();
  for (size_t i = 0; i < function.size();) {
    if (const size_t length = OperatorLength(function, i); length > 0) {
      i += length;
      continue;
    }
    const char c = function[i];
    if (c == '<' || c == '(' || c == '{') {
      const auto end = Close(function, i);
      if (!end) return std::string(function);
      const bool parameters = c == '(' && !function.substr(*end).starts_with("::") &&
                              !function.substr(i).starts_with("(anonymous namespace)");
      if (parameters) {
        name_end = i;
        break;
      }
      i = *end;
      continue;
    }
    // A space at the top level ends a return type, unless an operator's type follows.
    if (c == ' ' && function.substr(0, i).find(kOperator, name_begin) == std::string_view::npos) {
      name_begin = i + 1;
    }
    ++i;
  }
  std::string_view name = function.substr(name_begin, name_end - name_begin);
  name.remove_prefix(std::min(name.find_first_not_of("*& "), name.size()));
  return std::string(name);
}

std::string QualifiedName(std::string_view function) {
  std::string name = ReplaceBrackets(NameWithArguments(function), '<', "");
  // The demangler sets a blank between an operator and its template arguments.
  while (name.ends_with(' ')) name.pop_back();
  return name;
}

std::string ShortName(std::string_view function, size_t most) {
  std::string name = DropDefaults(DropBuilds(std::string(function)));
  if (name.size() <= most) return name;
  name = ReplaceBrackets(name, '(', "(...)");
  if (name.size() <= most) return name;
  name = ReplaceBrackets(name, '<', "<...>");
  if (name.size() <= most) return name;
  name = ReplaceBrackets(NameWithArguments(name), '<', "<...>");
  if (name.size() <= most || most < 8) return name;
  // The end of a name says more than its beginning.
  return "..." + name.substr(name.size() - (most - 3));
}

}  // namespace taskrace::report
