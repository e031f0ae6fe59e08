// TaskBags: the S-bags and P-bags of SP-bags and MultiBags, by task, with the task of each strand.
//
// Idea:       an S-bag has tasks that precede now, a P-bag ended tasks that will be joined; a strand
//             is in the bag of its task. Where no bag is a P-bag, all strands so far precede the one
//             that begins there. They keep preceding as long as its task runs; when it ends, the
//             state of its creator is restored. Such strands are settled. Queries about them are
//             frequent where memory is used in phases, and they lie far apart in the union-find, so
//             that a comparison saves two cache misses.
//             When all strands are settled and only the root runs, the tables are emptied: earlier
//             strands act as the root from then on.
// Invariant:  every strand below settled_ is in an S-bag, though perhaps no more in the tables.
// Thread rule: one thread.
// Cost:       O(alpha) amortised per event and query; 4 bytes a strand and 8 a task since the tables
//             began, less what was forgotten; 4 a running task.
// Tested by:  test/detect/task_bags_test.cc, and as the engines that have them
#pragma once

#include "detect/ds/disjoint_sets.h"
#include "detect/reach/ids.h"

namespace taskrace {

class TaskBags {
 public:
  constexpr TaskBags() = default;

  void OnStart(StrandId strand) { BeginAnew(kRootTask, strand); }
  // S(child) = {child}; it runs now. Requires: tasks are created in the order of their numbers.
  void OnCreate(TaskId child, StrandId strand) {
    [[maybe_unused]] const DisjointSets::Element made = sets_.Make(kS);
    DCHECK(made == ElementOf(child), "tasks are not numbered in order of creation");
    settled_of_creators_.Append(settled_);
    newest_ = child;
    Enter(child, strand);
  }
  // The task is over, its creator goes on.
  void OnEnd() {
    settled_ = settled_of_creators_.Back();
    settled_of_creators_.PopBack();
  }
  // A strand of the task begins.
  void Enter(TaskId task, StrandId strand) {
    DCHECK(Index(strand) - first_strand_ == task_of_.Size(), "strands are not numbered in order");
    task_of_.Append(task);
  }

  // An S-bag becomes a P-bag of its own.
  void BecomeP(TaskId task) {
    ++p_bags_;
    sets_.Relabel(ElementOf(task), kP);
  }
  // A P-bag gets whatever is in the S-bag of an ended task.
  void PutIntoP(TaskId p_bag, TaskId ended) { sets_.Union(ElementOf(p_bag), ElementOf(ended)); }
  // A P-bag becomes part of another one.
  void UniteP(TaskId p_bag, TaskId other) {
    --p_bags_;
    sets_.Union(ElementOf(p_bag), ElementOf(other));
  }
  // The S-bag of a running task gets a P-bag.
  void Join(TaskId task, TaskId p_bag) {
    --p_bags_;
    sets_.Union(ElementOf(task), ElementOf(p_bag));
  }
  // After joins, the strand that follows them begins.
  void EnterJoined(TaskId task, StrandId strand) {
    if (p_bags_ == 0) {
      settled_ = strand;
      if (task == kRootTask) return BeginAnew(newest_, strand);
    }
    Enter(task, strand);
  }

  // True only if the strand precedes now.
  [[gnu::always_inline]] bool IsSettled(StrandId u) const { return u < settled_; }
  // Do all that ran before this strand, which begins now, precede whatever comes?
  bool BeginsAnewWith(StrandId strand) const { return Index(strand) == first_strand_; }
  [[gnu::always_inline]] bool Precedes(StrandId u) {
    return IsSettled(u) || IsInSBag(task_of_[Index(u) - first_strand_]);
  }
  // Do the strands of the task precede now?
  bool IsInSBag(TaskId task) { return sets_.LabelOf(ElementOf(task)) == kS; }
  // The bag that the strand is in.
  uint32_t BagOf(StrandId u) { return sets_.Find(ElementOf(TaskOf(u))); }
  // The root for strands that are no more in the tables.
  TaskId TaskOf(StrandId u) const {
    return Index(u) < first_strand_ ? kRootTask : task_of_[Index(u) - first_strand_];
  }

  // What is needed after ForgetOthers: the strand; the task, with the bag that it is in.
  void Keep(StrandId u) {
    if (Index(u) < first_strand_) return;
    if (task_of_.Keep(Index(u) - first_strand_)) Keep(TaskOf(u));
  }
  bool IsKept(StrandId u) const {
    return Index(u) >= first_strand_ && task_of_.IsKept(Index(u) - first_strand_);
  }
  void Keep(TaskId task) { sets_.Keep(ElementOf(task)); }
  // A task that is in the same bag for good, and that is kept if this one is.
  TaskId SameBag(TaskId task) {
    const DisjointSets::Element root = sets_.Find(ElementOf(task));
    return root == 0 ? kRootTask : TaskId{root + first_task_ - 1};
  }
  void ForgetOthers() {
    sets_.ForgetOthers();
    task_of_.ForgetOthers();
  }

  size_t BytesUsed() const {
    return sets_.BytesUsed() + task_of_.BytesUsed() + settled_of_creators_.BytesUsed();
  }

 private:
  enum Label : uint8_t { kS, kP };

  // The root runs, alone. `newest`: the last task that was created.
  void BeginAnew(TaskId newest, StrandId strand) {
    newest_ = newest;
    first_task_ = Index(newest) + 1;
    first_strand_ = Index(strand);
    sets_.Clear();
    sets_.Make(kS);
    task_of_.Truncate(0);
    Enter(kRootTask, strand);
  }
  // The root's is 0, as is that of all who act as it.
  DisjointSets::Element ElementOf(TaskId task) const {
    return Index(task) < first_task_ ? 0 : Index(task) - first_task_ + 1;
  }

  DisjointSets sets_;                           // of tasks
  SparseArray<TaskId> task_of_{"the strands"};  // from first_strand_ on
  MappedArray<StrandId> settled_of_creators_{"running tasks"};
  StrandId settled_{0};
  TaskId newest_ = kRootTask;
  uint32_t first_task_ = 0;  // but the root: those before are not in the tables
  uint32_t first_strand_ = 0;
  uint32_t p_bags_ = 0;
};

}  // namespace taskrace
