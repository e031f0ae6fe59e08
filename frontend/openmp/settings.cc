#include "frontend/openmp/settings.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

namespace taskrace::openmp {
namespace {

// The same on every machine, so that a run is the same everywhere.
constexpr int32_t kThreads = 4;
constexpr int32_t kTeams = 2;
constexpr int32_t kMostThreads = 1024;

// The first number of the variable, if it is at least `least`.
int32_t Number(const char* name, int32_t otherwise, int32_t least) {
  const char* text = getenv(name);
  if (text == nullptr) return otherwise;
  char* end;
  const long number = strtol(text, &end, 10);
  return end == text || number < least || number > INT_MAX ? otherwise
                                                           : static_cast<int32_t>(number);
}

bool IsTrue(const char* name) {
  const char* text = getenv(name);
  return text != nullptr && (strcasecmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

// "[modifier:]kind[,chunk]"
void ReadSchedule(Variables& variables) {
  variables.schedule = kStatic;
  variables.chunk = 0;
  const char* text = getenv("OMP_SCHEDULE");
  if (text == nullptr) return;
  if (const char* colon = strchr(text, ':')) text = colon + 1;
  while (*text == ' ') ++text;
  static constexpr struct {
    const char* name;
    int32_t schedule;
  } kKinds[] = {{"static", kStatic}, {"dynamic", kDynamic}, {"guided", kGuided}, {"auto", kAuto}};
  for (const auto& kind : kKinds) {
    if (strncasecmp(text, kind.name, strlen(kind.name)) == 0) variables.schedule = kind.schedule;
  }
  if (const char* comma = strchr(text, ',')) {
    const long chunk = strtol(comma + 1, nullptr, 10);
    if (chunk > 0 && chunk <= INT_MAX) variables.chunk = static_cast<int32_t>(chunk);
  }
}

}  // namespace

Settings& TheSettings() {
  static Settings settings;
  static bool is_read = false;
  if (is_read) return settings;
  is_read = true;
  settings.thread_limit = Number("OMP_THREAD_LIMIT", kMostThreads, 1);
  if (settings.thread_limit > kMostThreads) settings.thread_limit = kMostThreads;
  settings.threads = Number("OMP_NUM_THREADS", kThreads, 1);
  settings.teams = Number("OMP_NUM_TEAMS", kTeams, 1);
  settings.teams_thread_limit = Number("OMP_TEAMS_THREAD_LIMIT", 0, 1);
  settings.cancels = IsTrue("OMP_CANCELLATION");
  settings.variables.threads = settings.threads;
  settings.variables.dynamic = IsTrue("OMP_DYNAMIC");
  // Several numbers in OMP_NUM_THREADS, and OMP_NESTED, ask for nested regions.
  const char* threads = getenv("OMP_NUM_THREADS");
  const bool nests =
      IsTrue("OMP_NESTED") || (threads != nullptr && strchr(threads, ',') != nullptr);
  settings.variables.most_active_levels = Number("OMP_MAX_ACTIVE_LEVELS", nests ? INT_MAX : 1, 0);
  ReadSchedule(settings.variables);
  return settings;
}

}  // namespace taskrace::openmp
