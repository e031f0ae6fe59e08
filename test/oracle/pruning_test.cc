// Which readers may be dropped because another says the same. Each rule that looks as good as the
// right one has a program on which it loses a race.
#include "detect/history/shadow.h"
#include "detect/reach/auto.h"
#include "detect/reach/donesets.h"
#include "detect/reach/multibags.h"
#include "detect/reach/multibags_plus.h"
#include "detect/reach/promises.h"
#include "detect/reach/sp_bags.h"
#include "test/oracle/check.h"

namespace taskrace::oracle {
namespace {

// What becomes of gets while the bags are kept.
enum class Gets {
  kUnite,  // as in MultiBags, until that leaves its class; then nobody is like another
  kNot,    // D_SP of MultiBags+, and the sets of DRDP
};

// Engine, whose readers are equivalent if they are in one bag; where one reader is enough for the
// bags, they all are.
template <class Engine, class Bags, Gets kGets>
class PrunedBy {
 public:
  static constexpr const char* kName = "pruned";
  static constexpr bool kOneReader = false;

  void OnStart(TaskId task, GroupId finish, StrandId strand) {
    engine_.OnStart(task, finish, strand);
    bags_.OnStart(task, finish, strand);
  }
  OutsideClass OnCreate(TaskId task, TaskId child, How how, GroupId group, StrandId strand) {
    if (!left_) left_ = bags_.OnCreate(task, child, how, group, strand) != nullptr;
    return engine_.OnCreate(task, child, how, group, strand);
  }
  OutsideClass OnEnd(TaskId task) {
    if (!left_) left_ = bags_.OnEnd(task) != nullptr;
    return engine_.OnEnd(task);
  }
  void OnProceed(TaskId task, StrandId strand) {
    if (!left_) bags_.OnProceed(task, strand);
    engine_.OnProceed(task, strand);
  }
  OutsideClass OnOpen(TaskId task, GroupId finish, StrandId strand) {
    if (!left_) left_ = bags_.OnOpen(task, finish, strand) != nullptr;
    return engine_.OnOpen(task, finish, strand);
  }
  OutsideClass OnJoin(TaskId task, GroupId group, How how, std::span<const TaskId> singles,
                      StrandId strand) {
    const std::span<const TaskId> united = kGets == Gets::kUnite ? singles : singles.first(0);
    if (!left_) left_ = bags_.OnJoin(task, group, how, united, strand) != nullptr;
    return engine_.OnJoin(task, group, how, singles, strand);
  }
  OutsideClass OnGet(TaskId task, TaskId child, How how, StrandId strand) {
    if (kGets == Gets::kNot) {
      bags_.OnProceed(task, strand);
    } else if (!left_) {
      left_ = bags_.OnGet(task, child, how, strand) != nullptr;
    }
    return engine_.OnGet(task, child, how, strand);
  }
  OutsideClass OnBlock(TaskId task) { return engine_.OnBlock(task); }
  OutsideClass OnSet(TaskId task, PromiseId promise) { return engine_.OnSet(task, promise); }
  OutsideClass OnGetPromise(TaskId task, PromiseId promise, StrandId strand) {
    if (!left_) bags_.OnProceed(task, strand);
    return engine_.OnGetPromise(task, promise, strand);
  }
  void OnOver(PromiseId promise) { engine_.OnOver(promise); }

  bool Precedes(StrandId u) { return engine_.Precedes(u); }
  uint64_t ReaderClass(StrandId u) {
    if (left_) return kAlone | Index(u);
    if constexpr (Bags::kOneReader) {
      return 0;
    } else {
      return bags_.ReaderClass(u);
    }
  }
  TaskId TaskOf(StrandId u) const { return engine_.TaskOf(u); }
  size_t BytesUsed() const { return 0; }

 private:
  static constexpr uint64_t kAlone = uint64_t{1} << 40;

