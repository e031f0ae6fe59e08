// Tracking of points on the wall of a heart through a sequence of ultrasound images, but for the
// tasks: the images, which are generated, and the search for one point in one image.
//
// The images are speckles that move towards the centre and back, with noise. A point is
// searched by comparing the patch around it in the first image with the patches around all places
// near the one where its neighbours and itself were last; the smallest sum of squares wins.
//
// Thread rule: all but the construction is const; who searches owns what it is given to write.
// Cost: a search (2 search + 1)^2 (2 patch + 1)^2 multiplications.
#ifndef TASKRACE_BENCH_PROGRAMS_KERNELS_HEARTWALL_H
#define TASKRACE_BENCH_PROGRAMS_KERNELS_HEARTWALL_H

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "../common.h"

namespace bench {

// The paper has ten images; as many points, and as large patches and searches, as Rodinia's program
// has, which makes the reads that the paper counts.
inline constexpr Sizes<4> kHeartwallSizes = {.parameters = {"images", "points", "patch", "search"},
                                             .test = {4, 12, 8, 8},
                                             .small = {8, 51, 25, 20},
                                             .paper = {10, 51, 25, 40}};

struct Place {
  long x, y;

  bool operator==(const Place&) const = default;
};

// A place and how well it fits: the smaller, the better.
struct Match {
  Place place;
  float distance = std::numeric_limits<float>::max();

  // The better one; of equal ones the first.
  static Match Better(const Match& a, const Match& b) { return b.distance < a.distance ? b : a; }
};

// A number that a change of any place changes.
inline double Checksum(const std::vector<Place>& places) {
  long sum = 0;
  for (const Place place : places) sum = 3 * sum % 1'000'003 + 1000 * place.x + place.y;
  return static_cast<double>(sum);
}

class Heartwall {
 public:
  // A search is done in bands of rows, in parallel.
  static constexpr long kBands = 8;

  static bool Fits(long patch, long search) { return patch <= 25 && search <= kMaxSearch; }

  // Requires: Fits(patch, search).
  Heartwall(long images, long points, long patch, long search)
      : points_(points), patch_(patch), search_(search) {
    MakeSpeckles();
    for (long image = 0; image <= images; ++image) images_.push_back(MakeImage(image));
    for (long point = 0; point < points; ++point) start_.push_back(PlaceOf(point, 0));
  }

  // How many images come after the first one, number 0.
  long images() const { return static_cast<long>(images_.size()) - 1; }
  long points() const { return points_; }
  // Where a point is in the first image.
  Place Start(long point) const { return start_[point]; }
  const std::vector<Place>& Starts() const { return start_; }
  // The neighbours on the wall, which is closed.
  long Before(long point) const { return (point + points_ - 1) % points_; }
  long After(long point) const { return (point + 1) % points_; }

  // The centre of the search for a point, from where it and its neighbours were last.
  Place Expect(long point, Place before, Place here, Place after) const {
    const Place from_before = Start(Before(point)), from = Start(point);
    const Place from_after = Start(After(point));
    const long x = before.x - from_before.x + 2 * (here.x - from.x) + after.x - from_after.x;
    const long y = before.y - from_before.y + 2 * (here.y - from.y) + after.y - from_after.y;
    return {from.x + x / 4, from.y + y / 4};
  }

  // The best place among those of one band of rows around the centre.
  Match SearchBand(long image, long point, Place centre, long band) const {
    const long rows = 2 * search_ + 1;
    const long first = band * rows / kBands - search_, end = (band + 1) * rows / kBands - search_;
    Match best;
    for (long dy = first; dy < end; ++dy) {
      best = Match::Better(best, SearchRow(image, point, {centre.x, centre.y + dy}));
    }
    return best;
  }

  // Whether the points are found where they really are, give or take two pixels.
  bool AreRight(long image, const std::vector<Place>& found) const {
    for (long point = 0; point < points_; ++point) {
      const Place real = PlaceOf(point, image), place = found[point];
      if (std::labs(place.x - real.x) > 2 || std::labs(place.y - real.y) > 2) return false;
    }
    return true;
  }

