#include "report/wrap.h"

#include <algorithm>

#include "report/bytes.h"

namespace taskrace::report {
namespace {

// Where a line may be broken, best first: between sentences and their parts, at commas too,
// between words.
enum class Level { kParts, kCommas, kWords };

bool EndsBefore(std::string_view text, size_t blank, Level level) {
  if (level == Level::kWords) return true;
  const bool bracket = blank + 1 < text.size() && text[blank + 1] == '(';
  const std::string_view ends = level == Level::kParts ? ";:." : ";:.,";
  return bracket || ends.find(text[blank - 1]) != std::string_view::npos;
}

std::string_view FirstClause(std::string_view text, Level level) {
  for (size_t blank = text.find(' ', 1); blank != std::string_view::npos;
       blank = text.find(' ', blank + 1)) {
    if (EndsBefore(text, blank, level)) return text.substr(0, blank);
  }
  return text;
}

class Lines {
 public:
  Lines(size_t column, size_t indent, size_t width)
      : column_(column), indent_(indent), width_(width) {}

  void AddText(std::string_view text, Level level) {
    while (!text.empty()) {
      const std::string_view clause = FirstClause(text, level);
      if (level == Level::kWords || Fits(clause) || DeservesALine(clause, level)) {
        Add(clause);
      } else {
        AddText(clause, level == Level::kParts ? Level::kCommas : Level::kWords);
      }
      text.remove_prefix(std::min(clause.size() + 1, text.size()));
    }
  }

  std::string Text() && { return std::move(text_); }

 private:
  size_t Gap() const { return empty_ ? 0 : 1; }

  bool Fits(std::string_view part) const { return column_ + Gap() + Columns(part) <= width_; }

  // A part of a sentence begins a line if that leaves none that is mostly empty.
  bool DeservesALine(std::string_view part, Level level) const {
    return indent_ + Columns(part) <= width_ && (level != Level::kParts || column_ >= width_ / 2);
  }

  void Add(std::string_view part) {
    if (!Fits(part) && !empty_) Break();
    text_.append(Gap(), ' ');
    column_ += Gap() + Columns(part);
    text_ += part;
    empty_ = false;
  }

  void Break() {
    text_ += '\n' + std::string(indent_, ' ');
    column_ = indent_;
    empty_ = true;
  }

  std::string text_;
  size_t column_;
  const size_t indent_;
  const size_t width_;
  bool empty_ = true;  // nothing has been added to the last line
};

}  // namespace

std::string Wrapped(std::string_view text, size_t column, size_t indent, size_t width) {
  Lines lines(column, indent, width);
  lines.AddText(text, Level::kParts);
  return std::move(lines).Text();
}

}  // namespace taskrace::report
