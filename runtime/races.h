// Races found so far: each is written to the log when it is new, and counted when it is not.
//
// New means, with dedup=site, another pair of program counters; with dedup=address, bytes that no
// race was reported on before. The reporter then joins what has the same source lines.
// Where tasks run in parallel, which access came first is chance: the two are put in the order of their
// program counters.
// Thread rule: any thread that runs tasks, one at a time (reporting_lock.h). Cost: a probe per race; 24
// bytes a pair or 9 bytes a racy word.
#pragma once

#include "detect/checker.h"
#include "detect/ds/intern_table.h"
#include "detect/ds/mapped_array.h"
#include "runtime/page_filter.h"

namespace taskrace {

class Runtime;

class Races final : public RaceSink {
 public:
  explicit Races(Runtime& runtime) : runtime_(runtime) {}

  void OnRace(const Race& race, const RaceSide& earlier, const RaceSide& later) override;
  // Races on these bytes are not reported.
  void Ignore(uintptr_t first, size_t size);
  // The bytes are other memory from now on.
  void StopIgnoring(uintptr_t first, size_t size) {
    if (ignored_pages_.MayMeet(first, size)) CutOut(first, size);
  }
  // A strand has begun that follows others: writes where the two accesses of a race are joined, if both precede it now.
  // `pc`: of the join.
  void OnJoined(uintptr_t pc);
  // Writes the counts that the log does not have yet.
  void WriteCounts();
  // The stack of an access, as log_format.h has it; `key` is null inside an array.
  void WriteStack(const char* key, Where where);
  // The numbers of the task and its creators, and where each was created.
  void WriteCreators(const RaceSide& side);
  // A new process begins without races; what it finds is its own, known to its parent or not.
  void Forget();

  uint64_t occurrences() const { return occurrences_; }
  // Races that are too many to be written, so that nothing more is known of them.
  uint64_t unwritten() const { return unwritten_; }

 private:
  // How many races wait for their join at a time, and how many questions are asked for that in a run. Races beyond
  // are reported without their join.
  static constexpr size_t kMostOpen = 1000;
  static constexpr uint64_t kMostQuestions = 20'000'000;
  // With max_races, the number of races to record, so that enough are left after suppression.
  static constexpr size_t kMostRecords = 10000;

  struct Pair {
    uintptr_t earlier;
    uintptr_t later;
    uint64_t operations;
    uint64_t Hash() const { return Mix(earlier ^ Mix(later ^ Mix(operations))); }
    bool operator==(const Pair&) const = default;
  };
  struct Word {
    uintptr_t number;
    uint64_t Hash() const { return Mix(number); }
    bool operator==(const Word&) const = default;
  };
  struct Count {
    uint64_t seen;
    uint64_t written;
  };
  using Range = PageFilter::Range;
  using Side = RaceSide;
  // Are both of one thread of a team, between the same barriers, in memory that is the thread's own: its stack, or a
  // heap block that it has allocated? Another thread would have used its own copy. The later one may also be of an
  // explicit task, if the earlier one is of a unit: the thread has created the task after that.
  bool IsOfOneThread(const Race& race, const Side& earlier, const Side& later);
  void CutOut(uintptr_t first, size_t size);
  // The parts of it that are not in the ranges from number `range` on.
  void Sift(const Race& race, const Side& earlier, const Side& later, size_t range);
  void OnSite(const Race& race, const Side& earlier, const Side& later);
  void OnAddresses(const Race& race, const Side& earlier, const Side& later);
  // True if the byte had not been reported yet.
  bool MarkByte(uintptr_t byte);
  void Write(size_t number, const Race& race, const Side& earlier, const Side& later);
  void WriteAccess(const RacingAccess& access, const Side& side);
  // Calls visit(task) for the task, its creator and so on, but for the root.
  template <class Visit>
  void ForEachCreation(TaskId task, Visit visit) const;
  void WriteLocation(const char* key, uintptr_t address);

  Runtime& runtime_;
  InternTable<Pair> pairs_;
  MappedArray<Count> counts_;  // by the race's number; none seen: not of this process
  InternTable<Word> words_;
  MappedArray<uint8_t> racy_;  // by the word's number: a bit per byte
  MappedArray<Range> ignored_;
  PageFilter ignored_pages_;  // of all of them; asked without the lock
  uint64_t occurrences_ = 0;
  uint64_t unwritten_ = 0;
  uint64_t questions_ = 0;  // asked by OnJoined
  uintptr_t last_owned_block_ = 0;
};

}  // namespace taskrace