 private:
  static constexpr long kWidth = 744, kHeight = 656;
  static constexpr long kMaxSearch = 40, kMaxColumns = 2 * kMaxSearch + 1;
  static constexpr double kCentreX = kWidth / 2.0, kCentreY = kHeight / 2.0;

  using Image = std::vector<float>;

  // How much farther from the centre everything is than in the first image.
  static double Stretch(long image) {
    return 1.0 - 0.06 * std::sin(2.0 * std::numbers::pi * static_cast<double>(image) / 20.0);
  }

  // Two ellipses: the inner wall has 20 of 51 points.
  Place PlaceOf(long point, long image) const {
    const long inner = points_ * 20 / 51;
    const bool is_inner = point < inner;
    const double part =
        is_inner ? static_cast<double>(point) / static_cast<double>(inner)
                 : static_cast<double>(point - inner) / static_cast<double>(points_ - inner);
    const double angle = 2.0 * std::numbers::pi * part, radius = is_inner ? 110.0 : 180.0;
    const double stretch = Stretch(image);
    return {std::lround(kCentreX + stretch * 1.15 * radius * std::cos(angle)),
            std::lround(kCentreY + stretch * radius * std::sin(angle))};
  }

  // Noise, made smooth along and across, so that a patch fits where it nearly is.
  void MakeSpeckles() {
    Random random(1);
    Image noise(static_cast<std::size_t>(kWidth * kHeight));
    for (float& pixel : noise) pixel = static_cast<float>(256.0 * random.Uniform());
    Image along = noise;
    for (long i = 4; i < kWidth * kHeight - 4; ++i) {
      float sum = 0.0f;
      for (long d = -4; d <= 4; ++d) sum += noise[i + d];
      along[i] = sum / 9.0f;
    }
    speckles_ = along;
    for (long i = 4 * kWidth; i < (kHeight - 4) * kWidth; ++i) {
      float sum = 0.0f;
      for (long d = -4; d <= 4; ++d) sum += along[i + d * kWidth];
      speckles_[i] = sum / 9.0f;
    }
  }

  Image MakeImage(long image) const {
    Random random(2 + image);
    Image pixels(speckles_.size());
    const double stretch = Stretch(image);
    for (long y = 0; y < kHeight; ++y) {
      for (long x = 0; x < kWidth; ++x) {
        const double from_x = kCentreX + (static_cast<double>(x) - kCentreX) / stretch;
        const double from_y = kCentreY + (static_cast<double>(y) - kCentreY) / stretch;
        const long column = std::clamp(std::lround(from_x), 0L, kWidth - 1);
        const long row = std::clamp(std::lround(from_y), 0L, kHeight - 1);
        pixels[y * kWidth + x] =
            speckles_[row * kWidth + column] + static_cast<float>(random.Uniform());
      }
    }
    return pixels;
  }

  // The best place among those to the left and to the right of the centre. All of them at
  // once, pixel by pixel of the patch.
  Match SearchRow(long image, long point, Place centre) const {
    const Place start = Start(point);
    const long columns = 2 * search_ + 1, side = 2 * patch_ + 1;
    std::array<float, kMaxColumns> distances = {};
    for (long row = 0; row < side; ++row) {
      const float* const patch = Pixels(0, start.x - patch_, start.y - patch_ + row);
      const float* const here = Pixels(image, centre.x - search_ - patch_, centre.y - patch_ + row);
      for (long column = 0; column < side; ++column) {
        const float pixel = patch[column];
        const float* const shifted = here + column;
        for (long dx = 0; dx < columns; ++dx) {
          const float difference = shifted[dx] - pixel;
          distances[dx] += difference * difference;
        }
      }
    }
    Match best;
    for (long dx = 0; dx < columns; ++dx) {
      const Place place = {centre.x + dx - search_, centre.y};
      best = Match::Better(best, {place, distances[dx]});
    }
    return best;
  }

  const float* Pixels(long image, long x, long y) const {
    return images_[image].data() + y * kWidth + x;
  }

  long points_, patch_, search_;
  Image speckles_;
  std::vector<Image> images_;
  std::vector<Place> start_;
};

}  // namespace bench

#endif
