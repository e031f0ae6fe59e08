// DRDP: reachability for promises, and for everything else.
// Paper:      Jin et al., ECOOP 2023, Figures 8 and 9.
// Handles:    spawn/sync, async/finish in any mixture, futures, forks, promises; serial execution
//             with cooperative switching, wherever a blocked task returns to.
// Invariant:  a tree and chains of joins say what precedes what (paths.h).
// Query:      u precedes now <=> there is a path from u, or from what it acts as.
// Kept:       nothing of what ran before the root has last joined everybody: it precedes all that
//             comes. Nor of what a running task has created, once all of it acts as the task's
//             current strand: the tables are cut back to where the task began, and it begins again.
// Cost:       that of paths.h. 8 bytes a strand, 4 a task and 52 a group until Collect forgets them, 4 a promise; of
//             what is kept 140 a task, 56 a join, 90 a scope, 250 a finish.
// Deviation:  nt and lsa are read as of the set and the creation. The set's empty task is the
//             setter's strand. A tree join takes over nothing from a child whose joins the tree shows
//             by then, else one join that stands for all of the child's.
//             What makes queries short, and is exact: a task with no way out but its join acts as
//             the strand that joined it, and one with no way out but that and a promise, up to the
//             set, as the strand that set it or, if only its creator got it and nobody can any more,
//             as the one that got it (places.h).
// Thread rule: one thread.
// Tested by:  test/detect/promises_test.cc, test/oracle
#pragma once

#include <algorithm>

#include "detect/reach/paths.h"
#include "detect/reach/places.h"
#include "detect/reach/reachability.h"

namespace taskrace {

class Promises {
 public:
  static constexpr const char* kName = "promises";
  static constexpr bool kOneReader = false;

  constexpr Promises() = default;
  // The numbers of searches are used again after so many. Requires: 0 < most_searches < 2^31.
  explicit constexpr Promises(uint32_t most_searches) : paths_(most_searches) {}

  void OnStart(TaskId task, GroupId finish, StrandId strand) {
    DCHECK(task == kRootTask, "the first task is not the root");
    settled_ = strand;
    places_.OnStart(task);
    paths_.OnStart(task, strand);
    tasks_.Append({});
    OpenGroup(task, finish, strand, /*is_finish=*/true);
    Enter(task, strand);
  }

  // T creates U:  nt(U) = {};  lsa(U) = T with nt(T) as it is now, or lsa(T) if that is empty
  OutsideClass OnCreate(TaskId task, TaskId child, How how, GroupId group, StrandId strand) {
    DCHECK(Index(child) == first_task_ + kept_.Size(),
           "tasks are not numbered in order of creation");
    if (unjoined_ == 0) settled_ = strand;
    const TaskId creator = Kept(task);
    if (!GroupOf(group).IsOpen()) OpenGroup(creator, group, strand, false);
    const TaskId created = AddTask(creator, child, how, group, strand, paths_.PlaceBehind(creator));
    kept_.Append(created);
    ++At(creator).apart;
    ++GroupOf(group).unjoined;
    ++unjoined_;
    running_ = created;
    Enter(created, strand);
    return nullptr;
  }

  OutsideClass OnEnd(TaskId task) {
    if (task == kRootTask) return nullptr;
    task = Kept(task);
    places_.OnEnd(task);
    running_ = At(task).creator;
    Group& group = GroupOf(At(task).group);
    const Segment& segment = paths_.Current(task);
    group.last = paths_.Later(group.last, segment.place);
    group.level = std::max(group.level, segment.level);
    return nullptr;
  }

  OutsideClass OnBlock(TaskId) { return nullptr; }

  void OnProceed(TaskId task, StrandId strand) { Enter(Kept(task), strand); }

  OutsideClass OnOpen(TaskId task, GroupId finish, StrandId strand) {
    if (unjoined_ == 0) settled_ = strand;
    OpenGroup(Kept(task), finish, strand, /*is_finish=*/true);
    Enter(Kept(task), strand);
    return nullptr;
  }

