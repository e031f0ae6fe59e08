// moldyn: molecular dynamics of argon atoms in a periodic box.
// From:   SPD3 (MolDyn, size B: 8788 atoms, 50 steps), after Java Grande.
// Tasks:  one async an atom in every step, which adds up the forces of all others on it.
//         Moving the atoms is serial.
#include <algorithm>
#include <cmath>
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

constexpr double kDensity = 0.83134, kTemperature = 0.722, kStep = 0.002;

struct Vector {
  double x, y, z;
};

// Atoms of mass 1 with the Lennard-Jones potential, in its units.
class Atoms {
 public:
  // Four atoms in each of cells^3 cells, at rest as a whole.
  explicit Atoms(long cells)
      : count_(4 * cells * cells * cells),
        side_(std::cbrt(static_cast<double>(count_) / kDensity)),
        cutoff_(std::min(2.5, side_ / 2)),
        position_(static_cast<std::size_t>(count_)),
        velocity_(position_.size()),
        force_(position_.size()),
        potential_(position_.size()) {
    const double edge = side_ / static_cast<double>(cells);
    const Vector places[4] = {{0, 0, 0}, {0, .5, .5}, {.5, 0, .5}, {.5, .5, 0}};
    long next = 0;
    for (long i = 0; i < cells; ++i) {
      for (long j = 0; j < cells; ++j) {
        for (long k = 0; k < cells; ++k) {
          for (const Vector& place : places) {
            position_[next++] = {(static_cast<double>(i) + place.x) * edge,
                                 (static_cast<double>(j) + place.y) * edge,
                                 (static_cast<double>(k) + place.z) * edge};
          }
        }
      }
    }
    bench::Random random(static_cast<std::uint64_t>(count_));
    Vector sum = {0, 0, 0};
    for (Vector& velocity : velocity_) {
      const double scale = std::sqrt(12.0 * kTemperature);
      velocity = {scale * (random.Uniform() - .5), scale * (random.Uniform() - .5),
                  scale * (random.Uniform() - .5)};
      sum = {sum.x + velocity.x, sum.y + velocity.y, sum.z + velocity.z};
    }
    const double share = 1.0 / static_cast<double>(count_);
    for (Vector& velocity : velocity_) {
      velocity = {velocity.x - sum.x * share, velocity.y - sum.y * share,
                  velocity.z - sum.z * share};
    }
  }

  // One step of the velocity Verlet method. Requires: the forces are those of the positions.
  void Step() {
    Push();
    for (long i = 0; i < count_; ++i) {
      const Vector& velocity = velocity_[i];
      Vector& position = position_[i];
      position = {Inside(position.x + kStep * velocity.x), Inside(position.y + kStep * velocity.y),
                  Inside(position.z + kStep * velocity.z)};
    }
    ComputeForces();
    Push();
  }

  void ComputeForces() {
    taskrace::finish([&] {
      for (long i = 0; i < count_; ++i) taskrace::async([this, i] { ComputeForce(i); });
    });
  }

  double Energy() const {
    double energy = 0.0;
    for (long i = 0; i < count_; ++i) {
      const Vector& v = velocity_[i];
      energy += 0.5 * (v.x * v.x + v.y * v.y + v.z * v.z) + 0.5 * potential_[i];
    }
    return energy;
  }

  // Whether the forces are those that the pairs of atoms, each seen once, exert on both.
  bool ForcesAreRight() const {
    std::vector<Vector> expected(force_.size());
    for (long i = 0; i < count_; ++i) {
      for (long j = i + 1; j < count_; ++j) {
        const Pair pair = Between(position_[i], position_[j]);
        Add(expected[i], pair.force, 1.0);
        Add(expected[j], pair.force, -1.0);
      }
    }
    for (long i = 0; i < count_; ++i) {
      if (!bench::Close(force_[i].x, expected[i].x, 1e-7)) return false;
      if (!bench::Close(force_[i].y, expected[i].y, 1e-7)) return false;
      if (!bench::Close(force_[i].z, expected[i].z, 1e-7)) return false;
    }
    return true;
  }

 private:
  struct Pair {
    Vector force;
    double potential;
  };

  static void Add(Vector& to, const Vector& vector, double factor) {
    to.x += factor * vector.x;
    to.y += factor * vector.y;
    to.z += factor * vector.z;
  }

  double Inside(double x) const { return x < 0 ? x + side_ : x >= side_ ? x - side_ : x; }
  // The distance to the nearest image of the other atom.
  double Nearest(double distance) const {
    if (distance > side_ / 2) return distance - side_;
    if (distance < -side_ / 2) return distance + side_;
    return distance;
  }

  // What the atom at b does to the one at a.
  Pair Between(const Vector& a, const Vector& b) const {
    const double x = Nearest(a.x - b.x), y = Nearest(a.y - b.y), z = Nearest(a.z - b.z);
    const double square = x * x + y * y + z * z;
    if (square >= cutoff_ * cutoff_) return {{0, 0, 0}, 0};
    const double inverse = 1.0 / square, sixth = inverse * inverse * inverse;
    const double scale = 48.0 * sixth * (sixth - 0.5) * inverse;
    return {{x * scale, y * scale, z * scale}, 4.0 * sixth * (sixth - 1.0)};
  }

  // The force of all other atoms on atom i.
  void ComputeForce(long i) {
    const Vector here = position_[i];
    Vector force = {0, 0, 0};
    double potential = 0.0;
    for (long j = 0; j < count_; ++j) {
      if (j == i) continue;
      const Pair pair = Between(here, position_[j]);
      Add(force, pair.force, 1.0);
      potential += pair.potential;
    }
    force_[i] = force;
    // Seeded race: spd3/moldyn
    potential_[bench::kSeeded ? 0 : i] = potential;
  }

  // Half a step of the velocities.
  void Push() {
    for (long i = 0; i < count_; ++i) Add(velocity_[i], force_[i], 0.5 * kStep);
  }

  long count_;
  double side_, cutoff_;
  std::vector<Vector> position_, velocity_, force_;
  std::vector<double> potential_;
};

int main(int argc, char** argv) {
  const bench::Run<2> run(
      "moldyn",
      {.parameters = {"cells", "steps"}, .test = {3, 5}, .small = {7, 50}, .paper = {13, 50}}, argc,
      argv);
  const auto [cells, steps] = run.arguments();
  run.Require(cells >= 3, "at least 3 cells a side");
  Atoms atoms(cells);
  double before = 0.0;
  run.Kernel([&, steps = steps] {
    atoms.ComputeForces();
    before = atoms.Energy();
    for (long step = 0; step < steps; ++step) atoms.Step();
  });
  const double after = atoms.Energy();
  return run.Result(bench::Close(before, after, 0.02) && atoms.ForcesAreRight(), after);
}
