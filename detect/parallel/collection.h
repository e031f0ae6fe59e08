// Collection: what nobody needs any more is found, while the workers run, and used again: access records,
// where their strands have been, and nodes of the task tree.
//
// Idea:       marking. A record is remembered by cells of the history and by nobody else for longer than a
//             worker tells. Records never move from one location to another. A node is known by records,
//             by the nodes below it, and by whoever runs or waits there (task_tree.h).
//             So it is enough that nobody who runs knows a number which no cell has:
//   settle    a new round; workers drop what they know by number, and the blocks that they fill
//             (Round). When all have told once more (quarantine.h), a record that is older
//             and still needed is in a cell.
//   mark      one worker looks at all cells. An unmarked record is in no cell, and comes into none.
//   reuse     another round. When all have told once more, nobody knows a record that is not marked, nor a
//             node that only such records know. Then the places of strands that have no other record are
//             forgotten, too (place_log.h).
//             When the root is alone, nothing of that is necessary: all that ran precedes whatever comes, and
//             nobody else knows a number. Then all records and places are forgotten at once (BeginAnew).
// Thread rule: any worker; Advance by whoever comes first, BeginAnew while nobody else runs.
// Cost:       a look at a flag per Tell. A collection costs a step a line of cells, a record and a
//             node, and comes when there are twice as many as the last one has left, and an eighth
//             of the shadow's bytes more.
// Tested by:  test/detect/parallel_records_test.cc, test/detect/parallel_nodes_test.cc,
//             test/oracle/parallel_threads_test.cc
#pragma once

#include <sched.h>

#include <atomic>

#include "detect/parallel/place_log.h"
#include "detect/parallel/quarantine.h"
#include "detect/parallel/record_table.h"

namespace taskrace {

class Collection {
 public:
  constexpr Collection(Epochs& epochs, RecordTable& records, PlaceLogs& places, TaskTree& tree)
      : epochs_(epochs), records_(records), places_(places), tree_(tree) {
    records.SetWhenLarge(is_wanted_);
    tree.SetWhenLarge(is_wanted_);
  }

  // What a worker must forget when a round has begun since the one that it knows: numbers of nodes, in any case
  // with the blocks that it fills; and numbers of records, if they may mean others now.
  struct Round {
    uint32_t of_nodes = 0;
    uint32_t of_records = 0;
    bool operator==(const Round&) const = default;
  };
  // To be compared with the one that a worker knows, before each time that it tells or adds something.
  [[gnu::always_inline]] Round Now() const { return round_.load(); }

  // A collection is to begin, though there are few.
  void Want() { is_wanted_.store(true, std::memory_order_relaxed); }
  // Whether Advance may have something to do.
  bool IsWanted() const { return is_wanted_.load(std::memory_order_relaxed); }
  // Goes on as far as others let, if a collection is wanted. for_each_record(visit) calls visit(id) for all that
  // cells have, and returns the bytes of the cells. Requires: the worker has told everything.
  template <class ForEachRecord>
  void Advance(ForEachRecord for_each_record) {
    if (is_advancing_.exchange(true)) return;
    // Another worker may have ended the collection since the caller looked. The next one must not begin unless
    // it is wanted, for BeginAnew would not end it.
    if (IsWanted()) TakeStep(for_each_record);
    is_advancing_.store(false);
  }

  // All that there is precedes whatever comes: a round in which only nodes that have not ended are needed.
  // Calls clear_cells(), which makes all cells empty, once in billions of records. Requires: nobody else
  // runs a strand, and the worker has told everything.
  template <class ClearCells>
  void BeginAnew(ClearCells clear_cells) {
    // Somebody who has nothing to run may be advancing.
    while (is_advancing_.exchange(true)) sched_yield();
    records_.Forget();
    places_.Forget();
    Round round = round_.load();
    if (records_.NeedsNumbers()) [[unlikely]] {
      clear_cells();
      records_.BeginAgain();
      ++round.of_records;
    }
    if (IsWanted()) {
      tree_.BeginCollection();
      tree_.MarkRunning();
      tree_.EndCollection(cell_bytes_);
      state_ = State::kIdle;
      is_wanted_.store(false, std::memory_order_relaxed);
    }
    ++round.of_nodes;
    round_.store(round);
    is_advancing_.store(false);
  }

 private:
  enum class State { kIdle, kSettling, kMarked };

  template <class ForEachRecord>
  void TakeStep(ForEachRecord for_each_record) {
    if (state_ == State::kIdle) {
      records_.BeginCollection();
      tree_.BeginCollection();
      BeginRound(State::kSettling);
    } else if (epochs_.HasPassed(epoch_)) {
      if (state_ == State::kSettling) {
        places_.BeginCollection();
        tree_.MarkRunning();
        cell_bytes_ = for_each_record([this](RecordId id) { Mark(id); });
        BeginRound(State::kMarked);
      } else {
        records_.EndCollection(cell_bytes_);
        tree_.EndCollection(cell_bytes_);
        places_.Collect();
        state_ = State::kIdle;
        is_wanted_.store(false, std::memory_order_relaxed);
      }
    }
  }
  void BeginRound(State state) {
    state_ = state;
    const Round before = round_.load();
    round_.store({before.of_nodes + 1, before.of_records + 1});
    epoch_ = epochs_.Begin();
  }
  void Mark(RecordId id) {
    if (records_.IsSettled(id) || (!records_.Mark(id) && records_.IsCandidate(id))) return;
    const AccessRecord& record = records_[id];
    places_.Mark(record.strand);
    tree_.Mark(record.step.node);
  }

  Epochs& epochs_;
  RecordTable& records_;
  PlaceLogs& places_;
  TaskTree& tree_;
  std::atomic<Round> round_{};  // changed by whoever advances
  std::atomic<bool> is_wanted_{false};
  // Of whoever advances. Invariant: the state is kIdle unless a collection is wanted.
  std::atomic<bool> is_advancing_{false};
  State state_ = State::kIdle;
  uint64_t epoch_ = 0;
  size_t cell_bytes_ = 0;
};

}  // namespace taskrace
