// Loads libtaskrace_tbb.so, which lies beside this library.
#pragma once

#include "exec/task_scheduler.h"

namespace taskrace {

// Null: it cannot be loaded, and dlerror() says why.
const TaskScheduler* LoadScheduler();

}  // namespace taskrace
