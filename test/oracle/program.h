// Programs as trees of constructs and accesses: what the oracle and the detectors are run on.
// Plain values. Everything is in terms of bytes 0 to kBytes - 1 of one buffer.
#pragma once

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
  kFinish,  // waits for every async made inside, transitively
  kAsync,
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
  Body body;          // scope, spawn, finish, async
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

// One line, as in `scope{ spawn{ write 0+4 } read 2+1 locks 3 }`.
std::string ToString(const Body& body);

}  // namespace taskrace::oracle