  // T sets p:  p stands for T's strand, with nt(T) and lsa(T) as they are now
  OutsideClass OnSet(TaskId task, PromiseId promise) {
    const StrandId point = At(Kept(task)).last;
    places_.OnSet(Kept(task), point);
    if (Index(promise) >= points_.Size()) points_.Resize(Index(promise) + 1);
    points_[Index(promise)] = point;
    return nullptr;
  }

  // T gets p:  nt(T) = nt(T) u {p}
  OutsideClass OnGetPromise(TaskId task, PromiseId promise, StrandId strand) {
    DCHECK(Index(promise) < points_.Size(), "a promise is got before it is set");
    task = Kept(task);
    const StrandId point = points_[Index(promise)];
    if (point >= settled_) {
      places_.OnGet(paths_.TaskOf(point), task, strand);
      Get(task, point, strand);
    }
    Enter(task, strand);
    return nullptr;
  }
  // Nobody can get p any more.
  void OnOver(PromiseId promise) {
    if (Index(promise) >= points_.Size() || points_[Index(promise)] < settled_) return;
    const TaskId setter = paths_.TaskOf(points_[Index(promise)]);
    places_.OnOver(setter);
    if (!places_.IsPromised(setter)) return;
    TakeIn(setter);
    BeginAgainIfPossible(running_);
  }
  OutsideClass OnGet(TaskId task, TaskId child, How how, StrandId strand) {
    task = Kept(task);
    if (Index(child) >= first_task_) Get(task, At(Kept(child)).last, strand);
    Enter(task, strand);
    return nullptr;
  }

  // T joins a group:  nt(T) = nt(T) u nt of its children, as one join for each that the tree lacks
  OutsideClass OnJoin(TaskId task, GroupId group, How how, std::span<const TaskId> singles,
                      StrandId strand) {
    task = Kept(task);
    places_.OnJoin(task, group, strand);
    CloseGroup(task, group);
    Group& joined = GroupOf(group);
    unjoined_ -= joined.unjoined;
    if (unjoined_ == 0 && At(task).open != kNoGroup) {
      Settle(strand);
    } else {
      paths_.GoOnBehind(task, NodeOf(task), joined.last, joined.level, strand);
      Enter(task, strand);
      ForEachSince(joined, kRootTask, [&](TaskId child) {
        if (!paths_.IsWaitedFor(child) || !paths_.ShowsJoinsOf(child, strand)) {
          AddJoin(task, At(child).last, /*carries=*/true);
        }
        if (At(child).apart != 0) PutIn(child);
      });
    }
    joined = {.owner = joined.owner};
    BeginAgainIfPossible(task);
    return nullptr;
  }

  bool IsSettled(StrandId u) const { return u < settled_; }
  bool AllIsSettled(StrandId now) const { return settled_ == now; }

  // PRECEDE(u, now), Figure 9
  bool Precedes(StrandId u) {
    if (IsSettled(u)) return true;
    const Segment& segment = paths_.SegmentOf(u);
    const Segment& current = paths_.SegmentOf(now_);
    const TaskId task = segment.task;
    const TaskId now = current.task;
    if (task == now) return true;
    if (!paths_.MayPrecede(segment, current)) return false;
    if (task == places_.CreatorOf(now) && u < paths_.First(paths_.NodeOf(now))) return true;
    // Instead of u, what it acts as: a strand nearer to now, or nobody who precedes others.
    const uint64_t place = places_.ClassOf(u, task);
    if (place > Index(now_)) return false;
    if (place != Index(u)) {
      u = StrandId{static_cast<uint32_t>(place)};
      if (paths_.TaskOf(u) == now) return true;
      if (!paths_.MayPrecede(u, now_)) return false;
    }
    return paths_.TreePrecedes(u, now_) || paths_.Search(u, now_);
  }

  // Requires: something that runs later does not come after u.
  TaskId TaskOf(StrandId u) const { return paths_.IdOf(u); }
  uint64_t ReaderClass(StrandId u) {
    return u < settled_ ? Index(settled_) - 1 : places_.ClassOf(u, paths_.TaskOf(u));
  }

