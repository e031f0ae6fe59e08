// The oracle for a program that ran: replays its trace, keeps every access of every strand to every
// byte, and finds all racy bytes by brute force. It shares nothing with the detector but the trace.
//
// Cost: n*n/16 bytes and steps for n strands, and for each access a step for each earlier one to
// the same byte. Good for programs of some ten thousand strands.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "report/race.h"
#include "test/oracle/dag_engine.h"
#include "test/oracle/trace_reader.h"

namespace taskrace::oracle {

class Replay {
 public:
  enum class Part { kAll, kConstructs };
  // Replays all of the trace, or only the constructs: then nothing is racy.
  explicit Replay(TraceReader trace, Part part = Part::kAll);

  // Addresses of all bytes that raced while they had their use.
  const std::set<uint64_t>& Racy() const { return racy_; }
  size_t Strands() const { return strands_; }
  uint64_t Accesses() const { return accesses_; }
  // The first strand that begins with a join and that both precede; kNoStrand: none does, or one of them is not a task's.
  StrandId JoinOf(StrandId one, StrandId other) const;
  // Of all tasks, at the end of main.
  StrandId LastJoin() const { return joins_.empty() ? kNoStrand : joins_.back(); }

 private:
  struct Touch {
    size_t strand;  // its number in the dag
    AccessKind kind;
    uint32_t locks;  // index of lock_sets_
    bool operator==(const Touch&) const = default;
  };
  static constexpr uint64_t kPage = 4096;
  using Page = std::vector<std::vector<Touch>>;  // by byte
  struct Lock {
    uint64_t address;
    bool shared;
    auto operator<=>(const Lock&) const = default;
  };

  void Step(TraceRecord record, TraceReader& trace);
  // The newest strand of the dag runs.
  void Enter() { strand_ = dag_->Newest(), ++strands_; }
  // The same, by a construct that has given it a number.
  void Enter(StrandId strand) {
    Enter();
    numbers_[strand] = strand_;
  }
  void EnterJoined(StrandId strand) {
    Enter(strand);
    joins_.push_back(strand);
  }
  void Create(TraceReader& trace);
  void End(TaskId task);
  size_t Iteration(uint64_t k);
  void Locks(TraceReader& trace);
  void Access(AccessKind kind, uint64_t first, uint64_t size);
  void Access(AccessKind kind, size_t strand, uint64_t first, uint64_t size);
  void Rows(AccessKind kind, TraceReader& trace);
  void OfLoop(AccessKind kind, TraceReader& trace);
  void Clear(uint64_t first, uint64_t size);

  bool Races(const std::vector<Touch>& earlier, const Touch& later);
  bool Disjoint(uint32_t a, uint32_t b) const;
  Page& PageAt(uint64_t number);

  const Part part_;
  std::unique_ptr<DagEngine> dag_;
  size_t strand_ = 0;
  // The loop whose iterations run or will run next.
  struct Loop {
    TaskId creator = kRootTask;
    GroupId group = kNoGroup;
  };
  Loop loop_;
  bool in_iteration_ = false;                                  // one that is no task runs
  std::map<std::pair<GroupId, uint64_t>, size_t> iterations_;  // their strands
  std::map<TaskId, Loop> was_iteration_;                       // tasks that began as one
  std::vector<std::vector<Lock>> lock_sets_ = {{}};
  uint32_t locks_ = 0;
  std::map<uint64_t, Page> pages_;  // by address / kPage
  std::set<uint64_t> racy_;
  std::map<StrandId, size_t> numbers_;  // in the dag
  std::vector<StrandId> joins_;         // those that begin with a join, in their order
  size_t strands_ = 0;
  uint64_t accesses_ = 0;
};

}  // namespace taskrace::oracle
