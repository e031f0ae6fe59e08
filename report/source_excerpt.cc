#include "report/source_excerpt.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "report/bytes.h"

namespace taskrace::report {
namespace {

constexpr uintmax_t kLargestFile = 64 << 20;

// The first `count` bytes, and not half a character.
size_t WholeCharacters(const std::string& text, size_t count) {
  count = std::min(count, text.size());
  while (count > 0 && count < text.size() && (text[count] & 0xC0) == 0x80) --count;
  return count;
}

}  // namespace

std::optional<std::string> SourceFiles::Line(const std::string& file, uint32_t line) {
  auto [known, is_new] = files_.try_emplace(file);
  std::vector<std::string>& lines = known->second;
  std::error_code problem;
  if (is_new && std::filesystem::is_regular_file(file, problem) &&
      std::filesystem::file_size(file, problem) <= kLargestFile && !problem) {
    std::ifstream stream(file, std::ios::binary);
    for (std::string text; std::getline(stream, text);) lines.push_back(text);
  }
  if (line == 0 || line > lines.size()) return std::nullopt;
  return lines[line - 1];
}

uint32_t CharacterColumn(const std::string& line, uint32_t column) {
  if (column == 0) return 0;
  const size_t before = WholeCharacters(line, column - 1);
  return static_cast<uint32_t>(Columns(std::string_view(line).substr(0, before))) + 1;
}

Excerpt MakeExcerpt(const std::string& line, uint32_t column, size_t width) {
  std::string text = line;
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.pop_back();
  // A tab is one byte and becomes one column, so that the caret needs no tab stops.
  std::ranges::replace(text, '\t', ' ');
  size_t caret = column == 0 ? text.find_first_not_of(' ') : column - 1;
  caret = WholeCharacters(text, std::min(caret, text.size()));
  std::string before = Printable(text.substr(0, caret));
  std::string after = Printable(text.substr(caret));
  const size_t room_before = width * 2 / 3;
  if (before.size() > room_before && before.size() + after.size() > width) {
    size_t cut = before.size() - room_before;
    while (cut < before.size() && (before[cut] & 0xC0) == 0x80) ++cut;
    before = "..." + before.substr(cut);
  }
  const size_t room_after = width - std::min(width, before.size());
  if (after.size() > room_after) {
    after = after.substr(0, WholeCharacters(after, room_after - std::min<size_t>(room_after, 3))) +
            "...";
  }
  return {before + after, Columns(before)};
}

}  // namespace taskrace::report