  // Joins that queries have looked at so far.
  uint64_t Visits() const { return paths_.Visits(); }

  // The points of the joins of T that the tree does not show, latest first: nt(T), then lsa(T).
  template <class Visit>
  void ForEachJoin(TaskId task, Visit visit) const {
    paths_.ForEachJoin(Kept(task), [&](StrandId point, bool) { visit(point); });
  }
  // How many of them are T's own.
  size_t OwnJoins(TaskId task) const {
    size_t count = 0;
    paths_.ForEachJoin(Kept(task), [&](StrandId, bool is_own) { count += is_own ? 1 : 0; });
    return count;
  }

  // Whoever is not needed any more has been dropped; the tables by the numbers of others are left.
  template <class Roots>
  void Collect(const Roots& roots) {
    roots.ForEachStrand([this](StrandId u) { paths_.Keep(u); });
    places_.ForEachStrand([this](StrandId u) { paths_.Keep(u); });
    for (size_t i = 0; i < tasks_.Size(); ++i) paths_.Keep(tasks_[i].last);
    for (size_t i = 0; i < points_.Size(); ++i) paths_.Keep(points_[i]);
    paths_.Keep(now_);
    paths_.ForgetOtherStrands();
    kept_.ForEach([this](size_t i, TaskId task) {
      if (Index(task) < tasks_.Size() && Index(At(task).id) == first_task_ + i) kept_.Keep(i);
    });
    kept_.ForgetOthers();
    groups_.ForEach([this](size_t i, const Group& group) {
      if (!group.IsIdle()) groups_.Keep(i);
    });
    groups_.ForgetOthers();
    places_.ForgetJoinedGroups();
  }

  size_t BytesUsed() const {
    return paths_.BytesUsed() + kept_.BytesUsed() + tasks_.BytesUsed() + groups_.BytesUsed() +
           points_.BytesUsed() + places_.BytesUsed();
  }

 private:
  using Node = Dpst::Node;
  using Place = OrderList::Element;
  using Segment = Paths::Segment;
  using Mark = Paths::Mark;

  struct Task {
    StrandId last = kNoStrand;  // its last strand so far
    GroupId open = kNoGroup;    // its innermost open group
    GroupId around = kNoGroup;  // the innermost open group around its creation
    GroupId group = kNoGroup;   // joins it
    TaskId next = kRootTask;    // in the ring of the group's children
    TaskId creator = kRootTask;
    TaskId id = kRootTask;          // outside of this class
    StrandId oldest = kLastStrand;  // of the points that it and those in it have joined
    uint32_t apart = 1;             // see PutIn
  };
  static_assert(sizeof(Task) == 36);

  // All zero: it is not open, and has no children.
  struct Group {
    uint32_t number_of_node = 0;  // plus 1; see OpenNode
    TaskId owner = kRootTask;
    GroupId outer = kNoGroup;       // of the owner, open around this one
    TaskId children = kRootTask;    // since the last join: the last one of a ring; the root: none
    TaskId left = kRootTask;        // the last one of those that the tree does not wait for
    Place last = OrderList::kBase;  // of the children that have ended
    uint32_t level = 0;             // of those, too
    uint32_t unjoined = 0;          // how many children since the last join
    TaskId rest = kRootTask;        // of a finish: see TakeIn
    Mark begin = {};

    // While it is open.
    Node OpenNode() const { return Node{number_of_node - 1}; }
    void Open(Node node) { number_of_node = static_cast<uint32_t>(node) + 1; }
    void Close() { number_of_node = 0; }
    bool IsOpen() const { return number_of_node != 0; }
    bool IsIdle() const { return !IsOpen() && unjoined == 0 && children == kRootTask; }
  };
  static_assert(static_cast<uint32_t>(Dpst::kNoNode) + 1 == 0);

