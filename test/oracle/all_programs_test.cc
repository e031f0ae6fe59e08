// Every small program, in both engines, against the oracle.
#include "test/oracle/all_programs.h"

#include "detect/history/shadow.h"
#include "detect/reach/sp_bags.h"
#include "detect/reach/sp_order.h"
#include "test/oracle/check.h"
#include "test/oracle/dag_engine.h"

namespace taskrace::oracle {
namespace {

const Construct kRead = Access(AccessKind::kRead, 0);
const Construct kWrite = Access(AccessKind::kWrite, 0);
const Construct kAtomicRead = Access(AccessKind::kAtomicRead, 0);
const Construct kAtomicWrite = Access(AccessKind::kAtomicWrite, 0);

// Checks all programs of up to so many constructs; counts them, and those that leave the class.
template <class Engine>
void ExpectAllRight(const Alphabet& alphabet, unsigned most_constructs) {
  if (IsLong()) ++most_constructs;
  ShadowHistory history;  // one for all: a new one each time would cost more than the programs
  Placement placement;
  size_t programs = 0;
  size_t left = 0;
  for (unsigned constructs = 0; constructs <= most_constructs; ++constructs) {
    programs += ForEachProgram(alphabet, constructs, [&](const Body& program) {
      const Outcome outcome = RunProgram<Engine>(program, placement, history);
      placement.first_strand += static_cast<uint32_t>(outcome.strands);
      left += outcome.left_class;
      ASSERT_EQ(outcome.wrong, "") << ToString(program);
    });
  }
  testing::Test::RecordProperty("programs", std::to_string(programs));
  testing::Test::RecordProperty("left_class", std::to_string(left));
}

template <class Engine>
class AllPrograms : public testing::Test {};
using Engines = testing::Types<SpBags, SpOrder>;
TYPED_TEST_SUITE(AllPrograms, Engines);

TYPED_TEST(AllPrograms, OfSpawnAndSyncAreRight) {
  ExpectAllRight<TypeParam>({.accesses = {kRead, kWrite}, .scopes = true}, 6);
}
TYPED_TEST(AllPrograms, OfFinishAndAsyncAreRight) {
  ExpectAllRight<TypeParam>({.accesses = {kRead, kWrite}, .finishes = true}, 5);
}
TYPED_TEST(AllPrograms, OfBothAreRightUntilTheyLeaveTheClass) {
  ExpectAllRight<TypeParam>(
      {.accesses = {kRead, kWrite}, .scopes = true, .finishes = true, .open_scopes = 2}, 4);
}
TYPED_TEST(AllPrograms, OfOverlappingAccessesAreRight) {
  ExpectAllRight<TypeParam>(
      {.accesses = {kRead, kWrite, Access(AccessKind::kRead, 0, 2),
                    Access(AccessKind::kWrite, 1, 4), Access(AccessKind::kWrite, 0, 8)},
       .scopes = true},
      5);
}
TYPED_TEST(AllPrograms, OfAtomicsAreRight) {
  ExpectAllRight<TypeParam>(
      {.accesses = {kRead, kWrite, kAtomicRead, kAtomicWrite}, .scopes = true}, 5);
}
TYPED_TEST(AllPrograms, OfLocksAreRight) {
  ExpectAllRight<TypeParam>(
      {.accesses = {kWrite, Access(AccessKind::kRead, 0, 1, 1), Access(AccessKind::kWrite, 0, 1, 1),
                    Access(AccessKind::kWrite, 0, 1, 2), Access(AccessKind::kWrite, 0, 1, 3)},
       .scopes = true},
      4);
}
TYPED_TEST(AllPrograms, OfReusedMemoryAreRight) {
  ExpectAllRight<TypeParam>(
      {.accesses = {kRead, Access(AccessKind::kWrite, 0, 2), Clear(0, 1), Retire(1, 1)},
       .scopes = true},
      5);
}

TEST(AllProgramsOfManyReaders, AreRightWhereJoinsDoNotNest) {
  ExpectAllRight<DagEngine>(
      {.accesses = {kRead, kWrite}, .scopes = true, .finishes = true, .open_scopes = 2}, 4);
}

}  // namespace
}  // namespace taskrace::oracle
