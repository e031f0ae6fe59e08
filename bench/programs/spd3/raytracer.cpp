// raytracer: a picture of 64 spheres with shadows and reflections.
// From:   SPD3 (RayTracer, size B: 500 x 500), after Java Grande.
// Tasks:  one async a row of the picture. Every row has a checksum of its own.
#include <algorithm>
#include <array>
#include <cmath>
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

constexpr int kDeepest = 5;

struct Vector {
  double x, y, z;

  friend Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vector operator*(double a, Vector b) { return {a * b.x, a * b.y, a * b.z}; }
};

double Dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vector Unit(Vector a) { return 1.0 / std::sqrt(Dot(a, a)) * a; }

struct Sphere {
  Vector centre;
  double radius;
  Vector colour;
};

struct Ray {
  Vector from, along;  // along is of length 1
};

class Scene {
 public:
  // Spheres in a cube of 4 x 4 x 4, and two lights.
  Scene() : lights_{{{100, 80, -120}, {-60, 120, -100}}} {
    for (int i = 0; i < 64; ++i) {
      const double x = i % 4, y = i / 4 % 4, z = i / 16;
      spheres_.push_back(
          {{4 * x - 6, 4 * y - 6, 5 * z}, 1.6, {.3 + .2 * x, .3 + .2 * y, .9 - .2 * z}});
    }
  }

  // The colour that comes along the ray.
  Vector Trace(const Ray& ray, int depth) const {
    double distance = 0.0;
    const Sphere* const sphere = Nearest(ray, distance);
    if (sphere == nullptr) return {0.05, 0.05, 0.1};
    const Vector point = ray.from + distance * ray.along;
    const Vector normal = Unit(point - sphere->centre);
    double light = 0.1;
    for (const Vector& lamp : lights_) {
      const Ray to_lamp = {point + 1e-6 * normal, Unit(lamp - point)};
      const double facing = Dot(normal, to_lamp.along);
      double blocked = 0.0;
      if (facing > 0.0 && Nearest(to_lamp, blocked) == nullptr) light += 0.5 * facing;
    }
    Vector colour = light * sphere->colour;
    if (depth < kDeepest) {
      const Ray mirrored = {point + 1e-6 * normal,
                            Unit(ray.along - 2.0 * Dot(ray.along, normal) * normal)};
      colour = colour + 0.3 * Trace(mirrored, depth + 1);
    }
    return colour;
  }

 private:
  // The sphere that the ray meets first, or null.
  const Sphere* Nearest(const Ray& ray, double& distance) const {
    const Sphere* nearest = nullptr;
    for (const Sphere& sphere : spheres_) {
      const Vector away = sphere.centre - ray.from;
      const double along = Dot(away, ray.along);
      const double inside = along * along - Dot(away, away) + sphere.radius * sphere.radius;
      if (inside < 0.0) continue;
      const double met = along - std::sqrt(inside);
      if (met <= 0.0 || (nearest != nullptr && met >= distance)) continue;
      nearest = &sphere;
      distance = met;
    }
    return nearest;
  }

  std::vector<Sphere> spheres_;
  std::array<Vector, 2> lights_;
};

// A colour as 0xRRGGBB.
unsigned Pixel(const Scene& scene, long size, long row, long column) {
  const double scale = 24.0 / static_cast<double>(size);
  const Vector eye = {2, 3, -30};
  const Vector target = {scale * static_cast<double>(column) - 12.0,
                         12.0 - scale * static_cast<double>(row), 0.0};
  const Vector colour = scene.Trace({eye, Unit(target - eye)}, 0);
  const auto byte = [](double value) {
    return static_cast<unsigned>(255.0 * std::clamp(value, 0.0, 1.0));
  };
  return byte(colour.x) << 16 | byte(colour.y) << 8 | byte(colour.z);
}

int main(int argc, char** argv) {
  const bench::Run<1> run("raytracer",
                          {.parameters = {"size"}, .test = {24}, .small = {800}, .paper = {500}},
                          argc, argv);
  const auto [size] = run.arguments();
  const Scene scene;
  std::vector<unsigned> picture(static_cast<std::size_t>(size * size));
  std::vector<long> checksum(static_cast<std::size_t>(size));
  run.Kernel([&, size = size] {
    taskrace::finish([&] {
      for (long row = 0; row < size; ++row) {
        taskrace::async([&, size, row] {
          long sum = 0;
          for (long column = 0; column < size; ++column) {
            const unsigned pixel = Pixel(scene, size, row, column);
            picture[row * size + column] = pixel;
            sum += (pixel >> 16) + (pixel >> 8 & 0xff) + (pixel & 0xff);
          }
          // Seeded race: spd3/raytracer
          checksum[bench::kSeeded ? 0 : row] += sum;
        });
      }
    });
  });
  long sum = 0, expected = 0;
  for (const long row : checksum) sum += row;
  for (const unsigned pixel : picture) {
    expected += (pixel >> 16) + (pixel >> 8 & 0xff) + (pixel & 0xff);
  }
  bool right = sum == expected;
  for (long i = 0; i < size * size; i += 97) {
    right = right && picture[i] == Pixel(scene, size, i / size, i % size);
  }
  return run.Result(right, static_cast<double>(sum));
}
