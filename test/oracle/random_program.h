// Random programs of a class, the hand-written ones that show one thing each, and shrinking.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "test/oracle/program.h"

namespace taskrace::oracle {

struct ProgramClass {
  const char* name;
  bool scopes = false;    // scope, spawn, sync
  bool finishes = false;  // finish, async
  bool mixes = false;     // also outer scopes, so that joins need not nest
  bool atomics = false;
  bool locks = false;
  bool clears = false;
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

Body RandomProgram(std::mt19937_64& rng, const ProgramClass& program_class);

// The smallest programs for what they show; they run before the random ones.
std::vector<Body> Examples(const ProgramClass& program_class);

// Is every spawn and sync in a scope of its own task?
bool IsValid(const Body& program);

// A smaller program for which `fails` still holds, with nothing left that could be taken away.
Body Shrink(Body program, const std::function<bool(const Body&)>& fails);

}  // namespace taskrace::oracle
