// A program for parallel detection: what the oracle says of it, and a host that compares each race
// with that. An access names itself by its Where, so both sides of a race can be looked up.
#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "detect/parallel/worker.h"
#include "test/oracle/execution.h"

namespace taskrace::oracle {

// Which strand does each access, and which strands a task has, in serial execution.
class Numbering final : public Listener {
 public:
  struct Known {
    size_t strand;
    const Construct* access;
  };

  explicit Numbering(const Body& program) { NumberTasks(program); }

  // The name of an access, a construct of the program.
  Where WhereOf(const Construct& access) const { return Where{number_of_.at(&access)}; }
  const Known& operator[](Where where) const { return known_[static_cast<uint32_t>(where) - 1]; }
  // The task that a construct creates; null: the root.
  size_t TaskOf(const Construct* creator) const { return task_of_.at(creator); }
  // The strands of the task, in order.
  const std::vector<size_t>& StrandsOf(size_t task) const { return strands_of_.at(task); }

  void OnStrand(const Dag&, const Oracle&, size_t strand, TaskId task) override {
    strands_of_[Index(task)].push_back(strand);
  }
  void OnAccess(const Oracle&, size_t strand, const Construct& access,
                const std::set<unsigned>&) override {
    known_.push_back({strand, &access});
    number_of_[&access] = static_cast<uint32_t>(known_.size());
  }
  void OnRetire(const Oracle& oracle, size_t strand, const Construct& retire,
                const std::set<unsigned>& races) override {
    OnAccess(oracle, strand, retire, races);
  }
  void OnStart(TaskId, GroupId, StrandId) override {}
  void OnCreate(TaskId, TaskId, How, GroupId, StrandId) override {}
  void OnEnd(TaskId) override {}
  void OnProceed(TaskId, StrandId) override {}
  void OnOpen(TaskId, GroupId, StrandId) override {}
  void OnJoin(TaskId, GroupId, How, std::span<const TaskId>, StrandId) override {}
  void OnGet(TaskId, TaskId, How, StrandId) override {}
  void OnBlock(TaskId) override {}
  void OnSet(TaskId, PromiseId) override {}
  void OnGetPromise(TaskId, PromiseId, StrandId) override {}
  void OnClear(const Construct&) override {}

 private:
  // Depth-first execution creates tasks in the order of the text.
  void NumberTasks(const Body& body) {
    for (const Construct& c : body) {
      if (c.what == What::kSpawn || c.what == What::kAsync) {
        const size_t number = task_of_.size();
        task_of_[&c] = number;
      }
      NumberTasks(c.body);
    }
  }

  std::vector<Known> known_;
  std::map<const Construct*, uint32_t> number_of_;
  std::map<const Construct*, size_t> task_of_{{nullptr, 0}};
  std::map<size_t, std::vector<size_t>> strands_of_;
};

// What is true of a program, and what was reported of it.
class ParallelProgram {
 public:
  // A byte of the program is `scale` bytes of memory from `base` on, so that ranges are long, too. If its
  // strands are to have many accesses, they have others beside, which race with nothing.
  ParallelProgram(const Body& body, uintptr_t base, size_t scale, bool has_many)
      : body(body),
        numbering(body),
        execution(body, {&numbering}),
        base_(base),
        scale_(scale),
        has_many_(has_many) {}

  // The detector is told of an access.
  void Tell(ParallelWorker& worker, const Construct& access) const {
    const Where where = numbering.WhereOf(access);
    if (static_cast<uint32_t>(where) % 64 == 0) worker.CollectSoon();
    worker.SetLocks(LockSet{access.locks});
    while (has_many_ && worker.HasFew() && !worker.IsAlone()) {
      worker.Access(AccessKind::kRead, base_ + kApart, 8, where);
    }
    worker.Access(access.kind, base_ + access.first * scale_, access.size * scale_, where);
  }

  // Notes a race; says what is wrong with it, or nothing.
  std::string Note(const ParallelRace& race) {
    Numbering::Known a = numbering[race.earlier.where];
    Numbering::Known b = numbering[race.later.where];
    if (a.strand > b.strand) std::swap(a, b);
    const PastAccess earlier{a.strand, *a.access}, later{b.strand, *b.access};
    if (!execution.GetOracle().Races(earlier, later)) return "the two do not race";
    for (uintptr_t at = race.first; at < race.first + race.size; ++at) {
      const unsigned byte = static_cast<unsigned>((at - base_) / scale_);
      if (!Touches(*a.access, byte) || !Touches(*b.access, byte)) return "a byte of only one";
      reported_[at - base_] = true;
    }
    return "";
  }
  // What is wrong with all that was reported; nothing if it is exactly what there is.
  std::string Compare() const {
    const std::set<unsigned>& racy = execution.GetOracle().EverRacy();
    for (const unsigned byte : racy) {
      for (uintptr_t at = base_ + byte * scale_; at < base_ + (byte + 1) * scale_; ++at) {
        if (!reported_[at - base_]) return "a racy byte is missed: " + std::to_string(byte);
      }
    }
    const auto reported = std::ranges::count(reported_, true);
    return static_cast<size_t>(reported) == racy.size() * scale_ ? ""
                                                                 : "a byte is reported in vain";
  }

  const Body& body;
  Numbering numbering;
  Execution execution;

 private:
  static constexpr uintptr_t kApart = uintptr_t{10} << 10;  // from what any program touches

  static bool Touches(const Construct& access, unsigned byte) {
    return byte >= access.first && byte < access.first + access.size;
  }

  const uintptr_t base_;
  const size_t scale_;
  const bool has_many_;
  std::vector<bool> reported_ = std::vector<bool>(kBytes * scale_);  // from base_ on
};

// How much memory a byte of the n-th program is: a byte, a part of a line of cells, a line, more; now and
// then a block of a page.
inline size_t ScaleOf(size_t n) {
  constexpr size_t kScales[] = {1, 1, 1, 4, 8, 24, 32, 64, 100};
  constexpr size_t kRounds = 5;  // atomics and locks make a list of every byte: seldom
  n %= kRounds * std::size(kScales) + 1;
  return n == 0 ? ShadowDirectory::kBlockBytes : kScales[n % std::size(kScales)];
}
// Whether the strands of the n-th program have many accesses.
inline bool HasMany(size_t n) { return n % 4 == 0; }
// Programs apart from each other: cells that were split stay split.
inline uintptr_t MemoryOf(size_t n, uintptr_t like) {
  return like + n * 4 * ShadowDirectory::kPageBytes;
}

// Where the reports of a program go. Lock sets are sets of bits.
class ParallelReferee : public ParallelHost {
 public:
  void Begin(ParallelProgram& program) {
    program_ = &program;
    wrong_.clear();
  }
  const std::string& Wrong() const { return wrong_; }

  void OnRace(const ParallelRace& race) override {
    const std::lock_guard lock(mutex_);
    const std::string wrong = program_->Note(race);
    if (wrong_.empty()) wrong_ = wrong;
  }
  AccessLog::Found PartWith(uintptr_t, const AccessLog::Found& found) override { return found; }
  bool MayRace(LockSet a, LockSet b) override {
    return (static_cast<uint32_t>(a) & static_cast<uint32_t>(b)) == 0;
  }
  void Release(const Quarantine::Block&) override {}

 private:
  std::mutex mutex_;
  ParallelProgram* program_ = nullptr;
  std::string wrong_;
};

}  // namespace taskrace::oracle
