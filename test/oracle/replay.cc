#include "test/oracle/replay.h"

#include <algorithm>

namespace taskrace::oracle {

Replay::Replay(TraceReader trace, Part part) : part_(part) {
  while (!trace.AtEnd()) Step(trace.Record(), trace);
}

void Replay::Step(TraceRecord record, TraceReader& trace) {
  switch (record) {
    case TraceRecord::kStart: {
      const auto task = trace.Get<TaskId>();
      const auto finish = trace.Get<GroupId>();
      const auto strand = trace.Get<StrandId>();
      dag_ = std::make_unique<DagEngine>();
      in_iteration_ = false;
      iterations_.clear();
      was_iteration_.clear();
      dag_->OnStart(task, finish, strand);
      pages_.clear();
      numbers_.clear();
      joins_.clear();
      return Enter(strand);
    }
    case TraceRecord::kCreate:
      return Create(trace);
    case TraceRecord::kEnd:
      return End(trace.Get<TaskId>());
    case TraceRecord::kProceed: {
      const auto task = trace.Get<TaskId>();
      const auto strand = trace.Get<StrandId>();
      dag_->OnProceed(task, strand);
      return Enter(strand);
    }
    case TraceRecord::kOpen: {
      const auto task = trace.Get<TaskId>();
      const auto finish = trace.Get<GroupId>();
      const auto strand = trace.Get<StrandId>();
      dag_->OnOpen(task, finish, strand);
      return Enter(strand);
    }
    case TraceRecord::kJoin: {
      const auto task = trace.Get<TaskId>();
      const auto group = trace.Get<GroupId>();
      const auto how = trace.Get<How>();
      const auto strand = trace.Get<StrandId>();
      std::vector<TaskId> singles(trace.Number());
      for (TaskId& single : singles) single = trace.Get<TaskId>();
      dag_->OnJoin(task, group, how, singles, strand);
      return EnterJoined(strand);
    }
    case TraceRecord::kGet: {
      const auto task = trace.Get<TaskId>();
      const auto child = trace.Get<TaskId>();
      const auto how = trace.Get<How>();
      const auto strand = trace.Get<StrandId>();
      dag_->OnGet(task, child, how, strand);
      return EnterJoined(strand);
    }
    case TraceRecord::kBlock:
      dag_->OnBlock(trace.Get<TaskId>());
      return;
    case TraceRecord::kSet: {
      const auto task = trace.Get<TaskId>();
      dag_->OnSet(task, trace.Get<PromiseId>());
      return;
    }
    case TraceRecord::kGetPromise: {
      const auto task = trace.Get<TaskId>();
      const auto promise = trace.Get<PromiseId>();
      const auto strand = trace.Get<StrandId>();
      dag_->OnGetPromise(task, promise, strand);
      return EnterJoined(strand);
    }
    case TraceRecord::kLocks:
      return Locks(trace);
    case TraceRecord::kRead:
    case TraceRecord::kWrite:
    case TraceRecord::kAtomicRead:
    case TraceRecord::kAtomicWrite: {
      const uint64_t first = trace.First();
      const int kind = static_cast<int>(record) - static_cast<int>(TraceRecord::kRead);
      return Access(static_cast<AccessKind>(kind), first, trace.Number());
    }
    case TraceRecord::kReadRows:
      return Rows(AccessKind::kRead, trace);
    case TraceRecord::kWriteRows:
      return Rows(AccessKind::kWrite, trace);
    case TraceRecord::kRetire: {
      const uint64_t first = trace.First();
      const uint64_t size = trace.Number();
      Access(AccessKind::kWrite, first, size);
      return Clear(first, size);
    }
    case TraceRecord::kClear: {
      const uint64_t first = trace.First();
      return Clear(first, trace.Number());
    }
    case TraceRecord::kPart:
      loop_.creator = trace.Get<TaskId>();
      loop_.group = trace.Get<GroupId>();
      return;
    case TraceRecord::kIteration:
      strand_ = Iteration(trace.Number());
      in_iteration_ = true;
      return;
    case TraceRecord::kPartEnd:
      trace.Number();
      in_iteration_ = false;
      return;
    case TraceRecord::kLoopRead:
      return OfLoop(AccessKind::kRead, trace);
    case TraceRecord::kLoopWrite:
      return OfLoop(AccessKind::kWrite, trace);
  }
  throw std::runtime_error("the trace has a record of unknown kind");
}

StrandId Replay::JoinOf(StrandId one, StrandId other) const {
  const auto first = numbers_.find(one), second = numbers_.find(other);
  if (first == numbers_.end() || second == numbers_.end()) return kNoStrand;
  const auto joins = [&](StrandId strand) {
    const size_t join = numbers_.at(strand);
    return dag_->Precedes(first->second, join) && dag_->Precedes(second->second, join);
  };
  const auto found = std::ranges::find_if(joins_, joins);
  return found == joins_.end() ? kNoStrand : *found;
}

void Replay::Create(TraceReader& trace) {
  const auto task = trace.Get<TaskId>();
  const auto child = trace.Get<TaskId>();
  const auto how = trace.Get<How>();
  const auto group = trace.Get<GroupId>();
  const auto strand = trace.Get<StrandId>();
  if (in_iteration_) {
    in_iteration_ = false;
    was_iteration_[child] = loop_;
    dag_->BecomeTask(strand_, child, group);
  } else {
    dag_->OnCreate(task, child, how, group, strand);
  }
  Enter(strand);
}

// After an iteration come others of its loop, whatever has run meanwhile.
void Replay::End(TaskId task) {
  dag_->OnEnd(task);
  if (const auto was = was_iteration_.find(task); was != was_iteration_.end()) loop_ = was->second;
}

// The strand of an iteration, which exists from its first access on.
size_t Replay::Iteration(uint64_t k) {
  const auto [place, is_new] = iterations_.try_emplace({loop_.group, k});
  if (is_new) {
    place->second = dag_->AddIteration(loop_.creator, loop_.group);
    ++strands_;
  }
  return place->second;
}

void Replay::Locks(TraceReader& trace) {
  std::vector<Lock> locks(trace.Number());
  for (Lock& lock : locks) {
    const uint64_t number = trace.Number();
    lock = {number >> 1, (number & 1) != 0};
  }
  const auto known = std::ranges::find(lock_sets_, locks);
  locks_ = static_cast<uint32_t>(known - lock_sets_.begin());
  if (known == lock_sets_.end()) lock_sets_.push_back(locks);
}

void Replay::Access(AccessKind kind, uint64_t first, uint64_t size) {
  Access(kind, strand_, first, size);
}

void Replay::Access(AccessKind kind, size_t strand, uint64_t first, uint64_t size) {
  if (part_ == Part::kConstructs) return;
  ++accesses_;
  const Touch touch{strand, kind, locks_};
  for (uint64_t byte = first; byte < first + size;) {
    Page& page = PageAt(byte / kPage);
    const uint64_t end = std::min(first + size, (byte / kPage + 1) * kPage);
    for (; byte < end; ++byte) {
      std::vector<Touch>& touches = page[byte % kPage];
      // The same once more is no news; what a strand did to a byte is at the end.
      bool is_known = false;
      for (size_t i = touches.size(); i-- > 0 && touches[i].strand == strand && !is_known;) {
        is_known = touches[i] == touch;
      }
      if (is_known) continue;
      if (Races(touches, touch)) racy_.insert(byte);
      touches.push_back(touch);
    }
  }
}

void Replay::Rows(AccessKind kind, TraceReader& trace) {
  uint64_t first = trace.First();
  const uint64_t size = trace.Number();
  const uint64_t rows = trace.Number();
  const int64_t distance = trace.Signed();
  for (uint64_t row = 0; row < rows; ++row, first += static_cast<uint64_t>(distance)) {
    Access(kind, first, size);
  }
}

// Accesses of iterations that have not begun.
void Replay::OfLoop(AccessKind kind, TraceReader& trace) {
  const uint64_t first = trace.First();
  const uint64_t size = trace.Number();
  const uint64_t rows = trace.Number();
  const int64_t distance = trace.Signed();
  const int64_t step = trace.Signed();
  const uint64_t k = trace.Number();
  const uint64_t count = trace.Number();
  for (uint64_t i = 0; i < count; ++i) {
    const size_t strand = Iteration(k + i);
    for (uint64_t row = 0; row < rows; ++row) {
      Access(kind, strand,
             first + i * static_cast<uint64_t>(step) + row * static_cast<uint64_t>(distance), size);
    }
  }
}

void Replay::Clear(uint64_t first, uint64_t size) {
  const uint64_t end = first + size;
  for (auto at = pages_.lower_bound(first / kPage);
       at != pages_.end() && at->first * kPage < end;) {
    const uint64_t base = at->first * kPage;
    if (first <= base && base + kPage <= end) {
      at = pages_.erase(at);
      continue;
    }
    for (uint64_t byte = std::max(first, base); byte < std::min(end, base + kPage); ++byte) {
      at->second[byte % kPage].clear();
    }
    ++at;
  }
}

bool Replay::Races(const std::vector<Touch>& earlier, const Touch& later) {
  return std::ranges::any_of(earlier, [&](const Touch& touch) {
    return touch.strand != later.strand && Conflict(touch.kind, later.kind) &&
           Disjoint(touch.locks, later.locks) && !dag_->Precedes(touch.strand, later.strand);
  });
}

bool Replay::Disjoint(uint32_t a, uint32_t b) const {
  for (const Lock& ours : lock_sets_[a]) {
    for (const Lock& theirs : lock_sets_[b]) {
      if (ours.address == theirs.address && !(ours.shared && theirs.shared)) return false;
    }
  }
  return true;
}

Replay::Page& Replay::PageAt(uint64_t number) {
  Page& page = pages_[number];
  if (page.empty()) page.resize(kPage);
  return page;
}

}  // namespace taskrace::oracle
