// A parallel loop that several workers run, its parts, and what the pass has moved out of them.
//
// Idea:       a part is a run of iterations that one worker runs in order, and has what was moved out of these
//             (moved_accesses.h). Whether iterations can meet is asked for the whole loop: the accesses
//             of a part go on in equal steps before and behind it. If they cannot, the part is told as one
//             strand, which is a number of its own beside those of the iterations; if they can, and if
//             accesses are left in the loop, each iteration's are told as its own.
//             Where nothing but the loop's iterations is parallel to them, parts that do not meet need not
//             be told at all. Whether other parts did go on in the same steps is seen at the loop's end: until
//             then the accesses wait here (LoneLoop).
//
//               b[i] = a[i] + 1       parts [0, 50) and [50, 100): 2 accesses each, 2 for the loop when joined
//               b[i] = b[i - 1] + 1   iteration by iteration, for iteration 50 meets 49, of the other part
//
// Thread rule: a part belongs to the worker that runs it; LoneLoop: Add by any worker, all else by one while no part
//             runs.
// Cost:       O(1) a pair of moved accesses and a part; a lock a part of a lone loop.
// Tested by:  test/oracle/parallel_orders_test.cc, test/oracle/parallel_threads_test.cc
#pragma once

#include <algorithm>
#include <span>
#include <tuple>

#include "detect/ds/spin_lock.h"
#include "detect/loop_part.h"
#include "detect/moved_accesses.h"
#include "detect/parallel/task_tree.h"

namespace taskrace {

struct ParallelLoop {
  // Iterations have smaller numbers. From here on: parts that are one strand, by their first iterations.
  static constexpr uint32_t kFirstPart = uint32_t{1} << 31;

  TaskTree::Group group = {};
  uint64_t count = 0;
  bool is_alone = false;  // nothing but its iterations is parallel to them
};

struct ParallelPart : LoopPart {
  ParallelLoop& of;
  TaskTree::TaskPlace place = {};  // of the iteration that runs, if it is a task
  size_t first_moved = 0;          // of what the worker has, from here on
  bool has_marks = false;
  bool has_staying = false;  // accesses stay in the loop, each behind its own mark
  uint64_t next;             // the first iteration that has had no mark
  uint64_t end = 0;          // behind the last one; 0: every iteration has a mark, or none has
  TaskId creator;            // of the loop

  ParallelPart(ParallelLoop& loop, uint64_t begin, TaskId creator = kRootTask)
      : LoopPart{.loop = nullptr, .k = begin}, of(loop), next(begin), creator(creator) {}
};

// False only if no two iterations of a loop can conflict that has so many of them, all with the same accesses.
inline bool IterationsMayConflict(std::span<const MovedAccess> accesses, uint64_t count) {
  // Where there is no such loop in the address space, the steps are not those of the whole loop.
  constexpr __int128 kMost = __int128{1} << 47;
  const auto of_all = [&](MovedAccess access) {
    access.first -= access.k * static_cast<uintptr_t>(access.step);
    access.k = 0;
    access.count = count;
    return access;
  };
  for (size_t i = 0; i < accesses.size(); ++i) {
    const MovedAccess a = of_all(accesses[i]);
    const auto far = [](ptrdiff_t distance, size_t times) {
      return (distance < 0 ? -__int128{distance} : distance) * static_cast<__int128>(times);
    };
    if (far(a.step, count) + far(a.distance, a.rows) > kMost) return true;
    for (size_t j = 0; j <= i; ++j) {
      if (accesses[i].k != accesses[j].k || accesses[i].count != accesses[j].count) return true;
      if (!Conflict(a.kind, accesses[j].kind)) continue;
      if (IterationsMayMeet(a, of_all(accesses[j]))) return true;
    }
  }
  return false;
}

class LoneLoop {
  // What is the same for parts that go on in the same steps.
  static auto Line(const MovedAccess& a) {
    return std::tuple(a.code, a.kind, a.size, a.rows, a.rows == 1 ? 0 : a.distance, a.step,
                      a.first - a.k * static_cast<uintptr_t>(a.step));
  }

 public:
  constexpr LoneLoop() = default;

  // A part that was not told.
  void Add(std::span<const MovedAccess> accesses) {
    const SpinLock::Guard guard(busy_);
    for (const MovedAccess& access : accesses) accesses_.Append(access);
  }
  bool Empty() const { return accesses_.Empty(); }
  void Clear() { accesses_.Truncate(0); }

  // All that was added, with parts that go on in the same steps put together.
  std::span<const MovedAccess> PutTogether() {
    MovedAccess* const begin = accesses_.Data();
    std::sort(begin, begin + accesses_.Size(), [](const MovedAccess& a, const MovedAccess& b) {
      return std::tuple(Line(a), a.k, a.count) < std::tuple(Line(b), b.k, b.count);
    });
    size_t size = 1;
    for (size_t i = 1; i < accesses_.Size(); ++i) {
      MovedAccess& last = begin[size - 1];
      if (Line(last) == Line(begin[i]) && last.k + last.count == begin[i].k) {
        last.count += begin[i].count;
      } else {
        begin[size++] = begin[i];
      }
    }
    accesses_.Truncate(size);
    return {begin, size};
  }

 private:
  SpinLock busy_;
  MappedArray<MovedAccess> accesses_{"the accesses of a loop"};
};

}  // namespace taskrace
