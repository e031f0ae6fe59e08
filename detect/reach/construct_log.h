// ConstructLog: the events of a run so far, so that another engine can take over as if it had been there from
// the beginning. And the part of it that matters: what joined tasks did that nobody remembers becomes a count.
//
//   create 1, end 1, proceed, join, create 2 ...     nobody remembers a strand of task 1, nor its creator's since
//   skip 3 strands and 1 task, create 2 ...
//
// Idea:       a spawn or async that has ended, and below which there is no future, fork or get, changes for others
//             only that its creator goes on after it. If no strand below it is remembered, it can be left out. So
//             can a join of which no child is left, and a finish with nothing in it.
// Thread rule: one thread. Cost: 12 bytes an event; Forget: O(1) per event that is there.
// Tested by:  test/oracle/auto_test.cc, test/oracle/collected_tables_test.cc
#pragma once

#include "detect/ds/mapped_array.h"
#include "detect/reach/reachability.h"

namespace taskrace {

class ConstructLog {
 public:
  enum class Event : uint8_t {
    kStart,
    kCreate,
    kEnd,
    kProceed,
    kOpen,
    kSingle,
    kJoin,
    kGet,
    kSkip
  };
  // An event without what replaying knows anyway: strands and children are numbered in order.
  struct Entry {
    Event event;
    How how;
    TaskId task;     // of a skip: how many tasks
    uint32_t other;  // group or child; of a skip: how many strands
  };
  static_assert(sizeof(Entry) == 12);

  constexpr ConstructLog() = default;

  void Start(StrandId first) { first_strand_ = Index(first); }
  void Note(const Entry& entry) { log_.Append(entry); }

  // All events, for another engine; up to the one that leaves its class, which is returned.
  template <class Engine>
  [[gnu::noinline, gnu::cold]] OutsideClass Replay(Engine& engine) const {
    MappedArray<TaskId> singles("the futures of a finish");
    uint32_t strand = first_strand_;
    uint32_t child = 0;
    OutsideClass outside = nullptr;
    for (size_t i = 0; i < log_.Size() && outside == nullptr; ++i) {
      const auto [event, how, task, other] = log_[i];
      switch (event) {
        case Event::kStart:
          engine.OnStart(task, GroupId{other}, StrandId{strand++});
          break;
        case Event::kCreate:
          outside = engine.OnCreate(task, TaskId{++child}, how, GroupId{other}, StrandId{strand++});
          break;
        case Event::kEnd:
          outside = engine.OnEnd(task);
          break;
        case Event::kProceed:
          engine.OnProceed(task, StrandId{strand++});
          break;
        case Event::kOpen:
          outside = engine.OnOpen(task, GroupId{other}, StrandId{strand++});
          break;
        case Event::kSingle:
          singles.Append(task);
          break;
        case Event::kJoin:
          outside = engine.OnJoin(task, GroupId{other}, how, {singles.Data(), singles.Size()},
                                  StrandId{strand++});
          singles.Truncate(0);
          break;
        case Event::kGet:
          outside = engine.OnGet(task, TaskId{other}, how, StrandId{strand++});
          break;
        case Event::kSkip:
          engine.Skip(other, Index(task));
          strand += other;
          child += Index(task);
          break;
      }
    }
    return outside;
  }

  // Leaves out what nobody will ask for. is_needed(strand): somebody will.
  template <class IsNeeded>
  void Forget(IsNeeded is_needed) {
    Shortening left{*this};
    left.running.Append({});  // the root, which is never left out
    const size_t size = log_.Size();
    for (size_t i = 0; i < size; ++i) {
      const Entry entry = log_[i];
      const StrandId strand{first_strand_ + left.strands};
      switch (entry.event) {
        case Event::kSkip:
          left.strands += entry.other;
          left.tasks += Index(entry.task);
          left.Skip(entry.other, Index(entry.task));
          break;
        case Event::kCreate:
          left.running.Append({left.size, left.strands++, left.tasks++, left.unjoined.Size(),
                               GroupId{entry.other}, IsSingle(entry.how) || is_needed(strand)});
          left.Put(entry);
          break;
        case Event::kEnd:
          left.End(entry);
          break;
        case Event::kStart:
        case Event::kOpen:
          ++left.strands;
          left.running.Back().stays |= is_needed(strand);
          left.Put(entry);
          break;
        case Event::kProceed:
          ++left.strands;
          is_needed(strand) ? left.PutForGood(entry) : left.Skip(1, 0);
          break;
        case Event::kJoin:
          left.Join(entry, is_needed);
          break;
        case Event::kGet:
          ++left.strands;
          left.PutForGood(entry);
          break;
        case Event::kSingle:
          left.PutForGood(entry);
          break;
      }
    }
    log_.Truncate(left.size);
  }

