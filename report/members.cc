#include "report/members.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "report/ask_program.h"
#include "report/find_program.h"

namespace taskrace::report {
namespace {

constexpr size_t kMostQuestions = 100;
constexpr int kMostSilence = 10;  // seconds
constexpr int kDeepestTypedef = 20;

// A typedef, or a type that says const, volatile or _Atomic of another one.
bool IsAnotherName(const DebugEntry& type) {
  return type.tag == "typedef" || type.tag == "const_type" || type.tag == "volatile_type" ||
         type.tag == "atomic_type";
}
bool IsClass(const DebugEntry& type) {
  return type.tag == "structure_type" || type.tag == "class_type" || type.tag == "union_type";
}
// A class that nobody looks into.
bool IsStandard(std::string_view name) {
  return name.starts_with("std::") || name.starts_with("const std::") ||
         name.starts_with("pthread_") || name.starts_with("__");
}

uint64_t CountOf(const DebugEntry& range) {
  return range.Has("count")         ? range.Number("count")
         : range.Has("upper_bound") ? range.Number("upper_bound") + 1
                                    : 0;
}

}  // namespace

uint64_t DebugEntry::Number(std::string_view name) const {
  const auto found = attributes.find(name);
  if (found == attributes.end()) return 0;
  std::string_view text = found->second;
  const bool is_hex = text.starts_with("0x");
  if (is_hex) text.remove_prefix(2);
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, is_hex ? 16 : 10);
  return number;
}

std::string DebugEntry::Text(std::string_view name) const {
  const auto found = attributes.find(name);
  if (found == attributes.end()) return "";
  const std::string& text = found->second;
  const size_t first = text.find('"');
  const size_t last = text.rfind('"');
  return first == last ? "" : text.substr(first + 1, last - first - 1);
}

//   0x00000025:     DW_TAG_variable
//                     DW_AT_name	("rows")
std::vector<DebugEntry> ParseDebugEntries(const std::string& printed) {
  constexpr std::string_view kTag = "DW_TAG_", kAttribute = "DW_AT_";
  std::vector<DebugEntry> entries;
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);) {
    const size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    if (line.starts_with("0x")) {
      DebugEntry entry;
      const size_t colon = line.find(':');
      const size_t word =
          colon == std::string::npos ? colon : line.find_first_not_of(' ', colon + 1);
      if (word == std::string::npos || line.compare(word, kTag.size(), kTag) != 0) continue;
      std::from_chars(line.data() + 2, line.data() + colon, entry.offset, 16);
      entry.depth = word;
      entry.tag = line.substr(word + kTag.size());
      entries.push_back(std::move(entry));
    } else if (!entries.empty() && line.compare(begin, kAttribute.size(), kAttribute) == 0) {
      const size_t open = line.find('(', begin);
      const size_t close = line.rfind(')');
      const size_t end = line.find_first_of(" \t(", begin);
      if (open == std::string::npos || close == std::string::npos || close < open) continue;
      entries.back()
          .attributes[line.substr(begin + kAttribute.size(), end - begin - kAttribute.size())] =
          line.substr(open + 1, close - open - 1);
    }
  }
  return entries;
}

const Members::Entries& Members::Ask(const std::string& module, const std::string& question) {
  const auto [answer, is_new] = answers_.try_emplace({module, question});
  if (!is_new || answers_.size() > kMostQuestions) return answer->second;
  const std::string program = FindProgram("TASKRACE_DWARFDUMP", TASKRACE_DWARFDUMP_PATH,
                                          {"llvm-dwarfdump-19", "llvm-dwarfdump"});
  if (program.empty()) return answer->second;
  const auto printed = AskProgram({program, question, "--show-children", module}, "", kMostSilence);
  if (printed) answer->second = ParseDebugEntries(*printed);
  return answer->second;
}

const Members::Entries* Members::Type(const std::string& module, uint64_t offset) {
  if (offset == 0) return nullptr;
  const Entries& entries = Ask(module, fmt::format("--debug-info={:#x}", offset));
  return entries.empty() || entries[0].offset != offset ? nullptr : &entries;
}

