#include "report/libraries.h"

#include <algorithm>

#include "report/frame.h"
#include "report/suppressions.h"

namespace taskrace::report {
namespace {

constexpr std::string_view kSystemOptions[] = {"-isystem", "-cxx-isystem", "-isystem-after",
                                               "-idirafter"};

// The words of a recorded command line, in which a backslash takes the next character as it is.
std::vector<std::string> Words(std::string_view line) {
  std::vector<std::string> words(1);
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == ' ') {
      words.emplace_back();
    } else {
      if (line[i] == '\\' && i + 1 < line.size()) ++i;
      words.back() += line[i];
    }
  }
  return words;
}

}  // namespace

void Libraries::Add(std::string_view globs) {
  while (!globs.empty()) {
    const size_t end = std::min(globs.find(','), globs.size());
    if (end > 0) globs_.emplace_back(globs.substr(0, end));
    globs.remove_prefix(std::min(end + 1, globs.size()));
  }
}

void Libraries::AddCommandLine(std::string_view line) {
  const std::vector<std::string> words = Words(line);
  for (size_t i = 0; i < words.size(); ++i) {
    const auto* option = std::ranges::find_if(
        kSystemOptions, [&](std::string_view known) { return words[i].starts_with(known); });
    if (option == std::end(kSystemOptions)) continue;
    if (words[i].size() > option->size()) {
      AddDirectory(words[i].substr(option->size()));
    } else if (i + 1 < words.size()) {
      AddDirectory(words[++i]);
    }
  }
}

// A relative directory is one of the directory that was compiled in, which is not recorded: what it
// has in front of its first name is dropped, and any path that has the rest fits.
void Libraries::AddDirectory(const std::string& directory) {
  std::string clean = CleanPath(directory);
  while (clean.starts_with("../")) clean.erase(0, 3);
  while (clean.ends_with('/')) clean.pop_back();
  if (clean.empty() || clean == "." || clean == "..") return;
  std::string glob = clean + "/*";
  if (std::ranges::find(globs_, glob) == globs_.end()) globs_.push_back(std::move(glob));
}

bool Libraries::Covers(const std::string& file) const {
  return !file.empty() &&
         std::ranges::any_of(globs_, [&](const auto& glob) { return PathMatch(glob, file); });
}

}  // namespace taskrace::report
