// delaunay: connects points of the plane to triangles whose circles have no other point inside,
//           by the method of Guibas and Stolfi (1985).
// Tasks:  the left half of the points is connected in parallel to the right half, and so on down to
//         two or three; then the creator joins the halves. Edges are made and deleted one by one.
//         The seeded sibling counts them.
#include <algorithm>
#include <taskrace/tasks.hpp>
#include <utility>
#include <vector>

#include "../common.h"

// On a grid, so that all decisions are exact.
struct Point {
  long x, y;
};

// Whether c lies to the left of the way from a to b.
bool TurnsLeft(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) > (b.y - a.y) * (c.x - a.x);
}

// Whether d lies inside the circle through a, b and c, which turn left.
bool InCircle(const Point& a, const Point& b, const Point& c, const Point& d) {
  const auto minor = [&](const Point& p, const Point& q) {
    return static_cast<__int128>((p.x - d.x) * (q.y - d.y) - (q.x - d.x) * (p.y - d.y));
  };
  const auto square = [&](const Point& p) {
    return (p.x - d.x) * (p.x - d.x) + (p.y - d.y) * (p.y - d.y);
  };
  return square(a) * minor(b, c) + square(b) * minor(c, a) + square(c) * minor(a, b) > 0;
}

// One direction of an edge. Those that begin at the same point are a ring, anticlockwise.
struct Edge {
  const Point* from = nullptr;
  Edge* twin = nullptr;  // the other direction
  Edge* next = this;
  Edge* previous = this;

  const Point& From() const { return *from; }
  const Point& To() const { return *twin->from; }
  // The next edge of the face on the left, and on the right the one before.
  Edge* NextLeft() const { return twin->previous; }
  Edge* PreviousRight() const { return twin->next; }
  bool HasOnLeft(const Point& p) const { return TurnsLeft(From(), To(), p); }
  bool HasOnRight(const Point& p) const { return TurnsLeft(To(), From(), p); }
};

long edges_made = 0;

Edge* MakeEdge(const Point* from, const Point* to) {
  // Seeded race: irregular/delaunay
  if (bench::kSeeded) ++edges_made;
  Edge *const edge = new Edge, *const twin = new Edge;
  edge->from = from;
  edge->twin = twin;
  twin->from = to;
  twin->twin = edge;
  return edge;
}

void InsertBehind(Edge* place, Edge* edge) {
  edge->next = place->next;
  edge->previous = place;
  place->next->previous = edge;
  place->next = edge;
}

// A new edge from the end of a to the beginning of b; all three have the same face on the left.
Edge* Connect(Edge* a, Edge* b) {
  Edge* const edge = MakeEdge(a->twin->from, b->from);
  InsertBehind(a->NextLeft(), edge);
  InsertBehind(b, edge->twin);
  return edge;
}

void Delete(Edge* edge) {
  for (Edge* direction : {edge->twin, edge}) {
    direction->next->previous = direction->previous;
    direction->previous->next = direction->next;
  }
  delete edge->twin;
  delete edge;
}

// Of the edges around a part: one from its leftmost point, with everything on the left, and one
// from its rightmost, with everything on the right.
struct Ends {
  Edge *left, *right;
};

Ends ConnectThree(const Point* points) {
  Edge* const a = MakeEdge(&points[0], &points[1]);
  Edge* const b = MakeEdge(&points[1], &points[2]);
  InsertBehind(a->twin, b);
  if (a->HasOnLeft(points[2])) {
    Connect(b, a);
  } else if (a->HasOnRight(points[2])) {
    Edge* const c = Connect(b, a);
    return {c->twin, c};
  }
  return {a, b->twin};
}

// The first candidate that stays, among the edges at one end of the base. The others are deleted:
// the circle through the base and their end has the end of the one behind them inside.
Edge* Candidate(const Edge* base, Edge* edge, Edge* Edge::* behind) {
  if (!base->HasOnRight(edge->To())) return nullptr;
  while (InCircle(base->To(), base->From(), edge->To(), (edge->*behind)->To())) {
    Delete(std::exchange(edge, edge->*behind));
  }
  return edge;
}

