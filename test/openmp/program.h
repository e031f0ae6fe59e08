// The language of the OpenMP oracle: programs of constructs and accesses to bytes of one buffer, or of a block that a
// thread has allocated for itself. A program is what one thread outside of any region runs.
//
//   parallel 3 { for dynamic,1 nowait 2 { iteration { write 0 1 } iteration { } } single { read 0 1 } }
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace taskrace::openmp_oracle {

enum class What : int {
  kAccess,
  kParallel,  // size: threads
  kBarrier,
  kFor,        // children: iterations
  kSections,   // children: iterations, as sections
  kIteration,  // of a loop, or a section
  kSingle,
  kMaster,
  kCritical,  // size: which name
  kOrdered,
  kTask,
  kTaskwait,
  kTaskgroup,
  kThreadNumber,  // the thread asks for its number
};

enum class Schedule : int { kStatic, kStaticChunked, kDynamic, kGuided };
enum class Kind : int { kRead, kWrite, kAtomicRead, kAtomicWrite };
enum class Depend : int { kIn, kOut, kMutexInOutSet, kInOutSet };

struct Dependence {
  Depend kind;
  int address;
};

struct Node {
  What what = What::kAccess;
  Kind kind = Kind::kRead;                // of an access
  bool is_own = false;                    // the access is to the thread's own block
  int first = 0;                          // byte
  int size = 1;                           // bytes; or see What
  Schedule schedule = Schedule::kStatic;  // of a loop
  int chunk = 1;                          // of a loop
  bool nowait = false;                    // of a loop, sections, single
  bool is_ordered = false;                // a loop with an ordered clause
  int reduction = -1;                     // the byte that a loop reduces into
  bool undeferred = false;                // a task with if(0)
  std::vector<Dependence> depends = {};   // of a task
  std::vector<Node> body = {};
};
using Body = std::vector<Node>;

inline constexpr int kBytes = 16;
inline constexpr int kDependAddresses = 3;
inline constexpr int kCriticalNames = 2;

// What random programs of a class have.
struct ProgramClass {
  const char* name;
  bool nowait = false;
  bool dynamic = false;  // schedules other than static
  bool single = false;
  bool locks = false;  // critical sections, atomic accesses, reductions
  bool aware = false;  // what tells a thread who it is
  bool own = false;    // blocks of threads
  bool tasks = false;
  bool depend = false;
  bool nested = false;
  bool ordered = false;
  bool similar =
      false;  // static loops of few shapes, in which an iteration mostly has a byte of its own
};

Body RandomProgram(std::mt19937_64& rng, const ProgramClass& program_class);
// All programs that are one step simpler.
std::vector<Body> Simpler(const Body& program);

// For people, and as C: the body of a function in which the buffer is at `buffer`.
std::string ToC(const Body& program, int indent);
// For interpreter.c.
std::string ToList(const Body& program);

}  // namespace taskrace::openmp_oracle
