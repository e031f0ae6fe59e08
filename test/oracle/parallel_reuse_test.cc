// Memory that is freed and used again while others run: many small programs at once, on threads, each
// with blocks of its own from one heap. A race is wrong if its two accesses belong to two uses of a
// block; and of a block whose free is ordered behind all accesses, the racy bytes are exact.
#include <algorithm>
#include <memory>

#include "test/oracle/check.h"
#include "test/oracle/parallel_program.h"
#include "test/oracle/parallel_threads.h"

namespace taskrace::oracle {
namespace {

constexpr unsigned kBlockBytes = 4;
constexpr unsigned kBlocks = kBytes / kBlockBytes;

bool IsFree(const Construct& c) { return c.what == What::kRetire; }
unsigned BlockOf(const Construct& c) { return c.first / kBlockBytes; }

// Calls visit(body) for a body and those inside, from the outside in.
template <class Visit>
void ForEachBody(Body& body, Visit visit) {
  visit(body);
  for (Construct& c : body) ForEachBody(c.body, visit);
}

// A random program with a free of every block: anywhere, or behind everything.
Body WithFrees(std::mt19937_64& rng) {
  Body program{Finish(RandomProgram(rng, rng() % 2 == 0 ? kSp : kFinish))};
  ForEachBody(program, [](Body& body) {  // no access spans two blocks
    for (Construct& c : body) {
      if (c.what == What::kAccess) {
        c.size =
            static_cast<uint8_t>(std::min<unsigned>(c.size, kBlockBytes - c.first % kBlockBytes));
      }
    }
  });
  for (unsigned block = 0; block < kBlocks; ++block) {
    Body* place = &program;
    while (rng() % 3 != 0) {
      const auto inner =
          std::ranges::find_if(*place, [&](Construct& c) { return !c.body.empty(); });
      if (inner == place->end()) break;
      place = &inner->body;
    }
    const size_t at = place == &program ? 1 : rng() % (place->size() + 1);
    place->insert(place->begin() + static_cast<ptrdiff_t>(at),
                  Retire(block * kBlockBytes, kBlockBytes));
  }
  return program;
}

// A program of the heap, while it runs and after.
struct Life {
  Body body;
  std::unique_ptr<Numbering> numbering;
  std::unique_ptr<Execution> execution;
  uintptr_t base[kBlocks] = {};
  std::set<unsigned> reported = {};
  std::set<unsigned> racy = {};

  explicit Life(Body with_frees) : body(std::move(with_frees)) {
    Number();
    DropUsesOfFreedMemory();
    Number();
    FindRaces();
  }

  // Does somebody touch the block in parallel with its free?
  bool FreeRaces(unsigned block) const { return free_races[block]; }

 private:
  void Number() {
    numbering = std::make_unique<Numbering>(body);
    execution = std::make_unique<Execution>(body, std::vector<Listener*>{numbering.get()});
  }
  std::vector<std::pair<const Construct*, size_t>> All() {
    std::vector<std::pair<const Construct*, size_t>> all;
    ForEachBody(body, [&](Body& inner) {
      for (const Construct& c : inner) {
        if (c.what == What::kAccess || IsFree(c)) {
          all.push_back({&c, (*numbering)[numbering->WhereOf(c)].strand});
        }
      }
    });
    return all;
  }
  // Whoever comes after the free does not touch the block.
  void DropUsesOfFreedMemory() {
    std::set<const Construct*> dropped;
    for (const auto& [free, strand] : All()) {
      if (!IsFree(*free)) continue;
      for (const auto& [c, other] : All()) {
        const bool later = other == strand ? numbering->WhereOf(*c) > numbering->WhereOf(*free)
                                           : execution->GetDag().Precedes(strand, other);
        if (BlockOf(*c) == BlockOf(*free) && later) dropped.insert(c);
      }
    }
    ForEachBody(body, [&](Body& inner) {
      for (Construct& c : inner) {
        if (dropped.contains(&c)) c = Scope({});
      }
    });
  }
  void FindRaces() {
    const auto all = All();
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        const auto& [a, u] = all[i];
        const auto& [b, v] = all[j];
        const PastAccess first{std::min(u, v), u < v ? *a : *b};
        const PastAccess second{std::max(u, v), u < v ? *b : *a};
        if (u == v || !execution->GetOracle().Races(first, second)) continue;
        const unsigned from = std::max(a->first, b->first);
        const unsigned end = std::min(a->first + a->size, b->first + b->size);
        for (unsigned byte = from; byte < end; ++byte) racy.insert(byte);
        if (from < end && (IsFree(*a) || IsFree(*b))) free_races[BlockOf(*a)] = true;
      }
    }
  }

