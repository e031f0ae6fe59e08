// KnownRelations: how the strand that a worker runs lies to the strands that cells remember; what the task tree has
// said of that, so that it is not asked again.
//
// Idea:       an answer is kept for a record, and says how that lies to the strands of sibling tasks, too
//             (TaskTree::Outlook), and to all iterations of a loop. And all steps below a node lie in the same way to
//             a step that meets them above it: so what a finish or a loop has done is asked for once.
// Invariant:  numbers of nodes and records that may mean others now are forgotten before anything is asked
//             (collection.h).
// Thread rule: one worker each.
// Cost:       a look into a table, else a query (task_tree.h); 59 KiB.
// Tested by:  test/oracle/parallel_orders_test.cc and its mutants, test/detect/parallel_nodes_test.cc
#pragma once

#include <algorithm>
#include <iterator>

#include "detect/parallel/record_table.h"
#include "detect/parallel/task_tree.h"

namespace taskrace {

class KnownRelations {
 public:
  enum Relation : uint8_t { kMine, kPrecedes, kParallel };
  // What is known of a record during the strand `now`, and for its task's siblings.
  struct Answer {
    RecordId id;
    StrandId now;
    Relation relation;
    uint32_t lca_depth;
    TaskTree::Outlook outlook;
  };

  // `asked` and `queries` count questions, and those that the tree has answered.
  KnownRelations(const TaskTree& tree, const RecordTable& records, uint64_t& asked,
                 uint64_t& queries)
      : tree_(tree), records_(records), asked_(asked), queries_(queries) {}

  // The worker runs this strand from now on.
  void Begin(TaskTree::Step step, StrandId strand) {
    step_ = step;
    parent_ = tree_.Parent(step.node);
    strand_ = strand;
  }
  // That strand, which nothing was asked for, is another iteration of the same loop.
  void GoOn(TaskTree::Step step) { step_ = step; }

  // Neighbouring bytes were touched by the same few strands, and what all tasks of a loop touch was
  // touched by strands that lie to all of them in the same way.
  [[gnu::always_inline]] const Answer& Ask(RecordId id) {
    static constexpr Answer kSettled{kNobody, kNoStrand, kPrecedes, 0, {}};
    if (records_.IsSettled(id)) return kSettled;
    Answer& answer = answers_[id % kAnswers];
    ++asked_;
    if (answer.id != id || answer.now != strand_) AskTree(id, answer);
    return answer;
  }
  // Of two records that are not settled.
  uint32_t LcaDepth(RecordId a, RecordId b) {
    Pair& pair = pairs_[(a ^ b * 0x9E3779B9u) % kPairs];
    if (pair.a != a || pair.b != b) {
      pair = {a, b, tree_.LcaDepth(StepOf(a), StepOf(b))};
    }
    return pair.lca_depth;
  }

  void ForgetNodes() { std::fill(std::begin(regions_), std::end(regions_), Region{}); }
  void ForgetRecords() {
    std::fill(std::begin(answers_), std::end(answers_), Answer{});
    std::fill(std::begin(pairs_), std::end(pairs_), Pair{});
  }

 private:
  // How all steps below a node lie to the strand `now`, and, for ever, to all below the outlook's node.
  struct Region {
    TaskTree::Node of = TaskTree::kNoNode;
    StrandId now;
    TaskTree::Relation relation;
    TaskTree::Outlook outlook;
  };
  // What is known of two records for ever.
  struct Pair {
    RecordId a;
    RecordId b;
    uint32_t lca_depth;
  };
  static constexpr size_t kAnswers = 1024;
  static constexpr size_t kRegions = 64;
  static constexpr size_t kPairs = 1024;

  TaskTree::Step StepOf(RecordId id) const { return records_[id].step; }

  [[gnu::noinline]] void AskTree(RecordId id, Answer& answer) {
    const TaskTree::Outlook& outlook = answer.outlook;
    const bool is_known =
        answer.id == id && outlook.parent == parent_ && outlook.except != step_.node;
    answer.id = id;
    answer.now = strand_;
    TaskTree::Relation relation;
    if (is_known) {
      relation = tree_.Relate(outlook, step_);
    } else {
      const AccessRecord& record = records_[id];
      if (record.strand == strand_) {
        answer.relation = kMine;
        answer.lca_depth = 0;
        answer.outlook = {};
        return;
      }
      relation = AskRegions(record.step, answer.outlook);
    }
    answer.relation = relation.precedes ? kPrecedes : kParallel;
    answer.lca_depth = relation.lca_depth;
  }
  // All steps below a node lie in the same way to a step that meets them above it; and to all steps below
  // another node, if it is above both: as what a finish has done lies to all that comes after it.
  TaskTree::Relation AskRegions(TaskTree::Step u, TaskTree::Outlook& outlook) {
    const TaskTree::Node above = tree_.IsLoop(u.node) ? u.node : tree_.Parent(u.node);
    Region& region = regions_[static_cast<uint32_t>(above) % kRegions];
    if (region.of == above && region.now == strand_) {
      outlook = region.outlook;
      return region.relation;
    }
    if (region.of == above && region.outlook.parent == parent_ &&
        region.outlook.except != step_.node) {
      outlook = region.outlook;
      return tree_.Relate(outlook, step_);
    }
    ++queries_;
    const TaskTree::Relation relation = tree_.Relate(u, step_, outlook);
    if (relation.lca_depth < tree_.Depth(above)) region = {above, strand_, relation, outlook};
    return relation;
  }

  const TaskTree& tree_;
  const RecordTable& records_;
  uint64_t& asked_;
  uint64_t& queries_;
  TaskTree::Step step_ = {};
  TaskTree::Node parent_ = TaskTree::kNoNode;  // of the step's node
  StrandId strand_ = kNoStrand;
  Answer answers_[kAnswers] = {};
  Region regions_[kRegions] = {};
  Pair pairs_[kPairs] = {};
};

}  // namespace taskrace