Ends Join(Ends left, Ends right) {
  // The lowest edge that connects the two.
  Edge *from = right.left, *to = left.right;
  for (;;) {
    if (to->HasOnLeft(from->From())) {
      to = to->NextLeft();
    } else if (from->HasOnRight(to->From())) {
      from = from->PreviousRight();
    } else {
      break;
    }
  }
  Edge* base = Connect(from->twin, to);
  if (to->from == left.left->from) left.left = base->twin;
  if (from->from == right.right->from) right.right = base;
  // From there upwards.
  for (;;) {
    Edge* const on_left = Candidate(base, base->twin->next, &Edge::next);
    Edge* const on_right = Candidate(base, base->previous, &Edge::previous);
    if (on_left == nullptr && on_right == nullptr) return {left.left, right.right};
    if (on_left == nullptr || (on_right != nullptr && InCircle(on_left->To(), on_left->From(),
                                                               on_right->From(), on_right->To()))) {
      base = Connect(on_right, base->twin);
    } else {
      base = Connect(base->twin, on_left->twin);
    }
  }
}

// The points are sorted, and at least two.
Ends Triangulate(const Point* points, std::size_t count) {
  if (count == 2) {
    Edge* const edge = MakeEdge(&points[0], &points[1]);
    return {edge, edge->twin};
  }
  if (count == 3) return ConnectThree(points);
  Ends left;
  taskrace::scope tasks;
  tasks.spawn([&] { left = Triangulate(points, count / 2); });
  const Ends right = Triangulate(points + count / 2, count - count / 2);
  tasks.sync();
  return Join(left, right);
}

// All directions of all edges.
std::vector<Edge*> Collect(const std::vector<Point>& points, Edge* any) {
  std::vector<bool> seen(points.size());
  std::vector<Edge*> all, waiting = {any};
  while (!waiting.empty()) {
    Edge* const begin = waiting.back();
    waiting.pop_back();
    if (seen[begin->from - points.data()]) continue;
    seen[begin->from - points.data()] = true;
    Edge* edge = begin;
    do {
      all.push_back(edge);
      waiting.push_back(edge->twin);
      edge = edge->next;
    } while (edge != begin);
  }
  return all;
}

bool HasTriangleOnLeft(const Edge* edge) {
  return edge->NextLeft()->NextLeft()->NextLeft() == edge &&
         edge->HasOnLeft(edge->NextLeft()->To());
}

// All faces are triangles but the outer one, and no circle around two neighbours is wrong.
bool IsDelaunay(const std::vector<Edge*>& edges, std::size_t points) {
  std::size_t corners = 0;
  for (const Edge* edge : edges) {
    if (!HasTriangleOnLeft(edge)) continue;
    ++corners;
    if (HasTriangleOnLeft(edge->twin) &&
        InCircle(edge->From(), edge->To(), edge->NextLeft()->To(), edge->twin->NextLeft()->To())) {
      return false;
    }
  }
  const std::size_t around = edges.size() - corners;
  return corners % 3 == 0 && corners / 3 + 2 + around == 2 * points &&
         points + corners / 3 + 1 == edges.size() / 2 + 2;
}

std::vector<Point> RandomPoints(long count) {
  std::vector<Point> points(static_cast<std::size_t>(count));
  bench::Random random(10);
  for (Point& point : points) point = {random.Below(1L << 20), random.Below(1L << 20)};
  const auto key = [](const Point& p) { return std::pair(p.x, p.y); };
  std::sort(points.begin(), points.end(),
            [&](const Point& a, const Point& b) { return key(a) < key(b); });
  const auto same = [&](const Point& a, const Point& b) { return key(a) == key(b); };
  points.erase(std::unique(points.begin(), points.end(), same), points.end());
  return points;
}

int main(int argc, char** argv) {
  const bench::Run<1> run(
      "delaunay", {.parameters = {"points"}, .test = {500}, .small = {50'000}, .paper = {200'000}},
      argc, argv);
  run.Require(run.arguments()[0] >= 10, "at least 10 points");
  const std::vector<Point> points = RandomPoints(run.arguments()[0]);
  Edge* any = nullptr;
  run.Kernel([&] { any = Triangulate(points.data(), points.size()).left; });
  const std::vector<Edge*> edges = Collect(points, any);
  const bool right = IsDelaunay(edges, points.size());
  double length = static_cast<double>(edges_made);
  for (const Edge* edge : edges) {
    length += std::hypot(static_cast<double>(edge->From().x - edge->To().x),
                         static_cast<double>(edge->From().y - edge->To().y));
  }
  for (const Edge* edge : edges) delete edge;
  return run.Result(right, length);
}
