// Strings whose bytes may be anything (paths, names) made fit for terminals and for JSON.
//
// Thread rule: pure functions. Cost: one pass over the string.
#pragma once

#include <string>
#include <string_view>

namespace taskrace::report {

// For a person: control characters and bytes that are not UTF-8 become \xNN.
std::string Printable(std::string_view bytes);

// For JSON: bytes that are not UTF-8 become \xNN; control characters stay (the
// writer escapes them).
std::string ValidUtf8(std::string_view bytes);

// A JSON parser wants UTF-8, a path may be anything: Shield turns each byte that is not UTF-8 into
// a code point of the last private plane, and Unshield turns those back. Unshield(Shield(s)) == s.
std::string Shield(std::string_view bytes);
std::string Unshield(std::string_view shielded);

// How many columns the (valid) UTF-8 text takes, one a code point.
size_t Columns(std::string_view text);

}  // namespace taskrace::report
