// The file that option hidden_trace writes: all events that a detector receives, in order. Plain values.
//
// A record is its kind, one byte, and the numbers below, seven bits a byte, the lowest first; the
// highest bit of a byte says that more follow. `first` is an address: its difference d from that of
// the record before is written as 2d, or as -2d - 1 if d is negative; `distance` likewise is signed.
// The constructs are the events of detect/reach/reachability.h, with the same arguments.
#pragma once

#include <cstdint>

namespace taskrace {

enum class TraceRecord : uint8_t {
  kStart,        // task, finish, strand; whatever came before is forgotten
  kCreate,       // task, child, how, group, strand
  kEnd,          // task
  kProceed,      // task, strand
  kOpen,         // task, finish, strand
  kJoin,         // task, group, how, strand, number of singles, each of them
  kGet,          // task, child, how, strand
  kBlock,        // task
  kSet,          // task, promise
  kGetPromise,   // task, promise, strand
  kLocks,        // number of locks held from now on, each as 2 address + (1 if shared)
  kRead,         // first, size
  kWrite,        // first, size
  kAtomicRead,   // first, size
  kAtomicWrite,  // first, size
  kReadRows,     // first, size, number of rows, distance from row to row
  kWriteRows,    // first, size, number of rows, distance from row to row
  kRetire,       // first, size: a last write, then cleared
  kClear,        // first, size
  kPart,         // creator of a loop, its group: some of its iterations run from now on
  kIteration,    // the iteration of the running part
  kPartEnd,      // the loop's group
  kLoopRead,     // first, size, rows, distance, step from iteration to iteration, iteration, count
  kLoopWrite,    // the same
};

}  // namespace taskrace
