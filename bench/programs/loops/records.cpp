// records: particles that fall, fly and bounce, one struct each.
// Loops:  one iteration a particle, which reads and writes some of its fields. The seeded sibling
//         looks at the next particle's speed.
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

struct Particle {
  double x, y, z;
  double vx, vy, vz;
  int bounces;
};

constexpr double kStep = 0.01, kGravity = 9.81;

int main(int argc, char** argv) {
  const bench::Run<2> run("records",
                          {.parameters = {"particles", "rounds"},
                           .test = {500, 4},
                           .small = {1'000'000, 30},
                           .paper = {1'000'000, 120}},
                          argc, argv);
  const auto [count, rounds] = run.arguments();
  std::vector<Particle> particles(static_cast<std::size_t>(count));
  bench::Random random(4);
  for (Particle& p : particles) {
    p.x = random.Uniform();
    p.y = random.Uniform();
    p.z = random.Uniform();
    p.vx = random.Uniform() - 0.5;
    p.vy = random.Uniform() - 0.5;
    p.vz = 4 * random.Uniform();
  }
  const std::vector<Particle> before = particles;
  run.Kernel([&, rounds = rounds] {
    for (long round = 0; round < rounds; ++round) {
      taskrace::parallel_for(std::size_t{0}, particles.size(), [&](std::size_t i) {
        Particle& p = particles[i];
        const Particle& falling = particles[bench::kSeeded ? (i + 1) % particles.size() : i];
        p.x += kStep * p.vx;
        p.y += kStep * p.vy;
        // Seeded race: loops/records
        p.z += kStep * falling.vz;
        // Seeded race: loops/records
        p.vz -= kStep * kGravity;
        if (p.z < 0) {
          p.z = -p.z;
          // Seeded race, possibly: loops/records
          p.vz = -p.vz;
          ++p.bounces;
        }
      });
    }
  });
  bool right = true;
  double sum = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    Particle p = before[i];
    for (long round = 0; round < rounds; ++round) {
      p.z += kStep * p.vz;
      p.vz -= kStep * kGravity;
      if (p.z < 0) {
        p.z = -p.z;
        p.vz = -p.vz;
        ++p.bounces;
      }
    }
    right = right && bench::Close(p.z, particles[i].z, 1e-9) && p.bounces == particles[i].bounces;
    sum += particles[i].x + particles[i].z;
  }
  return run.Result(right, sum);
}
