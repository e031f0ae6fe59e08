// The options of a run, from TASKRACE_OPTIONS. The table is report/options.def.
#pragma once

#include <cstdint>

namespace taskrace {

struct Options {
  static constexpr int kTextSize = 4096;  // PATH_MAX
#define TASKRACE_CHOICE(name, default_value, values, help) char name[32] = default_value;
#define TASKRACE_NUMBER(name, default_value, least, most, help) int64_t name = default_value;
#define TASKRACE_TEXT(name, default_value, ...) char name[kTextSize] = default_value;
#include "report/options.def"
#undef TASKRACE_CHOICE
#undef TASKRACE_NUMBER
#undef TASKRACE_TEXT

  // Takes name=value:name='value':switch. Returns true, or false with one line about what is wrong.
  bool Parse(const char* text, char* problem, int problem_size);
};

}  // namespace taskrace
