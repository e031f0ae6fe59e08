#include "frontend/openmp/dependences.h"

#include <string.h>

namespace taskrace::openmp {

DependenceTable::Entry& DependenceTable::EntryOf(uintptr_t address) {
  const uint32_t number = addresses_.Intern({address});
  if (entries_.Size() <= number) entries_.Resize(number + 1);
  Entry& entry = entries_[number];
  if (!entry.is_known) entry = {true, kOut, all_memory_, kNone};
  return entry;
}

void DependenceTable::AddTo(uint32_t& set, ExplicitTask* task) {
  ++task->references;
  members_.Append({task, set});
  set = static_cast<uint32_t>(members_.Size());
}

void DependenceTable::CollectOne(ExplicitTask* task) {
  for (size_t i = 0; i < found_.Size(); ++i) {
    if (found_[i] == task) return;
  }
  ++task->references;
  found_.Append(task);
}

void DependenceTable::Collect(uint32_t set, ExplicitTask* except) {
  for (; set != kNone; set = members_[set - 1].next) {
    if (members_[set - 1].task != except) CollectOne(members_[set - 1].task);
  }
}

Predecessors DependenceTable::Add(ExplicitTask* task, std::span<const Dependence> list) {
  found_.Truncate(0);
  locks_.Truncate(0);
  bool all_memory = false;
  for (const Dependence& dependence : list) all_memory |= (dependence.flags & kAllMemory) != 0;
  if (all_memory) {
    for (size_t i = 0; i < entries_.Size(); ++i) Collect(entries_[i].newest, task);
    Collect(all_memory_, task);
    if (task != nullptr) {
      entries_.Truncate(0);
      all_memory_ = kNone;
      AddTo(all_memory_, task);
    }
  } else {
    for (const Dependence& dependence : list) {
      uint8_t kind = dependence.flags & (kOut | kMutexInOutSet | kInOutSet);
      if ((kind & 2) != 0) kind = kOut;
      if (kind == 0) continue;
      Entry& entry = EntryOf(dependence.address);
      const bool joins = kind != kOut && kind == entry.kind;
      Collect(joins ? entry.before : entry.newest, task);
      if (kind == kMutexInOutSet) locks_.Append(dependence.address);
      if (task == nullptr) continue;
      // The same task twice at one address is in its set already.
      if (entry.newest != kNone && members_[entry.newest - 1].task == task) {
        if (kind == kOut) entry.kind = kOut;
        continue;
      }
      if (!joins) {
        entry.before = entry.newest;
        entry.newest = kNone;
        entry.kind = kind;
      }
      AddTo(entry.newest, task);
    }
  }
  Predecessors predecessors;
  if (!found_.Empty()) {
    predecessors.tasks_ = Allocate<ExplicitTask*>(found_.Size());
    predecessors.tasks_count_ = static_cast<uint32_t>(found_.Size());
    memcpy(predecessors.tasks_, found_.Data(), found_.Size() * sizeof(ExplicitTask*));
  }
  if (!locks_.Empty() && task != nullptr) {
    predecessors.locks_ = Allocate<uintptr_t>(locks_.Size());
    predecessors.locks_count_ = static_cast<uint32_t>(locks_.Size());
    memcpy(predecessors.locks_, locks_.Data(), locks_.Size() * sizeof(uintptr_t));
  }
  return predecessors;
}

void DependenceTable::FreeStorage() { this->~DependenceTable(); }

}  // namespace taskrace::openmp