  Engine engine_;
  Bags bags_;
  bool left_ = false;
};

// A program for a number of other readers, so many that readers are dropped, and a size.
using Family = Body (*)(unsigned others, unsigned size);

template <class Visit>
bool Any(Family family, Visit visit) {
  for (unsigned size : {1, 8}) {
    for (unsigned others = 0; others <= 16; ++others) {
      if (visit(family(others, size))) return true;
    }
  }
  return false;
}
template <class Engine>
bool LosesARace(Family family) {
  return Any(family, [](const Body& program) {
    return !RunProgram<Engine, ShadowHistory>(program, Placement{}).wrong.empty();
  });
}
bool IsAlwaysRacy(Family family) {
  return !Any(family,
              [](const Body& program) { return !Execution(program, {}).GetOracle().IsRacy(0); });
}

Construct Read(unsigned size) { return Access(AccessKind::kRead, 0, size); }
Construct Write(unsigned size) { return Access(AccessKind::kWrite, 0, size); }

// In F the spawned child and the rest of F read. The sync puts both into one bag; but only one of
// them precedes G, and so the write. The other readers are futures, and got.
Body ReadersOfOneFuture(unsigned others, unsigned size) {
  Body program;
  for (unsigned i = 1; i <= others; ++i) program.push_back(Future(Name('f', i), {Read(size)}));
  const Construct child = Spawn({Read(size), Future("G", {})});
  program.insert(program.end(), {Future("F", {Scope({child, Read(size)})}), Read(size)});
  for (unsigned i = 1; i <= others; ++i) program.push_back(Get(Name('f', i)));
  program.insert(program.end(), {Get("G"), Write(size)});
  return program;
}

TEST(Pruning, TheReadersOfOneFutureAreBothNeeded) {
  EXPECT_TRUE(IsAlwaysRacy(ReadersOfOneFuture));
  EXPECT_FALSE(LosesARace<MultiBagsPlus>(ReadersOfOneFuture));
  EXPECT_FALSE(LosesARace<DoneSets>(ReadersOfOneFuture));
  EXPECT_FALSE(LosesARace<Promises>(ReadersOfOneFuture));
}
TEST(Pruning, AReaderPerDspRootUnderMultiBagsPlusLosesARace) {
  EXPECT_TRUE((LosesARace<PrunedBy<MultiBagsPlus, MultiBags, Gets::kNot>>(ReadersOfOneFuture)));
}
TEST(Pruning, AReaderPerBagWhileMultiBagsRunsLosesARaceWhenItStops) {
  EXPECT_TRUE((LosesARace<PrunedBy<DoneSets, MultiBags, Gets::kUnite>>(ReadersOfOneFuture)));
  EXPECT_FALSE(LosesARace<Auto>(ReadersOfOneFuture));
}

// The finish puts its two readers into one set; only one of them precedes the write. The other
// readers are waited for.
Body ReadersOfOneFinish(unsigned others, unsigned size) {
  Body program;
  Body waits{Get("p"), Get("q")};
  for (unsigned i = 1; i <= others; ++i) {
    program.push_back(Async({Read(size), Set(Name('r', i))}));
    waits.push_back(Get(Name('r', i)));
  }
  waits.push_back(Write(size));
  const Construct finish = Finish({Async({Read(size), Set("p")}), Async({Read(size)})});
  program.insert(program.end(), {Async({finish}), Async({Read(size), Set("q")}), Async(waits)});
  return program;
}

TEST(Pruning, TheReadersOfOneFinishAreBothNeededUnderPromises) {
  EXPECT_TRUE(IsAlwaysRacy(ReadersOfOneFinish));
  EXPECT_FALSE(LosesARace<Promises>(ReadersOfOneFinish));
}
TEST(Pruning, AReaderPerSetUnderPromisesLosesARace) {
  EXPECT_TRUE((LosesARace<PrunedBy<Promises, MultiBags, Gets::kNot>>(ReadersOfOneFinish)));
}

// Up to the end of the last child this is series-parallel, and the first reader would do. Then the
// async turns out to outlive its scope: it is parallel with the write, and nobody else is.
Body AsyncThatOutlivesItsScope(unsigned others, unsigned size) {
  Body scope(others, Spawn({Read(size)}));
  scope.insert(scope.end(), {Spawn({Async({Read(size)}), Read(size)}), Sync(), Write(size)});
  return {Finish({Scope(scope)})};
}

TEST(Pruning, TheReaderThatOutlivesItsScopeIsNeeded) {
  EXPECT_TRUE(IsAlwaysRacy(AsyncThatOutlivesItsScope));
  EXPECT_FALSE(LosesARace<MultiBags>(AsyncThatOutlivesItsScope));
  EXPECT_FALSE(LosesARace<Auto>(AsyncThatOutlivesItsScope));
}
TEST(Pruning, OneReaderWhileSpBagsRunsLosesARaceWhenItStops) {
  EXPECT_TRUE((LosesARace<PrunedBy<MultiBags, SpBags, Gets::kUnite>>(AsyncThatOutlivesItsScope)));
}

}  // namespace
}  // namespace taskrace::oracle
