// Breaking long sentences for people.
//
// Thread rule: a pure function. Cost: linear in the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace taskrace::report {

// How many columns a report takes where it is not printed on a narrower terminal.
inline constexpr size_t kWidth = 100;

// `text` in lines of at most `width` columns. The first line begins in column `column`, later ones
// are indented by `indent`. It is broken between parts of a sentence, else at commas, else between
// words; a word that is longer than a line, such as a path, stays whole.
std::string Wrapped(std::string_view text, size_t column, size_t indent, size_t width = kWidth);

}  // namespace taskrace::report