  bool free_races[kBlocks] = {};
};

// The heap: the block that was released last is used first.
class Heap final : public ParallelHost {
 public:
  uintptr_t Allocate() {
    const std::lock_guard lock(mutex_);
    ++allocated_;
    if (released_.empty()) return 0x7000'0000 + kBlockBytes * fresh_++;
    const uintptr_t block = released_.back();
    released_.pop_back();
    return block;
  }
  size_t Reused() const { return allocated_ - fresh_; }

  // Accesses are named by their program and their number in it.
  static Where Name(size_t program, Where number) {
    return Where{static_cast<uint32_t>(program << 16 | static_cast<uint32_t>(number))};
  }
  void OnRace(const ParallelRace& race) override {
    const std::lock_guard lock(mutex_);
    const auto [program, earlier] = Lookup(race.earlier);
    const auto [other, later] = Lookup(race.later);
    if (program != other) {
      wrong = "two uses of a block are taken for one";
      return;
    }
    Life& life = *lives[program];
    const unsigned block = BlockOf(*earlier);
    for (uintptr_t at = race.first; at < race.first + race.size; ++at) {
      const unsigned byte = static_cast<unsigned>(at - life.base[block]) + block * kBlockBytes;
      if (!life.racy.contains(byte)) wrong = "a byte is reported in vain";
      life.reported.insert(byte);
    }
  }
  AccessLog::Found PartWith(uintptr_t, const AccessLog::Found& found) override { return found; }
  bool HasParts(Where) override { return false; }
  bool MayRace(LockSet, LockSet) override { return true; }
  void Release(const Quarantine::Block& block) override {
    const std::lock_guard lock(mutex_);
    // A block whose free races may still be touched: nobody gets it.
    if (!kept.contains(block.first)) released_.push_back(block.first);
  }

  std::vector<std::unique_ptr<Life>> lives;
  std::set<uintptr_t> kept;  // while the heap is locked
  std::string wrong;
  std::mutex mutex_;

 private:
  std::pair<size_t, const Construct*> Lookup(const ParallelSide& side) const {
    const uint32_t name = static_cast<uint32_t>(side.where);
    return {name >> 16, (*lives[name >> 16]->numbering)[Where{name & 0xFFFF}].access};
  }

  std::vector<uintptr_t> released_;
  size_t fresh_ = 0;
  size_t allocated_ = 0;
};

// Runs the programs of the heap as asyncs of one finish.
class HeapRun {
 public:
  HeapRun(Threads& threads, Heap& heap) : threads_(threads), heap_(heap) {
    Threads::Thread& thread = threads.First();
    Group implicit;
    TaskTree::TaskPlace root;
    thread.worker.Start(root, implicit.tree);
    for (size_t i = 0; i < heap.lives.size(); ++i) {
      Create(thread, root, How::kAsync, implicit,
             [this, i](Threads::Thread& other, auto& place) { Live(other, place, i); });
      thread.delays.Pause();
    }
    Join(thread, root, implicit);
    thread.worker.Stop();
  }

 private:
  using Group = Threads::Group;
  struct Task {
    TaskTree::TaskPlace& place;
    Group* finish;
    std::vector<Group*> scopes = {};
  };

