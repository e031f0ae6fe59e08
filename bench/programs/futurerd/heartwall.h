// The search for one point of the heart's wall in one image, by a future a band of rows: what both
// variants of heartwall do in a point's task.
//
// Thread rule: any task. Cost: Heartwall::kBands futures, each got once.
#ifndef TASKRACE_BENCH_PROGRAMS_FUTURERD_HEARTWALL_H
#define TASKRACE_BENCH_PROGRAMS_FUTURERD_HEARTWALL_H

#include <array>
#include <taskrace/tasks.hpp>

#include "../kernels/heartwall.h"

namespace bench {

inline Place Track(const Heartwall& heart, long image, long point, Place centre) {
  std::array<taskrace::future<Match>, Heartwall::kBands> bands;
  for (long band = 0; band < Heartwall::kBands; ++band) {
    bands[band] =
        taskrace::make_future([=, &heart] { return heart.SearchBand(image, point, centre, band); });
  }
  Match best;
  for (auto& band : bands) best = Match::Better(best, band.get());
  return best.place;
}

}  // namespace bench

#endif
