// Random programs of a class, the hand-written ones that show one thing each, and shrinking.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "test/oracle/execution.h"
#include "test/oracle/program.h"

namespace taskrace::oracle {

enum class Futures : uint8_t {
  kNone,
  kStructured,  // got at most once, by somebody whom the creator precedes
  kGeneral,     // got by anyone who comes later, any number of times
};
enum class Forks : uint8_t {
  kNone,
  kLattice,  // nothing but fork, and join of the left neighbour
  kNamed,    // joined at most once, by anyone who comes later
};

struct ProgramClass {
  const char* name;
  bool scopes = false;    // scope, spawn, sync
  bool finishes = false;  // finish, async
  bool mixes = false;     // also outer scopes, so that joins need not nest
  Futures futures = Futures::kNone;
  Forks forks = Forks::kNone;
  bool promises = false;
  bool atomics = false;
  bool locks = false;
  bool clears = false;
  bool loops = false;
  bool few_places = false;  // so that each has many readers
  Switching switching = Switching::kToTheLastSuspended;
};

inline constexpr ProgramClass kSp{.name = "sp", .scopes = true};
inline constexpr ProgramClass kFinish{.name = "finish", .finishes = true};
inline constexpr ProgramClass kMixed{
    .name = "mixed", .scopes = true, .finishes = true, .mixes = true};
inline constexpr ProgramClass kAtomics{.name = "atomics", .scopes = true, .atomics = true};
inline constexpr ProgramClass kLocks{
    .name = "locks", .scopes = true, .atomics = true, .locks = true};
inline constexpr ProgramClass kFinishLocks{
    .name = "finish, locks", .finishes = true, .atomics = true, .locks = true, .clears = true};
inline constexpr ProgramClass kClears{.name = "clears", .scopes = true, .clears = true};
inline constexpr ProgramClass kEverything{.name = "everything",
                                          .scopes = true,
                                          .finishes = true,
                                          .mixes = true,
                                          .atomics = true,
                                          .locks = true,
                                          .clears = true};
inline constexpr ProgramClass kStructured{.name = "structured",
                                          .scopes = true,
                                          .finishes = true,
                                          .mixes = true,
                                          .futures = Futures::kStructured};
inline constexpr ProgramClass kGeneral{.name = "general",
                                       .scopes = true,
                                       .finishes = true,
                                       .mixes = true,
                                       .futures = Futures::kGeneral};
inline constexpr ProgramClass kGeneralEverything{.name = "general, everything",
                                                 .scopes = true,
                                                 .finishes = true,
                                                 .mixes = true,
                                                 .futures = Futures::kGeneral,
                                                 .forks = Forks::kNamed,
                                                 .atomics = true,
                                                 .locks = true,
                                                 .clears = true};
inline constexpr ProgramClass kNamedForks{.name = "forks",
                                          .scopes = true,
                                          .finishes = true,
                                          .mixes = true,
                                          .futures = Futures::kGeneral,
                                          .forks = Forks::kNamed};
inline constexpr ProgramClass kPromises{.name = "promises",
                                        .scopes = true,
                                        .finishes = true,
                                        .mixes = true,
                                        .futures = Futures::kGeneral,
                                        .promises = true};
inline constexpr ProgramClass kPromisesToCreator{.name = "promises, to creator",
                                                 .scopes = true,
                                                 .finishes = true,
                                                 .mixes = true,
                                                 .futures = Futures::kGeneral,
                                                 .promises = true,
                                                 .switching = Switching::kToTheCreator};
inline constexpr ProgramClass kPromisesEverything{.name = "promises, everything",
                                                  .scopes = true,
                                                  .finishes = true,
                                                  .mixes = true,
                                                  .futures = Futures::kGeneral,
                                                  .forks = Forks::kNamed,
                                                  .promises = true,
                                                  .atomics = true,
                                                  .locks = true,
                                                  .clears = true};
inline constexpr ProgramClass kLattice2d{.name = "lattice2d", .forks = Forks::kLattice};
inline constexpr ProgramClass kLattice2dEverything{.name = "lattice2d, everything",
                                                   .forks = Forks::kLattice,
                                                   .atomics = true,
                                                   .locks = true,
                                                   .clears = true};

// The class with its accesses at two places only, bytes or words.
constexpr ProgramClass AtFewPlaces(ProgramClass program_class) {
  program_class.few_places = true;
  return program_class;
}

// The class with parallel loops.
constexpr ProgramClass WithLoops(ProgramClass program_class) {
  program_class.loops = true;
  return program_class;
}

// The promises of a program are p1, p2, ..., as many as this.
inline constexpr unsigned kPromiseCount = 5;

Body RandomProgram(std::mt19937_64& rng, const ProgramClass& program_class);

// The smallest programs for what they show; they run before the random ones.
std::vector<Body> Examples(const ProgramClass& program_class);

// Is every spawn and sync in a scope of its own task, and every iteration in a loop?
bool IsValid(const Body& program);

// A smaller program for which `fails` still holds, with nothing left that could be taken away.
Body Shrink(Body program, const std::function<bool(const Body&)>& fails);

}  // namespace taskrace::oracle