uint64_t Members::SizeOf(const std::string& module, uint64_t type) {
  for (int i = 0; i < kDeepestTypedef; ++i) {
    const Entries* entries = Type(module, type);
    if (entries == nullptr) return 0;
    const DebugEntry& first = entries->front();
    if (first.Has("byte_size")) return first.Number("byte_size");
    type = first.Number("type");
    if (first.tag == "array_type") {
      uint64_t size = SizeOf(module, type);
      for (const DebugEntry& entry : *entries) {
        if (entry.tag == "subrange_type") size *= CountOf(entry);
      }
      return size;
    }
    if (first.tag == "pointer_type" || first.tag.ends_with("reference_type")) return sizeof(void*);
    if (!IsAnotherName(first)) return 0;
  }
  return 0;
}

std::string Members::Inside(const std::string& module, uint64_t type, std::string_view type_name,
                            uint64_t offset, uint64_t size) {
  if (IsStandard(type_name)) return "";
  for (int i = 0; i < kDeepestTypedef; ++i) {
    const Entries* entries = Type(module, type);
    if (entries == nullptr) return "";
    const DebugEntry& first = entries->front();
    if (first.tag == "array_type") return InArray(module, *entries, offset, size);
    if (IsClass(first)) return InClass(module, *entries, offset, size);
    if (!IsAnotherName(first)) return "";
    type = first.Number("type");
  }
  return "";
}

std::string Members::InArray(const std::string& module, const Entries& array, uint64_t offset,
                             uint64_t size) {
  const uint64_t element = array[0].Number("type");
  uint64_t bytes = SizeOf(module, element);
  if (bytes == 0) return "";
  // What one step of each dimension is, the innermost last.
  std::vector<uint64_t> steps;
  for (size_t i = array.size(); i-- > 1;) {
    if (array[i].tag != "subrange_type") continue;
    steps.insert(steps.begin(), bytes);
    bytes *= CountOf(array[i]);
  }
  std::string path;
  for (const uint64_t step : steps) {
    if (step == 0 || offset % step + size > step) return path;  // of more than one element
    path += fmt::format("[{}]", offset / step);
    offset %= step;
  }
  return path + Inside(module, element, array[0].Text("type"), offset, size);
}

std::string Members::InClass(const std::string& module, const Entries& entries, uint64_t offset,
                             uint64_t size) {
  // Its own members, not those of classes that are declared in it.
  const size_t depth = entries.size() > 1 ? entries[1].depth : 0;
  for (const DebugEntry& entry : entries) {
    const bool is_base = entry.tag == "inheritance";
    if (entry.depth != depth || (entry.tag != "member" && !is_base) || entry.Has("external")) {
      continue;
    }
    const uint64_t at = entry.Number("data_member_location");
    const uint64_t type = entry.Number("type");
    if (offset < at || entry.Has("data_bit_offset")) continue;
    if (offset + size > at + SizeOf(module, type)) continue;
    const std::string name = entry.Text("name");
    return (is_base || name.empty() ? "" : "." + name) +
           Inside(module, type, entry.Text("type"), offset - at, size);
  }
  return "";
}

std::string Members::Path(const std::string& module, const std::string& variable, uint64_t line,
                          uint64_t offset, uint64_t size) {
  // 'ns::rows' is «rows» inside of «ns».
  const size_t scope = variable.rfind("::");
  const std::string name = scope == std::string::npos ? variable : variable.substr(scope + 2);
  if (name.empty() || name.find_first_of("<>() ") != std::string::npos) return "";
  const DebugEntry* found = nullptr;
  for (const DebugEntry& entry : Ask(module, "--name=" + name)) {
    if (entry.Text("name") != name || !entry.Has("type")) continue;
    if (line != 0 && entry.Number("decl_line") != line) continue;
    if (found != nullptr && found->Number("type") != entry.Number("type")) return "";
    found = &entry;
  }
  if (found == nullptr) return "";
  return Inside(module, found->Number("type"), found->Text("type"), offset, size);
}

}  // namespace taskrace::report
