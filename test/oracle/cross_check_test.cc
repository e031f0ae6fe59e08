// One execution under several engines: the same racy bytes, whoever is asked.
#include <memory>
#include <tuple>

#include "detect/history/shadow.h"
#include "detect/reach/donesets.h"
#include "detect/reach/dpst_engine.h"
#include "detect/reach/lattice2d.h"
#include "detect/reach/multibags.h"
#include "detect/reach/multibags_plus.h"
#include "detect/reach/promises.h"
#include "detect/reach/sp_bags.h"
#include "detect/reach/sp_order.h"
#include "test/oracle/check.h"

namespace taskrace::oracle {
namespace {

// An engine with a history of its own, listening to an execution that others hear too.
template <class Engine>
struct Ear {
  ShadowHistory history;
  Subject<Engine, ShadowHistory> subject;
  explicit Ear(uintptr_t base) : subject(history, base) {}
};

template <class... Engines>
bool Agree(const Body& program, const Placement& placement) {
  const std::tuple ears{std::make_unique<Ear<Engines>>(placement.base)...};
  return std::apply(
      [&](const auto&... ear) {
        const Execution execution(program, {&ear->subject...}, placement.first_strand,
                                  placement.switching);
        const std::set<unsigned>& racy = execution.GetOracle().EverRacy();
        return ((ear->subject.Reported() == racy && !ear->subject.LeftClass()) && ...);
      },
      ears);
}

template <class... Engines>
void ExpectAgreement(const ProgramClass& program_class) {
  AnyProgram(program_class, ProgramCount() / 4,
             [](const Body& program, const Placement& placement) {
               const bool agree = Agree<Engines...>(program, placement);
               EXPECT_TRUE(agree) << ToString(program);
               return !agree;
             });
}

TEST(Engines, FindTheSameRacesInSeriesParallelPrograms) {
  ExpectAgreement<SpBags, SpOrder, DpstEngine, MultiBags, MultiBagsPlus, DoneSets, Promises>(kSp);
}
TEST(Engines, FindTheSameRacesInStructuredPrograms) {
  ExpectAgreement<MultiBags, MultiBagsPlus, DoneSets, Promises>(kStructured);
}
TEST(Engines, FindTheSameRacesWithGeneralFutures) {
  ExpectAgreement<MultiBagsPlus, DoneSets, Promises>(kGeneralEverything);
}
TEST(Engines, FindTheSameRacesInLattices) {
  ExpectAgreement<Lattice2d, MultiBags, MultiBagsPlus, DoneSets, Promises>(kLattice2d);
}

}  // namespace
}  // namespace taskrace::oracle
