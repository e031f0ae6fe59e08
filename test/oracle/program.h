// Programs as trees of constructs and accesses: what the oracle and the detectors are run on.
// Plain values. Everything is in terms of bytes 0 to kBytes - 1 of one buffer.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "report/race.h"

namespace taskrace::oracle {

inline constexpr unsigned kBytes = 16;

enum class What : uint8_t {
  kAccess,
  kClear,   // the bytes are new memory
  kRetire,  // the bytes are written for the last time, then gone
  kScope,   // taskrace::scope; syncs at its end
  kSpawn,   // in an open scope of the task
  kSync,    // of an open scope of the task
  kFinish,  // waits for every async, future and fork made inside, transitively
  kAsync,
  kFuture,
  kGet,   // of a future or a promise
  kSet,   // of a promise
  kFork,  // the child becomes the left neighbour of the task
  kJoin,  // of a fork; without a name of the left neighbour, if there is one
  kLoop,  // taskrace::parallel_for: its body has nothing but iterations, which are parallel
  kIteration,
};

// The name of a future, a fork or a promise: a letter, perhaps with a number, as in "f" or "p12".
// Promises have the letters from p on and exist from the beginning. A get or join of somebody whose
// creator has not gone on yet does nothing: nobody has the handle.
struct Name {
  constexpr Name() = default;
  constexpr Name(const char* text) : letter(*text) {
    for (++text; *text != 0; ++text) number = static_cast<uint8_t>(number * 10 + *text - '0');
  }
  constexpr Name(char letter, unsigned number)
      : letter(letter), number(static_cast<uint8_t>(number)) {}

  explicit operator bool() const { return letter != 0; }
  bool IsPromise() const { return letter >= 'p'; }
  auto operator<=>(const Name&) const = default;

  char letter = 0;
  uint8_t number = 0;
};

struct Construct;
using Body = std::vector<Construct>;

struct Construct {
  What what;
  AccessKind kind = AccessKind::kRead;  // access
  uint8_t first = 0;                    // access, clear: bytes first, ..., first + size - 1
  uint8_t size = 0;
  uint8_t locks = 0;  // access: bit i: lock i is held
  uint8_t scope = 0;  // spawn, sync: 0 the innermost open scope of the task, 1 the next, ...
  Name name = {};     // future, get, set; fork and join may have one
  Body body;          // scope, spawn, finish, async, future, fork, loop, iteration
};

// Short ways to write programs down.
inline Construct Access(AccessKind kind, unsigned first, unsigned size = 1, unsigned locks = 0) {
  return {.what = What::kAccess,
          .kind = kind,
          .first = static_cast<uint8_t>(first),
          .size = static_cast<uint8_t>(size),
          .locks = static_cast<uint8_t>(locks),
          .body = {}};
}
inline Construct Clear(unsigned first, unsigned size) {
  return {.what = What::kClear,
          .first = static_cast<uint8_t>(first),
          .size = static_cast<uint8_t>(size),
          .body = {}};
}
inline Construct Retire(unsigned first, unsigned size, unsigned locks = 0) {
  Construct retire = Access(AccessKind::kWrite, first, size, locks);
  retire.what = What::kRetire;
  return retire;
}
inline Construct Scope(Body body) { return {.what = What::kScope, .body = std::move(body)}; }
inline Construct Spawn(Body body, unsigned scope = 0) {
  return {.what = What::kSpawn, .scope = static_cast<uint8_t>(scope), .body = std::move(body)};
}
inline Construct Sync(unsigned scope = 0) {
  return {.what = What::kSync, .scope = static_cast<uint8_t>(scope), .body = {}};
}
inline Construct Finish(Body body) { return {.what = What::kFinish, .body = std::move(body)}; }
inline Construct Async(Body body) { return {.what = What::kAsync, .body = std::move(body)}; }
inline Construct Future(Name name, Body body) {
  return {.what = What::kFuture, .name = name, .body = std::move(body)};
}
inline Construct Get(Name name) { return {.what = What::kGet, .name = name, .body = {}}; }
inline Construct Set(Name name) { return {.what = What::kSet, .name = name, .body = {}}; }
inline Construct Fork(Body body, Name name = {}) {
  return {.what = What::kFork, .name = name, .body = std::move(body)};
}
inline Construct Join(Name name = {}) { return {.what = What::kJoin, .name = name, .body = {}}; }
inline Construct Loop(Body iterations) {
  return {.what = What::kLoop, .body = std::move(iterations)};
}
inline Construct Iteration(Body body) {
  return {.what = What::kIteration, .body = std::move(body)};
}

// One line, as in `scope{ spawn{ write 0+4 } read 2+1 locks 3 }`.
std::string ToString(const Body& body);

}  // namespace taskrace::oracle
