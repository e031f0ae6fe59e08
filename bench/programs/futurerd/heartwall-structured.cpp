// heartwall: tracks points on the wall of a heart through ultrasound images, with structured
// futures.
// From:   FutureRD (10 images), after Rodinia.
// Tasks:  a future a point and image, got before those of the next image are made; in it a future
//         for each of eight bands of the search. Each is got once.
#include <taskrace/tasks.hpp>
#include <utility>
#include <vector>

#include "heartwall.h"

using bench::Heartwall;
using bench::Place;

// Where the points are in the last image.
std::vector<Place> TrackAll(const Heartwall& heart) {
  std::vector<Place> places = heart.Starts(), next(places.size());
  std::vector<taskrace::future<Place>> pending(places.size());
  for (long image = 1; image <= heart.images(); ++image) {
    for (long point = 0; point < heart.points(); ++point) {
      pending[point] = taskrace::make_future([&, image, point] {
        // Seeded race: futurerd/heartwall-structured
        const Place before = places[heart.Before(point)];
        const Place here = places[point];
        // Seeded race: futurerd/heartwall-structured
        const Place after = places[heart.After(point)];
        return Track(heart, image, point, heart.Expect(point, before, here, after));
      });
    }
    std::vector<Place>& found = bench::kSeeded ? places : next;
    // Seeded race: futurerd/heartwall-structured
    for (long point = 0; point < heart.points(); ++point) found[point] = pending[point].get();
    if (!bench::kSeeded) std::swap(places, next);
  }
  return places;
}

int main(int argc, char** argv) {
  const bench::Run<4> run("heartwall-structured", bench::kHeartwallSizes, argc, argv);
  const auto [images, points, patch, search] = run.arguments();
  run.Require(Heartwall::Fits(patch, search), "a patch is at most 25, a search at most 40");
  const Heartwall heart(images, points, patch, search);
  std::vector<Place> places;
  run.Kernel([&] { places = TrackAll(heart); });
  return run.Result(heart.AreRight(images, places), bench::Checksum(places));
}
