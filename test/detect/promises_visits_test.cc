// How many joins the queries of DRDP look at, on programs of the shapes that its paper measures
// (Table 3) and on others where a search from now back would look at all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "detect/reach/promises.h"
#include "test/detect/promises_events.h"

namespace taskrace {
namespace {

// A location with its last writer and its readers; a reader is dropped when it precedes another.
class Block {
 public:
  void Read(Events& events) {
    Check(events, writer_);
    std::erase_if(readers_, [&](StrandId u) { return events.Precedes(u); });
    readers_.push_back(events.Now());
  }
  void Write(Events& events) {
    Check(events, writer_);
    for (StrandId u : readers_) Check(events, u);
    readers_.clear();
    writer_ = events.Now();
  }

 private:
  static void Check(Events& events, StrandId u) {
    if (u != kNoStrand) EXPECT_TRUE(events.Precedes(u)) << "a race in a program without one";
  }
  StrandId writer_ = kNoStrand;
  std::vector<StrandId> readers_;
};

// Task number k of a program sets promise k; the root makes them all.
struct Work {
  std::vector<uint32_t> gets;
  std::vector<uint32_t> reads;  // blocks
  uint32_t write;
};
using Program = std::vector<Work>;

struct Visits {
  double tasks;
  double queries;
  double joins;
};
Visits VisitsOf(const Events& events) {
  return {static_cast<double>(events.Tasks()), static_cast<double>(events.queries),
          static_cast<double>(events.engine.Visits())};
}

// What the issue asks for: at most 3 joins a query, and nothing that grows with their number. The
// quarter is for what is smaller at the edges.
void ExpectFewAndLinear(const Visits& small, const Visits& large) {
  EXPECT_GT(small.joins, 0);
  EXPECT_LE(small.joins, 3 * small.queries);
  EXPECT_LE(large.joins, 3 * large.queries);
  EXPECT_LE(large.joins / large.tasks, 1.25 * small.joins / small.tasks);
}

// Made first to last, no task of the programs below waits; made last to first, almost all do.
enum class Made { kFirstToLast, kLastToFirst };

class Player {
 public:
  Player(const Program& program, Made made) : program_(program), states_(program.size()) {
    const uint32_t size = static_cast<uint32_t>(program.size());
    for (uint32_t i = 0; i < size; ++i) {
      const uint32_t k = made == Made::kFirstToLast ? i : size - 1 - i;
      states_[k].task = events_.Create(kRootTask);
      GoOn(k);
      events_.Proceed(kRootTask);
    }
  }
  Visits GetVisits() const {
    for (const State& state : states_) EXPECT_TRUE(state.has_set);
    return VisitsOf(events_);
  }

 private:
  struct State {
    TaskId task;
    uint32_t got = 0;
    bool has_set = false;
    std::vector<uint32_t> waiters;
  };

  // Runs the task until it waits or ends.
  void GoOn(uint32_t k) {
    const Work& work = program_[k];
    State& state = states_[k];
    for (; state.got < work.gets.size(); ++state.got) {
      State& setter = states_[work.gets[state.got]];
      if (!setter.has_set) {
        setter.waiters.push_back(k);
        return events_.Block(state.task);
      }
      events_.Get(state.task, work.gets[state.got] + 1);
    }
    for (uint32_t block : work.reads) BlockAt(block).Read(events_);
    BlockAt(work.write).Write(events_);
    events_.Set(state.task, k + 1);
    state.has_set = true;
    for (uint32_t waiter : state.waiters) GoOn(waiter);
    events_.Proceed(state.task);
    events_.End(state.task);
  }
  Block& BlockAt(uint32_t block) {
    if (block >= blocks_.size()) blocks_.resize(block + 1);
    return blocks_[block];
  }