  // Tasks are known in here by their number among those that are kept.
  TaskId Kept(TaskId task) const {
    return Index(task) < first_task_ ? kRootTask : kept_[Index(task) - first_task_];
  }
  Task& At(TaskId task) { return tasks_[Index(task)]; }
  const Task& At(TaskId task) const { return tasks_[Index(task)]; }
  Group& GroupOf(GroupId group) {
    for (size_t i = groups_.Size(); i <= Index(group); ++i) groups_.Append({});
    return groups_[Index(group)];
  }
  // Above the task's next strands.
  Node NodeOf(TaskId task) {
    return At(task).open == kNoGroup ? paths_.NodeOf(task) : GroupOf(At(task).open).OpenNode();
  }

  // ---- tasks and strands

  TaskId AddTask(TaskId creator, TaskId id, How how, GroupId group, StrandId strand, Place place) {
    const TaskId task{static_cast<uint32_t>(tasks_.Size())};
    places_.OnCreate(creator, task, how, group);
    const Task& t = At(creator);
    const GroupId around = t.open != kNoGroup ? t.open : t.around;
    Group& joiner = GroupOf(group);
    const bool may_leave = around != group || joiner.outer != kNoGroup;
    paths_.AddTask(task, creator, {joiner.owner, joiner.OpenNode(), may_leave}, strand, place);
    tasks_.Append({.around = around, .group = group, .creator = creator, .id = id});
    Link(joiner, task);
    return task;
  }

  void Enter(TaskId task, StrandId strand) {
    if (task != running_) {
      switched_ = strand;
      running_ = task;
    }
    paths_.Enter(task, At(task).id, strand);
    At(task).last = now_ = strand;
  }

  // ---- what is not kept

  // All that there was precedes whatever comes: the root goes on with the strand, and everybody else
  // has been joined.
  void Settle(StrandId strand) {
    paths_.ForgetStrands();
    first_task_ += static_cast<uint32_t>(kept_.Size());
    kept_.Truncate(0);
    settled_ = strand;
    BeginAgain(kRootTask);
    At(kRootTask).apart = 1;
    At(kRootTask).oldest = kLastStrand;
    Enter(kRootTask, strand);
  }

  // A task is *in* its creator when all that it has created is in it, and it acts as a strand of
  // the creator, or has been joined by its group. A promised task acts so up to its set (places.h).
  // What it did after that is its group's to join: that strand goes to the `rest` of the finish, a
  // task that did nothing and stands for all such.
  void TakeIn(TaskId task) {
    const Task& t = At(task);
    const TaskId rest = GroupOf(t.group).rest;
    if (t.apart != 1 || rest == kRootTask || Index(t.last) != Index(places_.SetBy(task)) + 1)
      return;
    paths_.Move(t.last, rest);
    PutIn(task);
  }
  // `apart` counts the task itself while it is not in its creator, and its children that are not in it.
  void PutIn(TaskId task) {
    for (; --At(task).apart == 0; task = At(task).creator) {
      Task& creator = At(At(task).creator);
      creator.oldest = std::min(creator.oldest, At(task).oldest);
    }
  }

  // Everybody whom the running task has created since it began, or since its open finish did, is
  // in it, nobody else has run since, and there is no way out but through the task's current strand:
  // all that there was since acts as that one.
  void BeginAgainIfPossible(TaskId task) {
    const Task& t = At(task);
    if (task == kRootTask || t.apart != 1 || t.last != now_) return;
    const StrandId begin = paths_.First(NodeOf(task));
    if (t.oldest < begin || switched_ > begin || !places_.IsOneWithItsChildren(task)) return;
    BeginAgain(task);
    paths_.Move(now_, task);
  }
  // Drops what came after the beginning of the task, or of its open finish.
  void BeginAgain(TaskId task) {
    const GroupId open = At(task).open;
    Group& group = GroupOf(open != kNoGroup ? open : At(task).group);
    const Mark mark = open != kNoGroup ? group.begin : paths_.BeginOf(task);
    const TaskId newest = open != kNoGroup ? group.rest : task;
    DCHECK(newest != kRootTask, "a scope is open, and nobody is apart");
    At(newest).next = At(group.children).next;
    group.children = newest;
    group.last = std::min(group.last, paths_.PlaceAt(mark));
    paths_.CutBack(task, mark, newest);
    places_.Drop(newest);
    tasks_.Truncate(Index(newest) + 1);
  }

