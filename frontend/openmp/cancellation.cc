// Cancellation of regions, worksharing loops, sections and taskgroups, if OMP_CANCELLATION says so.
//
// A request is seen at once: by all cancellation points and barriers of the team, and by tasks of the taskgroup that
// begin later. Which iterations and tasks still run depends on the schedule, so the report then claims less.

#include "frontend/openmp/settings.h"
#include "frontend/openmp/tasks.h"

using namespace taskrace::openmp;

namespace {

// As clang says what is cancelled.
enum Kind : int32_t { kParallel = kWholeRegion, kLoop = 2, kSections = 3, kTaskgroup = 4 };

bool IsKnown(int32_t kind) { return kind >= kParallel && kind <= kTaskgroup; }

}  // namespace

OPENMP_ENTRY int omp_get_cancellation() { return TheSettings().cancels ? 1 : 0; }

OPENMP_ENTRY int32_t __kmpc_cancel(Ident*, int32_t, int32_t kind) {
  if (!TheSettings().cancels || !IsKnown(kind)) return 0;
  Runtime().Warn(
      "a construct is cancelled: another schedule may run iterations or tasks that this one leaves "
      "out",
      OPENMP_CALLER);
  if (kind == kTaskgroup) return CancelTaskgroup() ? 1 : 0;
  int32_t& cancelled = Here().team->cancelled;
  if (cancelled == 0) cancelled = kind;
  return cancelled == kind ? 1 : 0;
}

OPENMP_ENTRY int32_t __kmpc_cancellationpoint(Ident*, int32_t, int32_t kind) {
  if (!TheSettings().cancels || !IsKnown(kind)) return 0;
  if (kind == kTaskgroup) return IsTaskgroupCancelled() ? 1 : 0;
  return Here().team->cancelled == kind ? 1 : 0;
}

OPENMP_ENTRY int32_t __kmpc_cancel_barrier(Ident*, int32_t) {
  Barrier();
  Team& team = *Here().team;
  if (team.cancelled == 0) return 0;
  // A cancelled region ends with its team. A loop is over when all threads have left it.
  if (team.cancelled == kParallel) return 1;
  Barrier();
  team.cancelled = 0;
  Barrier();
  return 1;
}
