// heartwall: tracks points on the wall of a heart through ultrasound images, with general futures.
// From:   FutureRD (10 images), after Rodinia.
// Tasks:  a future a point and image, which gets those of the point and its two neighbours in the
//         image before: no image waits for another. In it a future for each of eight bands of
//         the search.
#include <taskrace/tasks.hpp>
#include <vector>

#include "heartwall.h"

using bench::Heartwall;
using bench::Place;

// The points of an image: where they are, and who finds it out.
struct Wall {
  std::vector<Place> places;
  std::vector<taskrace::shared_future<void>> tracked;  // none in the first image

  void WaitFor(long point) const {
    if (!tracked.empty()) tracked[point].get();
  }
};

Place TrackFrom(const Heartwall& heart, const Wall& last, long image, long point) {
  last.WaitFor(heart.Before(point));
  last.WaitFor(point);
  if (!bench::kSeeded) last.WaitFor(heart.After(point));
  const Place before = last.places[heart.Before(point)], here = last.places[point];
  // Seeded race: futurerd/heartwall-general
  const Place after = last.places[heart.After(point)];
  return Track(heart, image, point, heart.Expect(point, before, here, after));
}

// Where the points are in the last image.
std::vector<Place> TrackAll(const Heartwall& heart) {
  std::vector<Wall> walls(static_cast<std::size_t>(heart.images() + 1));
  walls[0].places = heart.Starts();
  for (long image = 1; image <= heart.images(); ++image) {
    const Wall& last = walls[image - 1];
    Wall& wall = walls[image];
    wall.places.resize(last.places.size());
    for (long point = 0; point < heart.points(); ++point) {
      wall.tracked.push_back(taskrace::make_future([&, image, point] {
        // Seeded race: futurerd/heartwall-general
        wall.places[point] = TrackFrom(heart, last, image, point);
      }));
    }
  }
  for (const Wall& wall : walls) {
    for (const auto& tracked : wall.tracked) tracked.get();
  }
  return walls.back().places;
}

int main(int argc, char** argv) {
  const bench::Run<4> run("heartwall-general", bench::kHeartwallSizes, argc, argv);
  const auto [images, points, patch, search] = run.arguments();
  run.Require(Heartwall::Fits(patch, search), "a patch is at most 25, a search at most 40");
  const Heartwall heart(images, points, patch, search);
  std::vector<Place> places;
  run.Kernel([&] { places = TrackAll(heart); });
  return run.Result(heart.AreRight(images, places), bench::Checksum(places));
}
