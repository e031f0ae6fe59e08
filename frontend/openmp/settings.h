// What the environment says: OMP_NUM_THREADS and its kin.
#pragma once

#include "frontend/openmp/team.h"

namespace taskrace::openmp {

struct Settings {
  Variables variables;  // of the initial tasks
  int32_t threads;      // what the environment or the default says
  int32_t thread_limit;
  int32_t teams;  // of a league
  int32_t teams_thread_limit;
  bool cancels;  // cancellation has an effect
};

// Read when first asked for.
Settings& TheSettings();

}  // namespace taskrace::openmp
