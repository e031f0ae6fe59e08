#include "report/bytes.h"

#include <fmt/format.h>

#include <cstdint>

namespace taskrace::report {
namespace {

// The length of the UTF-8 sequence at the start of `bytes`; 0 if there is none.
size_t SequenceLength(std::string_view bytes) {
  const auto at = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  const uint8_t first = at(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xC2 && first < 0xE0   ? 2
                        : first >= 0xE0 && first < 0xF0 ? 3
                        : first >= 0xF0 && first < 0xF5 ? 4
                                                        : 0;
  if (length == 0 || bytes.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xE0 && at(1) < 0xA0) || (first == 0xF0 && at(1) < 0x90);
  const bool surrogate = first == 0xED && at(1) >= 0xA0;
  const bool too_large = first == 0xF4 && at(1) >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

// Shielded bytes are the code points U+10FF00 + byte: F4 8F BC+ ... in UTF-8.
constexpr std::string_view kShieldPrefix = "\xF4\x8F";
constexpr uint32_t kShieldBase = 0x10FF00;

bool IsShield(std::string_view sequence) {
  return sequence.size() == 4 && sequence.substr(0, 2) == kShieldPrefix &&
         static_cast<uint8_t>(sequence[2]) >= 0xBC;
}

// Copies `bytes`; what is not UTF-8, or what `odd` says, goes through `replace` byte by byte.
template <class Odd, class Replace>
std::string Rewrite(std::string_view bytes, Odd odd, Replace replace) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const size_t length = SequenceLength(bytes);
    const std::string_view sequence = bytes.substr(0, length == 0 ? 1 : length);
    if (length == 0 || odd(sequence)) {
      for (char c : sequence) out += replace(static_cast<uint8_t>(c));
    } else {
      out += sequence;
    }
    bytes.remove_prefix(sequence.size());
  }
  return out;
}

std::string Hex(uint8_t byte) { return fmt::format("\\x{:02X}", byte); }

bool IsControl(std::string_view sequence) {
  const auto first = static_cast<uint8_t>(sequence[0]);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7F;
  // U+0080 to U+009F: terminals may take them for escape sequences.
  return sequence.size() == 2 && first == 0xC2 && static_cast<uint8_t>(sequence[1]) < 0xA0;
}

}  // namespace

std::string Printable(std::string_view bytes) { return Rewrite(bytes, IsControl, Hex); }

std::string ValidUtf8(std::string_view bytes) {
  return Rewrite(bytes, [](std::string_view) { return false; }, Hex);
}

std::string Shield(std::string_view bytes) {
  return Rewrite(bytes, IsShield, [](uint8_t byte) {
    const uint32_t point = kShieldBase + byte;
    std::string out(kShieldPrefix);
    out += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (point & 0x3F));
    return out;
  });
}

std::string Unshield(std::string_view shielded) {
  std::string out;
  out.reserve(shielded.size());
  while (!shielded.empty()) {
    if (IsShield(shielded.substr(0, 4))) {
      const uint32_t point = (static_cast<uint8_t>(shielded[2]) & 0x3F) << 6 |
                             (static_cast<uint8_t>(shielded[3]) & 0x3F);
      out += static_cast<char>(point & 0xFF);
      shielded.remove_prefix(4);
    } else {
      out += shielded[0];
      shielded.remove_prefix(1);
    }
  }
  return out;
}

size_t Columns(std::string_view text) {
  size_t columns = 0;
  for (char c : text) columns += (static_cast<uint8_t>(c) & 0xC0) != 0x80;
  return columns;
}

}  // namespace taskrace::report
