// From a race of the detector to a line of the log: leave out ignored bytes, decide whether it is new, write
// or count. All of it runs under the reporting lock, in the task that found the race.
#include "runtime/races.h"

#include <bit>
#include <utility>

#include "runtime/runtime.h"
#include "runtime/states.h"

namespace taskrace {
namespace {

constexpr int kMostFrames = 200;        // of one stack, in a report
constexpr int kMostLocks = 64;          // of one access
constexpr size_t kMostCreators = 4096;  // of one chain of tasks
// Of a longer chain, only these innermost and outermost creations have a stack.
constexpr size_t kInnermostCreations = 48;
constexpr size_t kOutermostCreations = 16;
// Memory outside all blocks but this near to the end of one is reported relative to it: probably an index
// out of bounds.
constexpr uintptr_t kNearBlock = 4096;

const char* NameOf(AccessKind kind, Operation operation) {
  if (operation == Operation::kFree) return "free";
  if (operation == Operation::kScopeEnd) return "scope-end";
  switch (kind) {
    case AccessKind::kRead:
      return "read";
    case AccessKind::kWrite:
      return "write";
    case AccessKind::kAtomicRead:
      return "atomic-read";
    case AccessKind::kAtomicWrite:
      return "atomic-write";
  }
  return "";
}

// The same race, on the bytes [first, end) only.
Race Part(const Race& race, uintptr_t first, uintptr_t end) {
  Race part = race;
  part.first = first;
  part.size = end - first;
  return part;
}

}  // namespace

void Races::OnRace(const Race& race, const Side& earlier, const Side& later) {
  runtime_.NoticeFork();
  const ReportingLock::Guard guard(runtime_.reporting_);
  // Once the run has ended, the log already has its last line.
  if (runtime_.ended_ || IsOfOneThread(race, earlier, later)) return;
  const Checker& checker = *runtime_.checker_;
  if (runtime_.is_parallel_ && checker.SiteOf(later.where).pc < checker.SiteOf(earlier.where).pc) {
    Race turned = race;
    std::swap(turned.earlier, turned.later);
    return Sift(turned, later, earlier, 0);
  }
  Sift(race, earlier, later, 0);
}

bool Races::IsOfOneThread(const Race& race, const Side& earlier, const Side& later) {
  // Parallel runs have no teams, and a thread that rests runs nothing.
  if (runtime_.is_parallel_) return false;
  const Running& running = *runtime_.thread_->running;
  if (running.thread == 0 || later.simd_loop != kNowhere) return false;
  const Checker& checker = *runtime_.checker_;
  int64_t iteration;
  const auto is_unit = [&](const Side& side) {
    return side.is_iteration || checker.IsLoop(side.task) ||
           checker.IterationOf(side.task, iteration);
  };
  const TaskId phase = is_unit(earlier) ? checker.CreatorOf(earlier.task) : earlier.task;
  uint32_t number, team_size;
  if (!checker.ThreadOf(phase, number, team_size)) return false;
  TaskId task = is_unit(later) ? checker.CreatorOf(later.task) : later.task;
  while (is_unit(earlier) && task != phase && !checker.ThreadOf(task, number, team_size)) {
    if (task == kRootTask) return false;
    task = checker.CreatorOf(task);
  }
  if (task != phase) return false;
  const RunningStack& stack = runtime_.thread_stack;
  if (race.first >= stack.stack_low && race.first + race.size <= stack.stack_high) return true;
  // One block after the other is asked for many times.
  const auto contains_race = [&](const Blocks::Block& block) {
    return block.first != 0 && race.first >= block.first &&
           race.first + race.size <= block.first + block.size;
  };
  Blocks::Block block = runtime_.blocks_.At(last_owned_block_);
  if (!contains_race(block)) block = runtime_.blocks_.Containing(race.first);
  if (!contains_race(block)) return false;
  last_owned_block_ = block.first;
  return block.thread == running.thread;
}

void Races::Sift(const Race& race, const Side& earlier, const Side& later, size_t range) {
  const uintptr_t end = race.first + race.size;
  for (; range < ignored_.Size(); ++range) {
    const uintptr_t first = ignored_[range].first;
    const uintptr_t range_end = first + ignored_[range].size;
    if (end <= first || range_end <= race.first) continue;
    if (race.first < first) Sift(Part(race, race.first, first), earlier, later, range + 1);
    if (range_end < end) Sift(Part(race, range_end, end), earlier, later, range + 1);
    return;
  }
  ++occurrences_;
  runtime_.options_.dedup[0] == 's' ? OnSite(race, earlier, later)
                                    : OnAddresses(race, earlier, later);
}

void Races::OnSite(const Race& race, const Side& earlier, const Side& later) {
  const Checker& checker = *runtime_.checker_;
  const Pair pair{checker.SiteOf(earlier.where).pc, checker.SiteOf(later.where).pc,
                  static_cast<uint64_t>(race.earlier.kind) | static_cast<uint64_t>(race.later.kind)
                                                                 << 8};
  const size_t number = pairs_.Intern(pair);
  if (counts_.Size() <= number) counts_.Resize(number + 1);
  Count& count = counts_[number];
  if (count.seen == 0) {
    count = {1, 1};
    if (number <= kMostRecords || runtime_.options_.max_races == 0) {
      Write(number, race, earlier, later);
    } else {
      ++unwritten_;
    }
  } else if (std::has_single_bit(++count.seen)) {
    // At every power of two: then the count of a killed program is right up to a factor of two, for a
    // logarithmic number of writes.
    WriteCounts();
  }
}

void Races::OnAddresses(const Race& race, const Side& earlier, const Side& later) {
  for (size_t at = 0; at < race.size;) {
    if (!MarkByte(race.first + at)) {
      ++at;
      continue;
    }
    const size_t from = at;
    for (++at; at < race.size && MarkByte(race.first + at);) ++at;
    if (counts_.Empty()) counts_.Append({});  // number 0 is unused
    counts_.Append({1, 1});
    Write(counts_.Size() - 1, Part(race, race.first + from, race.first + at), earlier, later);
  }
}

bool Races::MarkByte(uintptr_t byte) {
  const size_t word = words_.Intern({byte >> 3});
  if (racy_.Size() <= word) racy_.Resize(word + 1);
  const uint8_t bit = uint8_t(1u << (byte & 7));
  const bool is_new = (racy_[word] & bit) == 0;
  racy_[word] |= bit;
  return is_new;
}

void Races::Write(size_t number, const Race& race, const Side& earlier, const Side& later) {
  if (!runtime_.OpenLog()) return;
  Log& log = runtime_.log_;
  runtime_.modules_.Introduce(log);
  log.BeginLine("race");
  log.Field("id", number);
  const bool is_race = runtime_.checker_->Disjoint(race.earlier.locks, race.later.locks);
  log.Field("class", is_race ? "race" : "lock-order");
  log.Field("address", static_cast<uint64_t>(race.first));
  log.Field("size", race.size);
  log.BeginArray("accesses");
  WriteAccess(race.earlier, earlier);
  WriteAccess(race.later, later);
  log.EndArray();
  WriteLocation("location", race.first);
  log.EndLine();
  auto& open = runtime_.execution_.open_races;
  if (!runtime_.is_parallel_ && open.Size() < kMostOpen && questions_ < kMostQuestions) {
    open.Append({number, race.earlier.strand, race.later.strand});
  }
  runtime_.OnRaceWritten();
}

void Races::OnJoined(uintptr_t pc) {
  const ReportingLock::Guard guard(runtime_.reporting_);
  Execution& execution = runtime_.execution_;
  Log& log = runtime_.log_;
  size_t left = 0;
  questions_ += execution.open_races.Size();
  for (size_t i = 0; i < execution.open_races.Size(); ++i) {
    const Execution::OpenRace race = execution.open_races[i];
    if (!runtime_.detection_->Precedes(race.earlier) ||
        !runtime_.detection_->Precedes(race.later)) {
      execution.open_races[left++] = race;
      continue;
    }
    if (!log.is_open()) continue;
    runtime_.modules_.Introduce(log);
    log.BeginLine("joined");
    log.Field("id", race.number);
    log.Field("task", uint64_t{Index(execution.task)});
    log.Field("strand", uint64_t{Index(execution.strand)});
    WriteStack("stack", runtime_.checker_->Here(pc));
    log.EndLine();
  }
  execution.open_races.Truncate(questions_ < kMostQuestions ? left : 0);
}

void Races::WriteAccess(const RacingAccess& access, const Side& side) {
  Log& log = runtime_.log_;
  const Checker& checker = *runtime_.checker_;
  const Contexts::Site site = checker.SiteOf(side.where);
  log.BeginObject(nullptr);
  log.Field("op", NameOf(access.kind, site.operation()));
  log.Field("size", uint64_t{site.size()});
  log.Field("task", uint64_t{Index(side.task)});
  log.Field("strand", uint64_t{Index(access.strand)});
  log.BeginArray("locks");
  uintptr_t locks[kMostLocks];
  const size_t count = checker.LocksOf(access.locks, locks);
  for (size_t i = 0; i < count; ++i) log.Number(static_cast<int64_t>(locks[i]));
  log.EndArray();
  log.BeginArray("lock_locations");
  for (size_t i = 0; i < count; ++i) WriteLocation(nullptr, locks[i]);
  log.EndArray();
  WriteStack("stack", side.where);
  WriteCreators(side);
  log.EndObject();
}

void Races::WriteCreators(const Side& side) {
  Log& log = runtime_.log_;
  const Checker& checker = *runtime_.checker_;
  const TaskId task = side.task;
  const int64_t* const iteration = side.is_iteration ? &side.iteration : nullptr;
  // A lane is shown as if the loop had created it.
  const bool is_lane = side.simd_loop != kNowhere;
  size_t length = 0;
  ForEachCreation(task, [&](TaskId) { ++length; });
  log.BeginArray("created");
  if (is_lane) WriteStack(nullptr, side.simd_loop);
  size_t at = 0;
  ForEachCreation(task, [&](TaskId created) {
    const bool is_shown = at < kInnermostCreations || at + kOutermostCreations >= length;
    WriteStack(nullptr, is_shown ? checker.CreatedAt(created) : kNowhere);
    ++at;
  });
  log.EndArray();
  log.BeginArray("ancestors");
  if (is_lane) log.Number(Index(task));
  ForEachCreation(task, [&](TaskId created) { log.Number(Index(checker.CreatorOf(created))); });
  log.EndArray();
  log.BeginArray("iterations");
  int64_t level = 0;
  if (is_lane) {
    log.Number(level++);
    log.Number(kFirstLane + side.lane);
  }
  const auto write = [&](TaskId of) {
    int64_t number = 0;
    if (checker.IterationOf(of, number)) {
      log.Number(level);
      log.Number(number);
    }
    ++level;
  };
  if (iteration == nullptr) {
    write(task);
  } else {
    log.Number(level++);
    log.Number(*iteration);
  }
  ForEachCreation(task, [&](TaskId created) { write(checker.CreatorOf(created)); });
  log.EndArray();
  log.BeginArray("threads");
  level = is_lane ? 1 : 0;
  const auto write_thread = [&](TaskId of) {
    uint32_t number, team_size;
    if (checker.ThreadOf(of, number, team_size)) {
      log.Number(level);
      log.Number(number);
      log.Number(team_size == TaskTable::kNoTeam ? 0 : team_size);
    }
    ++level;
  };
  write_thread(task);
  ForEachCreation(task, [&](TaskId created) { write_thread(checker.CreatorOf(created)); });
  log.EndArray();
  if (iteration == nullptr && checker.IsLoop(task)) log.Bool("loop", true);
}

template <class Visit>
void Races::ForEachCreation(TaskId task, Visit visit) const {
  const Checker& checker = *runtime_.checker_;
  for (size_t i = 0; task != kRootTask && i < kMostCreators; ++i, task = checker.CreatorOf(task)) {
    visit(task);
  }
}

void Races::WriteStack(const char* key, Where where) {
  Log& log = runtime_.log_;
  log.BeginArray(key);
  if (where != kNowhere) {
    uintptr_t frames[kMostFrames];
    const size_t count = runtime_.checker_->StackOf(where, frames);
    for (size_t i = 0; i < count; ++i) runtime_.modules_.Write(log, frames[i]);
  }
  log.EndArray();
}

void Races::WriteLocation(const char* key, uintptr_t address) {
  Log& log = runtime_.log_;
  log.BeginObject(key);
  int module;
  uintptr_t offset;
  if (const unsigned number = runtime_.worker_numbers_.NumberOf(address);
      number != WorkerNumbers::kNone) {
    FixedLine name;
    name << "this_worker() == " << uint64_t{number};
    log.Field("what", "worker");
    log.Field("name", name.Text());
    log.EndObject();
    return;
  }
  const Blocks::Block block = runtime_.blocks_.Containing(address);
  const std::optional<Variables::Live> live = runtime_.VariableAround(address);
  const __taskrace_future* state = StateAround(address);
  if (block.first != 0) {
    log.Field("what", "heap");
    log.Field("start", static_cast<uint64_t>(block.first));
    log.Field("size", block.size);
    WriteStack("stack", block.allocated_at);
  } else if (live.has_value()) {
    log.Field("what", "stack");
    log.Field("start", static_cast<uint64_t>(live->first));
    log.Field("size", live->size);
    log.Field("name", live->variable == nullptr ? "" : live->variable->name);
    log.Field("function", live->variable == nullptr ? "" : live->variable->function);
    log.Field("file", live->variable == nullptr ? "" : live->variable->file);
    log.Field("line", live->variable == nullptr ? 0 : uint64_t{live->variable->line});
  } else if (state != nullptr) {
    log.Field("what", state->promise != 0 ? "promise" : "future");
    WriteStack("stack", Where{state->made_at});
  } else if (runtime_.modules_.Find(address, module, offset)) {
    log.Field("what", "global");
    log.Field("module", static_cast<uint64_t>(module));
    log.Field("offset", static_cast<uint64_t>(offset));
  } else if (Modules::IsThreadLocal(address)) {
    log.Field("what", "tls");
  } else if (runtime_.IsOnAStack(address)) {
    log.Field("what", "stack");
    log.Field("start", static_cast<uint64_t>(address));
    log.Field("size", uint64_t{0});
    log.Field("name", "");
    log.Field("function", "");
    log.Field("file", "");
    log.Field("line", uint64_t{0});
  } else {
    log.Field("what", "unknown");
    const Blocks::Block before = runtime_.blocks_.Before(address);
    if (before.first != 0 && address - (before.first + before.size) < kNearBlock) {
      log.Field("start", static_cast<uint64_t>(before.first));
      log.Field("size", before.size);
      WriteStack("stack", before.allocated_at);
    }
  }
  log.EndObject();
}

void Races::Ignore(uintptr_t first, size_t size) {
  const ReportingLock::Guard guard(runtime_.reporting_);
  ignored_.Append({first, size});
  ignored_pages_.Add({first, size});
}

void Races::CutOut(uintptr_t first, size_t size) {
  const ReportingLock::Guard guard(runtime_.reporting_);
  const uintptr_t end = first + size;
  bool is_changed = false;
  for (size_t i = ignored_.Size(); i-- > 0;) {
    const Range range = ignored_[i];
    const uintptr_t range_end = range.first + range.size;
    if (range_end <= first || end <= range.first) continue;
    ignored_[i] = ignored_.Back();
    ignored_.PopBack();
    if (range.first < first) ignored_.Append({range.first, first - range.first});
    if (end < range_end) ignored_.Append({end, range_end - end});
    is_changed = true;
  }
  if (is_changed) ignored_pages_.Set({ignored_.Data(), ignored_.Size()});
}

void Races::WriteCounts() {
  Log& log = runtime_.log_;
  for (size_t number = 1; number < counts_.Size() && log.is_open(); ++number) {
    Count& count = counts_[number];
    if (count.seen == count.written) continue;
    count.written = count.seen;
    log.BeginLine("count");
    log.Field("id", number);
    log.Field("n", count.seen);
    log.EndLine();
  }
}

void Races::Forget() {
  for (size_t number = 1; number < counts_.Size(); ++number) counts_[number] = {};
  for (size_t word = 1; word < racy_.Size(); ++word) racy_[word] = 0;
  occurrences_ = unwritten_ = questions_ = 0;
  runtime_.execution_.open_races.Truncate(0);
}

}  // namespace taskrace