  // ---- groups

  void OpenGroup(TaskId task, GroupId group, StrandId strand, bool is_finish) {
    Group& opened = GroupOf(group);
    opened.Open(paths_.OpenNode(task, strand));
    opened.owner = task;
    opened.outer = At(task).open;
    At(task).open = group;
    if (!is_finish) return;
    const Place place = paths_.PlaceBehind(task);
    opened.rest = AddTask(task, At(task).id, How::kAsync, group, strand, place);
    At(opened.rest).apart = 0;
    places_.OnEnd(opened.rest);
    paths_.GoTo(task, place);
    opened.begin = paths_.MarkOf(task);
  }

  // Closes the group's node. The tree stops waiting for groups of the task that are open inside.
  void CloseGroup(TaskId task, GroupId group) {
    if (!GroupOf(group).IsOpen()) return;
    DCHECK(GroupOf(group).owner == task, "a group is joined by a task that did not make it");
    GroupId inside = At(task).open;
    for (; inside != group; inside = GroupOf(inside).outer) {
      Group& leaves = GroupOf(inside);
      leaves.Close();
      ForEachSince(leaves, leaves.left, [&](TaskId child) { paths_.StopWaiting(child); });
      leaves.left = leaves.children;
    }
    GroupOf(group).Close();
    At(task).open = GroupOf(group).outer;
  }

  void Link(Group& group, TaskId child) {
    if (group.children == kRootTask) {
      At(child).next = child;
    } else {
      At(child).next = At(group.children).next;
      At(group.children).next = child;
    }
    group.children = child;
  }
  // The children since the last join that were created after `after` (the root: all).
  template <class Visit>
  void ForEachSince(const Group& group, TaskId after, Visit visit) {
    const TaskId end = group.children;
    if (end == after) return;
    TaskId child = after == kRootTask ? At(end).next : At(after).next;
    for (;; child = At(child).next) {
      visit(child);
      if (child == end) return;
    }
  }

  // ---- joins that the tree does not show

  void Get(TaskId task, StrandId point, StrandId strand) {
    const Segment set = paths_.SegmentOf(point);
    if (!IsApart(set.task, task) && paths_.IsKnown(point, At(task).last)) return;
    paths_.GoOnBehind(task, NodeOf(task), set.place, set.level, strand);
    AddJoin(task, point, /*carries=*/false);
    paths_.Learn(set.task, point, strand);
  }
  // Is it certain that nothing of the child has been joined yet?
  bool IsApart(TaskId child, TaskId task) const {
    const Task& t = At(child);
    return child != task && t.creator == task && t.apart != 0 && !paths_.HasLearned(child);
  }
  void AddJoin(TaskId task, StrandId point, bool carries) {
    paths_.AddJoin(task, point, carries);
    At(task).oldest = std::min(At(task).oldest, point);
  }

  Paths paths_;
  Places places_;
  SparseArray<TaskId> kept_{"the tasks"};  // from first_task_ on: its number in tasks_
  MappedArray<Task> tasks_{"the tasks"};
  SparseArray<Group> groups_{"the groups"};
  MappedArray<StrandId> points_{"the promises"};  // promise -> the strand that set it
  StrandId now_ = kNoStrand;
  TaskId running_ = kRootTask;
  StrandId switched_ = kNoStrand;  // the last time that a task went on whose turn it was not
  StrandId settled_ = kNoStrand;   // what ran before it precedes all that runs from now on
  uint32_t first_task_ = 1;        // from this on tasks are known
  uint32_t unjoined_ = 0;          // how many no group has joined yet
};
static_assert(Reachability<Promises>);

}  // namespace taskrace
