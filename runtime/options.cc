// Parses TASKRACE_OPTIONS in the program, without allocating: it runs before main, before malloc may be used.
// The rules are those of report/options.cc, which needs the C++ library; test/runtime/options_test.cc compares
// the two.
#include "runtime/options.h"

#include <cstdio>
#include <cstring>
#include <string_view>

namespace taskrace {
namespace {

// True if `value` is one of the words between the bars of `values`.
bool IsOneOf(const char* value, const char* values) {
  const size_t length = strlen(value);
  for (const char* at = values; at != nullptr; at = strchr(at, '|')) {
    if (*at == '|') ++at;
    if (strncmp(at, value, length) == 0 && (at[length] == '|' || at[length] == '\0')) return true;
  }
  return false;
}

bool ParseNumber(const char* value, int64_t least, int64_t most, int64_t& number) {
  int64_t result = 0;
  if (*value == '\0') return false;
  for (; *value != '\0'; ++value) {
    if (*value < '0' || *value > '9') return false;
    result = result * 10 + (*value - '0');
    if (result > most) return false;
  }
  number = result;
  return result >= least;
}

bool IsSwitch(const char* key) {
#define TASKRACE_CHOICE(name, default_value, values, help)
#define TASKRACE_NUMBER(name, default_value, least, most, help) \
  if (least == 0 && most == 1 && strcmp(key, #name) == 0) return true;
#define TASKRACE_TEXT(name, default_value, ...)
#include "report/options.def"
#undef TASKRACE_CHOICE
#undef TASKRACE_NUMBER
#undef TASKRACE_TEXT
  return false;
}

// As in report/options.cc.
constexpr char kSeparators[] = ":, \t\n";
constexpr char kNameEnds[] = "=:, \t\n";

// Copies the next value, quoted or up to the next separator; returns what follows, or
// null if it does not fit.
const char* TakeValue(const char* at, char* value, size_t room) {
  const char quote = *at == '\'' || *at == '"' ? *at++ : '\0';
  size_t length = 0;
  const char ends[] = {quote, '\0'};
  for (const char* end = at + strcspn(at, quote ? ends : kSeparators); at != end; ++at) {
    if (length + 1 == room) return nullptr;
    value[length++] = *at;
  }
  value[length] = '\0';
  if (quote != '\0') {
    if (*at != quote) return nullptr;
    ++at;
  }
  return at;
}

}  // namespace

bool Options::Parse(const char* text, char* problem, int problem_size) {
  while (text != nullptr) {
    text += strspn(text, kSeparators);
    if (*text == '\0') break;
    char key[64], value[kTextSize];
    const size_t length = strcspn(text, kNameEnds);
    if (length >= sizeof(key)) {
      snprintf(problem, problem_size, "TASKRACE_OPTIONS: unknown option '%.64s...'", text);
      return false;
    }
    memcpy(key, text, length);
    key[length] = '\0';
    // A switch stands for itself; anything else without a value is refused below.
    const bool has_value = text[length] == '=';
    if (has_value) {
      text = TakeValue(text + length + 1, value, sizeof(value));
    } else {
      text += length;
      strcpy(value, IsSwitch(key) ? "1" : "");
    }
    if (text == nullptr) {
      snprintf(problem, problem_size,
               "TASKRACE_OPTIONS: the value of '%s' has no end or is too long", key);
      return false;
    }
#define TASKRACE_CHOICE(name, default_value, values, help)                                         \
  if (strcmp(key, #name) == 0) {                                                                   \
    if (!IsOneOf(value, values)) {                                                                 \
      snprintf(problem, problem_size, "TASKRACE_OPTIONS: %s='%.64s' is not one of %s", key, value, \
               values);                                                                            \
      return false;                                                                                \
    }                                                                                              \
    strcpy(name, value);                                                                           \
    continue;                                                                                      \
  }
#define TASKRACE_NUMBER(name, default_value, least, most, help)                              \
  if (strcmp(key, #name) == 0) {                                                             \
    if (!ParseNumber(value, least, most, name)) {                                            \
      snprintf(problem, problem_size,                                                        \
               "TASKRACE_OPTIONS: %s='%.64s' is not a number from %lld to %lld", key, value, \
               static_cast<long long>(least), static_cast<long long>(most));                 \
      return false;                                                                          \
    }                                                                                        \
    continue;                                                                                \
  }
#define TASKRACE_TEXT(name, default_value, ...)                                                 \
  if (strcmp(key, #name) == 0) {                                                                \
    if (value[0] == '\0') {                                                                     \
      snprintf(problem, problem_size, "TASKRACE_OPTIONS: option %s has no value; write %s=...", \
               key, key);                                                                       \
      return false;                                                                             \
    }                                                                                           \
    strcpy(name, value);                                                                        \
    continue;                                                                                   \
  }
#include "report/options.def"
#undef TASKRACE_CHOICE
#undef TASKRACE_NUMBER
#undef TASKRACE_TEXT
    snprintf(problem, problem_size,
             "TASKRACE_OPTIONS: unknown option '%s'; 'taskrace help run' lists them", key);
    return false;
  }
#define TASKRACE_CHOICE(name, default_value, values, help)
#define TASKRACE_NUMBER(name, default_value, least, most, help)
#define TASKRACE_TEXT(name, default_value, ...)
#define TASKRACE_CONFLICT(condition, text)                         \
  if (condition) {                                                 \
    snprintf(problem, problem_size, "TASKRACE_OPTIONS: %s", text); \
    return false;                                                  \
  }
#include "report/options.def"
#undef TASKRACE_CHOICE
#undef TASKRACE_NUMBER
#undef TASKRACE_TEXT
  return true;
}

}  // namespace taskrace