  size_t BytesUsed() const { return log_.BytesUsed(); }

 private:
  // A task that has not ended, while the log is read from its beginning.
  struct Running {
    size_t create;     // its entry
    uint32_t strands;  // how many there were before it
    uint32_t tasks;
    size_t unjoined;  // where its groups begin in `unjoined`
    GroupId group;
    bool stays;  // it cannot be left out
  };
  // The log is shortened in place, behind the entries that were read.
  struct Shortening {
    ConstructLog& from;
    size_t size = 0;
    uint32_t strands = 0;
    uint32_t tasks = 0;
    MappedArray<Running> running{"running tasks"};
    // The groups of children that stay, of the running tasks.
    MappedArray<GroupId> unjoined{"open scopes"};

    void Put(const Entry& entry) { from.log_[size++] = entry; }
    void PutForGood(const Entry& entry) {
      running.Back().stays = true;
      Put(entry);
    }
    void Skip(uint32_t more_strands, uint32_t more_tasks) {
      if (size != 0 && from.log_[size - 1].event == Event::kSkip) {
        Entry& last = from.log_[size - 1];
        last.other += more_strands;
        last.task = TaskId{Index(last.task) + more_tasks};
      } else {
        Put({Event::kSkip, How::kFinish, TaskId{more_tasks}, more_strands});
      }
    }
    void End(const Entry& entry) {
      if (running.Size() == 1) return Put(entry);
      const Running ended = running.Back();
      running.PopBack();
      unjoined.Truncate(ended.unjoined);
      if (ended.stays) {
        PutForGood(entry);
        unjoined.Append(ended.group);
      } else {
        size = ended.create;
        Skip(strands - ended.strands, tasks - ended.tasks);
      }
    }
    template <class IsNeeded>
    void Join(const Entry& entry, IsNeeded is_needed) {
      const StrandId strand{from.first_strand_ + strands++};
      const bool joins = TakeUnjoined(GroupId{entry.other});
      if (is_needed(strand)) return PutForGood(entry);
      if (entry.how != How::kFinish) return joins ? Put(entry) : Skip(1, 0);
      // The finish began with the last entry that is not a skip?
      const bool has_skip = size > 1 && from.log_[size - 1].event == Event::kSkip;
      const uint32_t inside = has_skip ? from.log_[size - 1].other : 0;
      const uint32_t tasks_inside = has_skip ? Index(from.log_[size - 1].task) : 0;
      const Entry& open = from.log_[size - (has_skip ? 2 : 1)];
      if (open.event != Event::kOpen || open.other != entry.other ||
          is_needed(StrandId{Index(strand) - inside - 1})) {
        return Put(entry);
      }
      size -= has_skip ? 2 : 1;
      Skip(inside + 2, tasks_inside);
    }
    // Is one of the group's children that the running task has created still there?
    bool TakeUnjoined(GroupId group) {
      size_t left = running.Back().unjoined;
      const size_t all = unjoined.Size();
      for (size_t i = left; i < all; ++i) {
        if (unjoined[i] != group) unjoined[left++] = unjoined[i];
      }
      unjoined.Truncate(left);
      return left != all;
    }
  };

  MappedArray<Entry> log_{"the log of constructs"};
  uint32_t first_strand_ = 0;
};

}  // namespace taskrace