  void Live(Threads::Thread& thread, TaskTree::TaskPlace& place, size_t number) {
    Life& life = *heap_.lives[number];
    for (unsigned block = 0; block < kBlocks; ++block) {
      life.base[block] = heap_.Allocate();
      thread.worker.Clear(life.base[block], kBlockBytes);
      const std::lock_guard lock(heap_.mutex_);
      if (life.FreeRaces(block)) heap_.kept.insert(life.base[block]);
    }
    Task task{place, nullptr};
    Run(thread, task, number, life.body);
  }
  void Run(Threads::Thread& thread, Task& task, size_t number, const Body& body) {
    const Life& life = *heap_.lives[number];
    for (const Construct& c : body) {
      thread.delays.Pause();
      const auto create = [&](How how, Group& group) {
        Group* finish = task.finish;
        Create(thread, task.place, how, group,
               [this, &c, number, finish](Threads::Thread& other, TaskTree::TaskPlace& place) {
                 Task child{place, finish};
                 Run(other, child, number, c.body);
               });
      };
      const auto inside = [&](Group& group) {
        Run(thread, task, number, c.body);
        Join(thread, task.place, group);
      };
      const uintptr_t at =
          c.what == What::kAccess || IsFree(c) ? life.base[BlockOf(c)] + c.first % kBlockBytes : 0;
      switch (c.what) {
        case What::kAccess:
          thread.worker.Access(c.kind, at, c.size, Heap::Name(number, life.numbering->WhereOf(c)));
          break;
        case What::kRetire:
          thread.worker.Retire(at, c.size, Heap::Name(number, life.numbering->WhereOf(c)));
          break;
        case What::kSpawn:
          create(How::kSpawn, *task.scopes[task.scopes.size() - 1 - c.scope]);
          break;
        case What::kAsync:
          create(How::kAsync, *task.finish);
          break;
        case What::kSync:
          Join(thread, task.place, *task.scopes[task.scopes.size() - 1 - c.scope]);
          break;
        case What::kScope: {
          Group scope;
          task.scopes.push_back(&scope);
          inside(scope);
          task.scopes.pop_back();
          break;
        }
        case What::kFinish: {
          Group finish;
          thread.worker.Open(task.place, finish.tree);
          Group* around = std::exchange(task.finish, &finish);
          inside(finish);
          task.finish = around;
          break;
        }
        default:
          break;
      }
    }
  }
  template <class Child>
  void Create(Threads::Thread& thread, TaskTree::TaskPlace& task, How how, Group& group,
              Child run) {
    auto place = std::make_shared<TaskTree::TaskPlace>();
    CHECK(thread.worker.Create(task, *place, how, group.tree, kNowhere) == nullptr,
          "only programs of the class run on threads");
    group.Run(threads_, [place, run](Threads::Thread& other) {
      other.worker.Run(*place);
      run(other, *place);
      other.worker.End();
    });
  }
  void Join(Threads::Thread& thread, TaskTree::TaskPlace& task, Group& group) {
    if (group.tree.node == TaskTree::kNoNode) return;
    thread.worker.Stop();
    group.Wait(threads_, thread);
    CHECK(thread.worker.Join(task, group.tree) == nullptr,
          "only programs of the class run on threads");
  }

  Threads& threads_;
  Heap& heap_;
};

class ReusedMemory : public testing::TestWithParam<size_t> {};
INSTANTIATE_TEST_SUITE_P(OnThreads, ReusedMemory, testing::Values(1, 2, 4, 16));

TEST_P(ReusedMemory, IsNotTakenForWhatItWas) {
  size_t reused = 0;
  size_t racy = 0;
  for (size_t round = 0; round < (IsLong() ? 200 : 8); ++round) {
    std::mt19937_64 rng(Seed() * 1000 + round);
    Heap heap;
    for (size_t i = 0; i < 60; ++i) heap.lives.push_back(std::make_unique<Life>(WithFrees(rng)));
    const auto detection = std::make_unique<ParallelDetection>(heap);
    {
      Threads threads(*detection, GetParam(), Seed() + round);
      HeapRun run(threads, heap);
    }
    ASSERT_EQ(heap.wrong, "") << "round " << round;
    for (const auto& life : heap.lives) {
      for (const unsigned byte : life->racy) {
        if (life->FreeRaces(byte / kBlockBytes)) continue;
        ASSERT_TRUE(life->reported.contains(byte)) << ToString(life->body) << " byte " << byte;
      }
      racy += life->racy.size();
    }
    reused += heap.Reused();
  }
  EXPECT_GT(reused, 0u);
  EXPECT_GT(racy, 0u);
}

}  // namespace
}  // namespace taskrace::oracle
