// What a program can do that an engine is not exact for, and which engines are. An event returns
// one of these, or null; the user reads both sentences.
#pragma once

namespace taskrace {

struct Reason {
  const char* what;     // the program did
  const char* engines;  // that handle it
};

// Null, or why the engine's answers mean nothing from now on.
using OutsideClass = const Reason*;

namespace reasons {

inline constexpr const char* kForMixtures = "multibags, multibags+, donesets or promises";
inline constexpr const char* kForGeneralFutures = "multibags+, donesets or promises";
inline constexpr const char* kForForkJoin =
    "spbags, sporder, dpst, multibags, multibags+, donesets or promises";

// spbags, sporder: joins must nest
inline constexpr Reason kAlternatingGroups = {
    "a task creates children of two groups in alternation", kForMixtures};
inline constexpr Reason kLaterChildrenLeft = {"a sync does not wait for later children of the task",
                                              kForMixtures};
inline constexpr Reason kAsyncOutlivesScope = {
    "an async outlives the scope in which it was created", kForMixtures};
inline constexpr Reason kFuture = {"a future is made", kForMixtures};
inline constexpr Reason kFork = {"a task is forked",
                                 "lattice2d, multibags, multibags+, donesets or promises"};

// multibags: futures must be structured
inline constexpr Reason kSecondGet = {
    "a future is read a second time by a task that is not ordered after it", kForGeneralFutures};
inline constexpr Reason kCreatorIsParallel = {
    "a future is read by a task that is not ordered after its creation", kForGeneralFutures};

// multibags+: the one limit that lies in the machine, not in the program
inline constexpr Reason kMatrixTooLarge = {
    "the reachability matrix of multibags+ (k*k bits) does not fit into memory",
    "donesets or promises"};

// lattice2d: nothing but fork, and join of the left neighbour
inline constexpr Reason kNotTheLeftNeighbour = {"a task joins another task than its left neighbour",
                                                kForMixtures};
inline constexpr Reason kNoFork = {"a construct other than fork, join and pipeline is used",
                                   kForForkJoin};

// everything that runs depth-first, without switching
inline constexpr Reason kPromise = {"a promise is used", "promises"};
inline constexpr Reason kBlocks = {"a task waits for something that has not happened yet",
                                   "promises"};

}  // namespace reasons
}  // namespace taskrace
