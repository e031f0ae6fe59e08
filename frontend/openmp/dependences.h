// The `depend` clauses of the children of one task: who comes after whom.
//
// Of each address the newest set of tasks that may run together is known, and the set before it. A task
// that joins the newest set comes after the one before it, and a task that begins a set comes after the
// newest. (in, mutexinoutset and inoutset make such sets; an out is alone in its set.)
#pragma once

#include <span>

#include "detect/ds/intern_table.h"
#include "detect/ds/mapped_array.h"
#include "frontend/openmp/tasks.h"

namespace taskrace::openmp {

// Those that a task comes after, each with a reference, and the locks that it takes.
class Predecessors {
 public:
  template <class Visit>
  void ForEach(Visit visit) const {
    for (uint32_t i = 0; i < tasks_count_; ++i) visit(*tasks_[i]);
  }
  template <class Visit>
  void ForEachLock(Visit visit) const {
    for (uint32_t i = 0; i < locks_count_; ++i) visit(locks_[i]);
  }
  void FreeStorage() const {
    if (tasks_ != nullptr) Free(tasks_);
    if (locks_ != nullptr) Free(locks_);
  }

 private:
  friend struct DependenceTable;
  ExplicitTask** tasks_ = nullptr;
  uintptr_t* locks_ = nullptr;
  uint32_t tasks_count_ = 0;
  uint32_t locks_count_ = 0;
};

struct DependenceTable {
  // `task` has these dependences; null: the parent itself waits for those before it. Returns its predecessors.
  Predecessors Add(ExplicitTask* task, std::span<const Dependence> list);
  // Calls visit(task) for every task that it has a reference to.
  template <class Visit>
  void ForEachTask(Visit visit) {
    for (size_t i = 0; i < members_.Size(); ++i) visit(members_[i].task);
  }
  void FreeStorage();

 private:
  static constexpr uint32_t kNone = 0;
  struct Member {
    ExplicitTask* task;
    uint32_t next;
  };
  struct Address {
    uintptr_t address;
    uint64_t Hash() const { return Mix(address); }
    bool operator==(const Address&) const = default;
  };
  struct Entry {
    bool is_known;    // else only omp_all_memory comes before
    uint8_t kind;     // of the newest set
    uint32_t newest;  // members, chained; numbers from 1 on
    uint32_t before;
  };

  Entry& EntryOf(uintptr_t address);
  void AddTo(uint32_t& set, ExplicitTask* task);
  void Collect(uint32_t set, ExplicitTask* except);
  void CollectOne(ExplicitTask* task);

  MappedArray<Member> members_{"dependences"};
  InternTable<Address> addresses_;
  MappedArray<Entry> entries_{"dependences"};  // by the number of the address
  MappedArray<ExplicitTask*> found_{"dependences"};
  MappedArray<uintptr_t> locks_{"dependences"};
  uint32_t all_memory_ = kNone;  // the newest task with omp_all_memory
};

}  // namespace taskrace::openmp
