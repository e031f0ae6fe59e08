// Auto: structured futures by MultiBags, and by DoneSets from the moment that the program leaves
// that class.
// Paper:      none.
// Handles:    as DoneSets: everything but promises; serial depth-first execution.
// Invariant:  while MultiBags runs, the log has every event so far that matters. Replaying it gives DoneSets the
//             state that it would have, for neither tasks nor strands are numbered by the engine.
// Query:      the running engine's.
// Cost:       the running engine's; while it is MultiBags, 12 bytes and one more store per event, until Collect
//             forgets it.
// Deviation:  the history is not replayed: its readers must be those that DoneSets will need. So
//             while MultiBags runs, readers are pruned by Places, which is right in every dag, and
//             not by bags.
// Thread rule: one thread.
// Tested by:  test/oracle/auto_test.cc
#pragma once

#include <optional>

#include "detect/reach/construct_log.h"
#include "detect/reach/donesets.h"
#include "detect/reach/multibags.h"
#include "detect/reach/places.h"
#include "detect/reach/reachability.h"

namespace taskrace {

class Auto : public WithoutPromises {
 public:
  static constexpr const char* kName = "auto";
  static constexpr bool kOneReader = false;

  constexpr Auto() = default;

  // The engine that answers now.
  const char* Name() const { return structured_ ? MultiBags::kName : DoneSets::kName; }
  // Why MultiBags could not go on; null while it can.
  OutsideClass Left() const { return left_; }

  void OnStart(TaskId task, GroupId finish, StrandId strand) {
    structured_.emplace();
    structured_->log.Start(strand);
    structured_->bags.OnStart(task, finish, strand);
    structured_->places.OnStart(task);
    Note({Event::kStart, How::kFinish, task, Index(finish)});
  }
  OutsideClass OnCreate(TaskId task, TaskId child, How how, GroupId group, StrandId strand) {
    if (!structured_) return general_->OnCreate(task, child, how, group, strand);
    structured_->places.OnCreate(task, child, how, group);
    Note({Event::kCreate, how, task, Index(group)});
    return Climb(structured_->bags.OnCreate(task, child, how, group, strand));
  }
  OutsideClass OnEnd(TaskId task) {
    if (!structured_) return general_->OnEnd(task);
    structured_->places.OnEnd(task);
    Note({Event::kEnd, How::kFinish, task, 0});
    return Climb(structured_->bags.OnEnd(task));
  }
  void OnProceed(TaskId task, StrandId strand) {
    if (!structured_) return general_->OnProceed(task, strand);
    Note({Event::kProceed, How::kFinish, task, 0});
    structured_->bags.OnProceed(task, strand);
  }
  OutsideClass OnOpen(TaskId task, GroupId finish, StrandId strand) {
    if (!structured_) return general_->OnOpen(task, finish, strand);
    Note({Event::kOpen, How::kFinish, task, Index(finish)});
    return Climb(structured_->bags.OnOpen(task, finish, strand));
  }
  OutsideClass OnJoin(TaskId task, GroupId group, How how, std::span<const TaskId> singles,
                      StrandId strand) {
    if (!structured_) return general_->OnJoin(task, group, how, singles, strand);
    structured_->places.OnJoin(task, group, strand);
    for (TaskId single : singles) Note({Event::kSingle, how, single, 0});
    Note({Event::kJoin, how, task, Index(group)});
    return Climb(structured_->bags.OnJoin(task, group, how, singles, strand));
  }
  OutsideClass OnGet(TaskId task, TaskId child, How how, StrandId strand) {
    if (!structured_) return general_->OnGet(task, child, how, strand);
    Note({Event::kGet, how, task, Index(child)});
    return Climb(structured_->bags.OnGet(task, child, how, strand));
  }

  bool IsSettled(StrandId u) const { return structured_ && structured_->bags.IsSettled(u); }
  bool AllIsSettled(StrandId now) const {
    return structured_ && structured_->bags.AllIsSettled(now);
  }
  bool Precedes(StrandId u) {
    return structured_ ? structured_->bags.Precedes(u) : general_->Precedes(u);
  }
  TaskId TaskOf(StrandId u) const {
    return structured_ ? structured_->bags.TaskOf(u) : general_->TaskOf(u);
  }
  uint64_t ReaderClass(StrandId u) {
    return structured_ ? structured_->places.ClassOf(u, structured_->bags.TaskOf(u))
                       : general_->ReaderClass(u);
  }
  template <class Roots>
  void Collect(const Roots& roots) {
    if (!structured_) return general_->Collect(roots);
    auto& [bags, places, log] = *structured_;
    bags.Mark(WithPlaces<Roots>{roots, *structured_});
    log.Forget([&bags](StrandId u) { return bags.IsMarked(u); });
    bags.ForgetOthers();
    places.ForgetOthers();
  }
  size_t BytesUsed() const {
    return structured_ ? structured_->BytesUsed() : general_->BytesUsed();
  }

 private:
  using Event = ConstructLog::Event;

  struct Structured {
    MultiBags bags;
    Places places;
    ConstructLog log;
    size_t BytesUsed() const { return bags.BytesUsed() + places.BytesUsed() + log.BytesUsed(); }
  };

  // What MultiBags needs, Places needs too.
  template <class Roots>
  struct WithPlaces {
    const Roots& roots;
    Structured& structured;
    template <class Visit>
    void ForEachStrand(Visit visit) const {
      roots.ForEachStrand([&](StrandId u) {
        structured.places.Keep(structured.bags.TaskOf(u));
        visit(u);
      });
    }
    template <class Visit>
    void ForEachRunning(Visit visit) const {
      roots.ForEachRunning([&](TaskId task) {
        structured.places.Keep(task);
        visit(task);
      });
    }
  };

  void Note(const ConstructLog::Entry& entry) { structured_->log.Note(entry); }

  OutsideClass Climb(OutsideClass reason) {
    if (reason == nullptr) [[likely]]
      return nullptr;
    left_ = reason;
    general_.emplace();
    OutsideClass again = structured_->log.Replay(*general_);
    structured_.reset();
    return again;
  }

  std::optional<Structured> structured_;  // from the start to the end of the class
  std::optional<DoneSets> general_;
  OutsideClass left_ = nullptr;
};
static_assert(Reachability<Auto>);

}  // namespace taskrace
