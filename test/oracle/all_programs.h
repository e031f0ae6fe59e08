// All small programs: every tree with exactly so many constructs over a given alphabet.
#pragma once

#include <functional>

#include "test/oracle/program.h"

namespace taskrace::oracle {

struct Alphabet {
  Body accesses = {};   // accesses and clears
  bool scopes = false;  // scope, spawn, sync
  bool finishes = false;
  unsigned open_scopes = 1;  // spawn and sync may name this many of the innermost scopes
  bool futures = false;      // got by anyone who comes later, any number of times
  bool forks = false;        // fork, and join of the left neighbour
  unsigned promises = 0;     // each set once at most
  bool loops = false;        // each iteration is a construct, too
};

// Calls visit for each; returns how many there were.
size_t ForEachProgram(const Alphabet& alphabet, unsigned constructs,
                      const std::function<void(const Body&)>& visit);

}  // namespace taskrace::oracle
