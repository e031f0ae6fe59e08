#include "report/wrap.h"

#include <algorithm>

#include "report/bytes.h"

namespace taskrace::report {
namespace {

// The length of the first clause of `text`: up to a blank behind punctuation or before a bracket.
size_t ClauseLength(std::string_view text) {
  constexpr std::string_view kEnds = ",;:.";
  for (size_t blank = text.find(' ', 1); blank != std::string_view::npos;
       blank = text.find(' ', blank + 1)) {
    const bool bracket = blank + 1 < text.size() && text[blank + 1] == '(';
    if (bracket || kEnds.find(text[blank - 1]) != std::string_view::npos) return blank;
  }
  return text.size();
}

class Lines {
 public:
  Lines(size_t column, size_t indent) : column_(column), indent_(indent) {}

  bool Fits(std::string_view part) const { return column_ + Gap() + Columns(part) <= kWidth; }
  bool FitsInALine(std::string_view part) const { return indent_ + Columns(part) <= kWidth; }

  void Add(std::string_view part) {
    if (!Fits(part) && !empty_) Break();
    text_.append(Gap(), ' ');
    column_ += Gap() + Columns(part);
    text_ += part;
    empty_ = false;
  }

  std::string Text() && { return std::move(text_); }

 private:
  size_t Gap() const { return empty_ ? 0 : 1; }

  void Break() {
    text_ += '\n' + std::string(indent_, ' ');
    column_ = indent_;
    empty_ = true;
  }

  std::string text_;
  size_t column_;
  const size_t indent_;
  bool empty_ = true;  // nothing has been added to the last line
};

}  // namespace

std::string Wrapped(std::string_view text, size_t column, size_t indent) {
  Lines lines(column, indent);
  while (!text.empty()) {
    const std::string_view clause = text.substr(0, ClauseLength(text));
    const bool whole = lines.Fits(clause) || lines.FitsInALine(clause);
    const std::string_view part = whole ? clause : clause.substr(0, clause.find(' ', 1));
    lines.Add(part);
    text.remove_prefix(std::min(part.size() + 1, text.size()));
  }
  return std::move(lines).Text();
}

}  // namespace taskrace::report