  const Program& program_;
  std::vector<State> states_;
  std::vector<Block> blocks_;
  Events events_;
};

void ExpectFewAndLinear(const Program& small, const Program& large) {
  for (Made made : {Made::kFirstToLast, Made::kLastToFirst}) {
    ExpectFewAndLinear(Player(small, made).GetVisits(), Player(large, made).GetVisits());
  }
}

// n x n blocks; each needs the one above, the one to the left and the one between. It waits for the
// first two, in either order: that decides in which order blocked tasks are resumed.
Program Wavefront(uint32_t n, bool left_first) {
  Program program;
  for (uint32_t k = 0; k < n * n; ++k) {
    Work work{.gets = {}, .reads = {}, .write = k};
    if (k >= n) work.gets.push_back(k - n);
    if (k % n > 0) work.gets.push_back(k - 1);
    work.reads = work.gets;
    if (k >= n && k % n > 0) work.reads.push_back(k - n - 1);
    if (left_first) std::ranges::reverse(work.gets);
    program.push_back(work);
  }
  return program;
}
TEST(PromisesVisits, AreFewAndLinearOnAWavefront) {
  ExpectFewAndLinear(Wavefront(32, false), Wavefront(100, false));
}
TEST(PromisesVisits, AreFewAndLinearOnAWavefrontThatLooksLeftFirst) {
  ExpectFewAndLinear(Wavefront(32, true), Wavefront(100, true));
}

// n x n blocks: in step k, (k, k) is factorised, then row and column k, then all of the rest is
// updated. A task waits for the last writers of what it uses.
Program BlockedLu(uint32_t n) {
  Program program;
  constexpr uint32_t kNobody = ~0u;
  std::vector<uint32_t> writer(n * n, kNobody);
  const auto update = [&](uint32_t written, std::vector<uint32_t> read) {
    read.push_back(written);
    Work work{.gets = {}, .reads = read, .write = written};
    for (uint32_t block : read) {
      if (writer[block] != kNobody) work.gets.push_back(writer[block]);
    }
    writer[written] = static_cast<uint32_t>(program.size());
    program.push_back(work);
  };
  for (uint32_t k = 0; k < n; ++k) {
    update(k * n + k, {});
    for (uint32_t i = k + 1; i < n; ++i) update(k * n + i, {k * n + k});
    for (uint32_t i = k + 1; i < n; ++i) update(i * n + k, {k * n + k});
    for (uint32_t i = k + 1; i < n; ++i) {
      for (uint32_t j = k + 1; j < n; ++j) update(i * n + j, {i * n + k, k * n + j});
    }
  }
  return program;
}
TEST(PromisesVisits, AreFewAndLinearOnABlockedLu) {
  ExpectFewAndLinear(BlockedLu(12), BlockedLu(30));
}

// n x n blocks in two copies: each step reads a block and the four beside it in one copy, and
// writes the block in the other. A task waits for the step before of all that it reads.
Program Jacobi(uint32_t n, uint32_t steps) {
  Program program;
  const uint32_t all = n * n;
  for (uint32_t t = 0; t < steps; ++t) {
    for (uint32_t k = 0; k < all; ++k) {
      std::vector<uint32_t> used = {k};
      if (k >= n) used.push_back(k - n);
      if (k + n < all) used.push_back(k + n);
      if (k % n > 0) used.push_back(k - 1);
      if (k % n + 1 < n) used.push_back(k + 1);
      Work work{.gets = {}, .reads = {}, .write = (t + 1) % 2 * all + k};
      for (uint32_t block : used) {
        if (t > 0) work.gets.push_back((t - 1) * all + block);
        work.reads.push_back(t % 2 * all + block);
      }
      program.push_back(work);
    }
  }
  return program;
}
TEST(PromisesVisits, AreFewAndLinearOnJacobiWithMoreBlocks) {
  ExpectFewAndLinear(Jacobi(16, 10), Jacobi(48, 10));
}
TEST(PromisesVisits, AreFewAndLinearOnJacobiWithMoreSteps) {
  ExpectFewAndLinear(Jacobi(16, 20), Jacobi(16, 80));
}

// Futures made and got in two loops; then everything that they wrote is read, by the root and by a
// task. Half of them leave the work to a task of their own.
Visits GetAll(uint32_t n) {
  Events events;
  std::vector<TaskId> futures;
  std::vector<StrandId> writers;
  for (uint32_t i = 0; i < n; ++i) {
    futures.push_back(events.Create(kRootTask, How::kFuture));
    if (i % 2 == 0) {
      const GroupId scope = events.NewGroup();
      const TaskId spawned = events.Create(futures.back(), How::kSpawn, scope);
      writers.push_back(events.Now());
      events.EndAndProceed(spawned, futures.back());
      events.Join(futures.back(), scope, How::kSync);
    } else {
      writers.push_back(events.Now());
    }
    events.EndAndProceed(futures.back(), kRootTask);
  }
  for (TaskId future : futures) events.GetFuture(kRootTask, future);
  for (StrandId u : writers) EXPECT_TRUE(events.Precedes(u));
  events.Create(kRootTask);
  for (StrandId u : writers) EXPECT_TRUE(events.Precedes(u));
  return VisitsOf(events);
}

TEST(PromisesVisits, AreFewAndLinearWhenOneTaskGetsManyFutures) {
  ExpectFewAndLinear(GetAll(1'000), GetAll(10'000));
}

// Futures that all read one location are got last to first by somebody who reads it, too: again and
// again those that are left are found to be parallel.
Visits GetFromTheLast(uint32_t n) {
  Events events;
  std::vector<TaskId> futures;
  std::vector<StrandId> readers;
  for (uint32_t i = 0; i < n; ++i) {
    futures.push_back(events.Create(kRootTask, How::kFuture));
    readers.push_back(events.Now());
    events.EndAndProceed(futures.back(), kRootTask);
  }
  for (uint32_t i = n; i-- > 1;) {
    events.GetFuture(kRootTask, futures[i]);
    EXPECT_TRUE(events.Precedes(readers[i]));
    EXPECT_FALSE(events.Precedes(readers[i - 1]));
    EXPECT_FALSE(events.Precedes(readers[0]));
  }
  return VisitsOf(events);
}

TEST(PromisesVisits, AreFewAndLinearWhenFuturesAreGotLastToFirst) {
  ExpectFewAndLinear(GetFromTheLast(1'000), GetFromTheLast(10'000));
}

// A tree of futures: each gets two others. In the end the root reads what all of them wrote.
Visits Reduction(uint32_t leaves) {
  Events events;
  std::vector<TaskId> future(2 * leaves);
  std::vector<StrandId> writer(2 * leaves);
  for (uint32_t k = 2 * leaves - 1; k > 0; --k) {
    future[k] = events.Create(kRootTask, How::kFuture);
    if (k < leaves) {
      events.GetFuture(future[k], future[2 * k]);
      events.GetFuture(future[k], future[2 * k + 1]);
    }
    writer[k] = events.Now();
    events.EndAndProceed(future[k], kRootTask);
  }
  events.GetFuture(kRootTask, future[1]);
  for (uint32_t k = 1; k < 2 * leaves; ++k) EXPECT_TRUE(events.Precedes(writer[k]));
  return VisitsOf(events);
}

TEST(PromisesVisits, AreFewAndLinearOnATreeOfFutures) {
  ExpectFewAndLinear(Reduction(512), Reduction(8192));
}

}  // namespace
}  // namespace taskrace
