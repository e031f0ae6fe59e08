// DRDP: reachability for promises, and for everything else.
// Paper:      Jin et al., ECOOP 2023, Figures 8 and 9.
// Handles:    spawn/sync, async/finish in any mixture, futures, forks, promises; serial execution
//             with cooperative switching, wherever a blocked task returns to.
// Invariant:  the tree (dpst.h) shows what spawn, async, sync and finish order. Each strand has a
//             chain of the joins that the tree does not show, latest first: those of its task so
//             far (nt), then those of its creator before the creation, and so on (lsa). Chains only
//             grow at the front and share the rest, so that of a strand never changes.
// Query:      u precedes now <=> the tree says so for u and now, or for u and the point of a join
//             that is found by a breadth-first search over the chains, from now back.
// Kept:       nothing of what ran before the root has last joined everybody: it precedes all that
//             comes. Nor of what a running task has created, once all of it acts as the task's
//             current strand: the tables are cut back to where the task began, and it begins again.
// Cost:       O(log n) amortised per event, O(log height) per join that a query looks at, each once
//             at most. 8 bytes a strand and 4 a task and a promise; of what is kept 140 a task, 56 a
//             join, 90 a scope, 250 a finish.
// Deviation:  Figure 9, lines 3, 25, 50: the tree speaks only if u lies to the LEFT of the other
//             step, and all from u to the finish below the LCA stays inside that (Stays). nt and
//             lsa are read as of the set and the creation. No rule for ACTIVE tasks. The set's
//             empty task is the setter's strand. A tree join takes over nothing from a child whose
//             joins the tree shows by then, else one join that stands for all of the child's.
//             What makes queries short, and is exact: (1) a path never leads back in the execution,
//             in order_, or in the number of joins before it (level); (2) a task with no way out
//             but its join acts as the strand that joined it, and one with no way out but that and
//             a promise, up to the set, as the strand that set it or, if only its creator got it
//             and nobody can any more, as the one that got it (places.h); (3) a task remembers
//             somebody whom it precedes, and that one somebody else.
// Thread rule: one thread.
// Tested by:  test/detect/promises_test.cc, test/oracle
#pragma once

#include <algorithm>
#include <utility>

#include "detect/ds/order_list.h"
#include "detect/reach/dpst.h"
#include "detect/reach/places.h"
#include "detect/reach/reachability.h"
#include "detect/reach/segments.h"

namespace taskrace {

class Promises {
 public:
  static constexpr const char* kName = "promises";
  static constexpr bool kOneReader = false;

  constexpr Promises() = default;
  // The numbers of searches are used again after so many. Requires: 0 < most_searches < 2^31.
  explicit constexpr Promises(uint32_t most_searches) : most_searches_(most_searches) {}

  void OnStart(TaskId task, GroupId finish, StrandId strand) {
    DCHECK(task == kRootTask, "the first task is not the root");
    settled_ = strand;
    first_strand_ = Index(strand);
    places_.OnStart(task);
    joins_.Append({});  // kNoJoin
    const Node root = tree_.Add(Dpst::kRoot, Dpst::Kind::kFinish, strand);
    tasks_.Append({.node = root});
    BeginSegment(task, {root, kNoJoin, task, order_.InsertAfter(OrderList::kBase), 0, strand});
    OpenGroup(task, finish, strand, /*is_finish=*/true);
    Enter(task, strand);
  }

  // T creates U:  nt(U) = {};  lsa(U) = T with nt(T) as it is now, or lsa(T) if that is empty
  OutsideClass OnCreate(TaskId task, TaskId child, How how, GroupId group, StrandId strand) {
    DCHECK(Index(child) == first_task_ + kept_.Size(),
           "tasks are not numbered in order of creation");
    if (unjoined_ == 0) settled_ = strand;
    const TaskId creator = Kept(task);
    if (GroupOf(group).node == Dpst::kNoNode) OpenGroup(creator, group, strand, false);
    const Place place = order_.InsertAfter(segments_[At(creator).segment].place);
    const TaskId created = AddTask(creator, child, how, group, strand, place);
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
    const Segment& segment = segments_[At(task).segment];
    group.last = Later(group.last, segment.place);
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
      places_.OnGet(KeptOf(point), task, strand);
      Get(task, point, strand);
    }
    Enter(task, strand);
    return nullptr;
  }
  // Nobody can get p any more.
  void OnOver(PromiseId promise) {
    if (Index(promise) >= points_.Size() || points_[Index(promise)] < settled_) return;
    const TaskId setter = KeptOf(points_[Index(promise)]);
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
      BeginSegmentBehind(task, joined.last, joined.level, strand);
      Enter(task, strand);
      ForEachSince(joined, kRootTask, [&](TaskId child) {
        if (At(child).waits == Dpst::kNoNode || !ShowsJoinsOf(child, strand)) {
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
    const TaskId task = KeptOf(u);
    const TaskId now = KeptOf(now_);
    if (task == now) return true;
    if (task == places_.CreatorOf(now) && u < tree_.First(At(now).node)) return true;
    // Instead of u, what it acts as: a strand nearer to now, or nobody who precedes others.
    const uint64_t place = places_.ClassOf(u, task);
    if (place > Index(now_)) return false;
    u = StrandId{static_cast<uint32_t>(place)};
    if (!MayPrecede(u, now_)) return false;
    if (TreePrecedes(u, now_)) return true;
    return SegmentOf(now_).joins != kNoJoin && Search(u);
  }

  // Requires: something that runs later does not come after u.
  TaskId TaskOf(StrandId u) const { return task_of_[Index(u) - first_strand_]; }
  uint64_t ReaderClass(StrandId u) {
    return u < settled_ ? Index(settled_) - 1 : places_.ClassOf(u, KeptOf(u));
  }

  // Joins that queries have looked at so far.
  uint64_t Visits() const { return visits_; }

  // The points of the joins of T that the tree does not show, latest first: nt(T), then lsa(T).
  template <class Visit>
  void ForEachJoin(TaskId task, Visit visit) const {
    JoinIndex join = segments_[At(Kept(task)).segment].joins;
    for (; join != kNoJoin; join = joins_[join].rest) visit(joins_[join].point);
  }
  // How many of them are T's own.
  size_t OwnJoins(TaskId task) const {
    size_t count = 0;
    JoinIndex join = segments_[At(Kept(task)).segment].joins;
    for (; join != LsaOf(Kept(task)); join = joins_[join].rest) ++count;
    return count;
  }

  size_t BytesUsed() const {
    return tree_.BytesUsed() + order_.BytesUsed() + segments_.BytesUsed() + task_of_.BytesUsed() +
           kept_.BytesUsed() + tasks_.BytesUsed() + groups_.BytesUsed() + joins_.BytesUsed() +
           points_.BytesUsed() + queue_.BytesUsed() + places_.BytesUsed();
  }

 private:
  using Node = Dpst::Node;
  using Place = OrderList::Element;
  using JoinIndex = uint32_t;
  static constexpr JoinIndex kNoJoin = 0;

  // What a task does between two changes of its node or its joins.
  struct Segment {
    Node node;  // above its strands
    JoinIndex joins;
    TaskId task;
    Place place;     // in order_
    uint32_t level;  // how many joins a path to it has at most
    StrandId first;
  };

  // Where a task or a finish began.
  struct Mark {
    uint32_t segment = 0;  // the newest one then; so was its place
    JoinIndex joins = 0;   // how many there were
  };

  struct Task {
    StrandId last = kNoStrand;  // its last strand so far
    uint32_t segment = 0;       // of its next strand, unless that joins
    Node node = Dpst::kNoNode;
    GroupId open = kNoGroup;       // its innermost open group
    GroupId around = kNoGroup;     // the innermost open group around its creation
    GroupId group = kNoGroup;      // joins it
    Node waits = Dpst::kNoNode;    // the group's node; none: the tree does not show this join
    TaskId next = kRootTask;       // in the ring of the group's children
    TaskId may_leave = kRootTask;  // see Stays
    // The strands of this task up to `until` precede `then`.
    StrandId until = kNoStrand;
    StrandId then = kNoStrand;
    TaskId creator = kRootTask;
    TaskId id = kRootTask;          // outside of this class
    StrandId oldest = kLastStrand;  // of the points that it and those in it have joined
    uint32_t apart = 1;             // see PutIn
    Mark begin = {};
  };
  static_assert(sizeof(Task) == 68);

  struct Group {
    Node node = Dpst::kNoNode;  // while it is open
    TaskId owner = kRootTask;
    GroupId outer = kNoGroup;       // of the owner, open around this one
    TaskId children = kRootTask;    // since the last join: the last one of a ring; the root: none
    TaskId left = kRootTask;        // the last one of those that the tree does not wait for
    Place last = OrderList::kBase;  // of the children that have ended
    uint32_t level = 0;             // of those, too
    uint32_t unjoined = 0;          // how many children since the last join
    TaskId rest = kRootTask;        // of a finish: see TakeIn
    Mark begin = {};
  };

  struct Join {
    JoinIndex rest;        // the joins before it
    StrandId point;        // precedes the task that joins
    StrandId newest;       // of the points here and in the rest, the last in the execution
    Place furthest;        // of the points, the last in order_
    uint32_t carries : 1;  // made by the join of a group, and stands for the joins of the child
    uint32_t seen : 31;    // by the search of this number
  };
  static_assert(sizeof(Join) == 20);

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
  const Segment& SegmentOf(StrandId strand) { return segments_.Of(strand); }
  TaskId KeptOf(StrandId strand) { return SegmentOf(strand).task; }
  Place Later(Place a, Place b) const { return order_.Precedes(a, b) ? b : a; }
  Dpst::Step StepOf(StrandId strand) { return {SegmentOf(strand).node, strand}; }

  JoinIndex LsaOf(TaskId task) const { return segments_[At(task).begin.segment].joins; }

  // ---- tasks, strands and segments

  TaskId AddTask(TaskId creator, TaskId id, How how, GroupId group, StrandId strand, Place place) {
    const TaskId task{static_cast<uint32_t>(tasks_.Size())};
    places_.OnCreate(creator, task, how, group);
    const Task& t = At(creator);
    const Segment segment = segments_[t.segment];
    const Node node = tree_.Add(segment.node, Dpst::Kind::kAsync, strand);
    Group& joiner = GroupOf(group);
    const GroupId around = t.open != kNoGroup ? t.open : t.around;
    const bool may_leave = around != group || joiner.outer != kNoGroup;
    tasks_.Append({.node = node,
                   .around = around,
                   .group = group,
                   .waits = joiner.node,
                   .may_leave = may_leave ? task : At(joiner.owner).may_leave,
                   .creator = creator,
                   .id = id});
    BeginSegment(task, {node, segment.joins, task, place, segment.level, strand});
    At(task).begin = MarkOf(task);
    Link(joiner, task);
    return task;
  }

  void Enter(TaskId task, StrandId strand) {
    if (task != running_) {
      switched_ = strand;
      running_ = task;
    }
    segments_.Enter(strand, At(task).segment);
    task_of_.Append(At(task).id);
    At(task).last = now_ = strand;
  }

  void BeginSegment(TaskId task, const Segment& segment) {
    At(task).segment = segments_.Begin(segment);
  }
  // The task goes on after somebody of this place and level. A new place is directly behind the
  // last of those that precede it. So what runs later comes first where it can, for instance a
  // continuation before the child: where the execution is English, this order is Hebrew.
  void BeginSegmentBehind(TaskId task, Place place, uint32_t level, StrandId strand) {
    const Task& t = At(task);
    Segment segment = segments_[t.segment];
    segment.node = t.open == kNoGroup ? t.node : GroupOf(t.open).node;
    if (order_.Precedes(segment.place, place)) segment.place = order_.InsertAfter(place);
    segment.level = std::max(segment.level, level);
    segment.first = strand;
    BeginSegment(task, segment);
  }
  Mark MarkOf(TaskId task) const {
    return {At(task).segment, static_cast<JoinIndex>(joins_.Size())};
  }

  // ---- what is not kept

  // All that there was precedes whatever comes: the root goes on with the strand, and everybody else
  // has been joined.
  void Settle(StrandId strand) {
    segments_.ForgetStrands();
    task_of_.Truncate(0);
    first_task_ += static_cast<uint32_t>(kept_.Size());
    kept_.Truncate(0);
    settled_ = strand;
    first_strand_ = Index(strand);
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
    segments_.Move(t.last, At(rest).segment);
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
    const StrandId begin = tree_.First(t.open != kNoGroup ? GroupOf(t.open).node : t.node);
    if (t.oldest < begin || switched_ > begin || !places_.IsOneWithItsChildren(task)) return;
    BeginAgain(task);
  }
  // Drops what came after the beginning of the task, or of its open finish.
  void BeginAgain(TaskId task) {
    Task& t = At(task);
    Group& group = GroupOf(t.open != kNoGroup ? t.open : t.group);
    const Mark mark = t.open != kNoGroup ? group.begin : t.begin;
    const TaskId newest = t.open != kNoGroup ? group.rest : task;
    DCHECK(newest != kRootTask, "a scope is open, and nobody is apart");
    const Segment& segment = segments_[mark.segment];
    At(newest).next = At(group.children).next;
    group.children = newest;
    if (group.last > segment.place) group.last = segment.place;
    if (t.then >= segment.first) t.until = t.then = kNoStrand;
    t.segment = mark.segment;
    order_.Drop(segment.place);
    tree_.Drop(At(newest).node);
    segments_.Drop(mark.segment + 1);
    joins_.Truncate(mark.joins);
    places_.Drop(newest);
    tasks_.Truncate(Index(newest) + 1);
  }

  // ---- groups

  void OpenGroup(TaskId task, GroupId group, StrandId strand, bool is_finish) {
    Segment segment = segments_[At(task).segment];
    Group& opened = GroupOf(group);
    opened.node = tree_.Add(segment.node, Dpst::Kind::kFinish, strand);
    opened.owner = task;
    opened.outer = At(task).open;
    At(task).open = group;
    segment.node = opened.node;
    segment.first = strand;
    BeginSegment(task, segment);
    if (!is_finish) return;
    segment.place = order_.InsertAfter(segment.place);
    opened.rest = AddTask(task, At(task).id, How::kAsync, group, strand, segment.place);
    At(opened.rest).apart = 0;
    places_.OnEnd(opened.rest);
    BeginSegment(task, segment);
    opened.begin = MarkOf(task);
  }

  // Closes the group's node. The tree stops waiting for groups of the task that are open inside.
  void CloseGroup(TaskId task, GroupId group) {
    if (GroupOf(group).node == Dpst::kNoNode) return;
    DCHECK(GroupOf(group).owner == task, "a group is joined by a task that did not make it");
    GroupId inside = At(task).open;
    for (; inside != group; inside = GroupOf(inside).outer) {
      Group& leaves = GroupOf(inside);
      leaves.node = Dpst::kNoNode;
      ForEachSince(leaves, leaves.left, [&](TaskId child) { At(child).waits = Dpst::kNoNode; });
      leaves.left = leaves.children;
    }
    GroupOf(group).node = Dpst::kNoNode;
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
    if (!IsApart(KeptOf(point), task) && IsKnown(point, At(task).last)) return;
    BeginSegmentBehind(task, SegmentOf(point).place, SegmentOf(point).level, strand);
    AddJoin(task, point, /*carries=*/false);
    Learn(KeptOf(point), point, strand);
  }
  // Is it certain that nothing of the child has been joined yet?
  bool IsApart(TaskId child, TaskId task) const {
    const Task& t = At(child);
    return child != task && t.creator == task && t.apart != 0 && t.until == kNoStrand;
  }
  void AddJoin(TaskId task, StrandId point, bool carries) {
    Segment& segment = segments_[At(task).segment];
    const Join rest = joins_[segment.joins];
    const JoinIndex join = static_cast<JoinIndex>(joins_.Size());
    joins_.Append({.rest = segment.joins,
                   .point = point,
                   .newest = std::max(rest.newest, point),
                   .furthest = Later(rest.furthest, SegmentOf(point).place),
                   .carries = carries,
                   .seen = 0});
    segment.joins = join;
    segment.level = std::max(segment.level, SegmentOf(point).level + 1);
    At(task).oldest = std::min(At(task).oldest, point);
  }
  // Does the tree show all joins of a child that it joins with the strand?
  bool ShowsJoinsOf(TaskId child, StrandId strand) {
    JoinIndex join = segments_[At(child).segment].joins;
    for (size_t i = 0; join != LsaOf(child); join = joins_[join].rest, ++i) {
      if (i == kFew || joins_[join].carries || !TreePrecedes(joins_[join].point, strand))
        return false;
    }
    return true;
  }

  // ---- queries

  // If false, there is no path from u to v.
  bool MayPrecede(StrandId u, StrandId v) {
    return u <= v && !order_.Precedes(SegmentOf(v).place, SegmentOf(u).place);
  }

  // Does the tree alone say that u precedes v, or is v?
  bool TreePrecedes(StrandId u, StrandId v) {
    if (u >= v) return u == v;
    const Dpst::Step a = StepOf(u);
    const Dpst::Step b = StepOf(v);
    const Dpst::Branches below = tree_.BelowLca(a, b);
    if (!tree_.IsLeft(a, b, below)) return false;
    if (below.a == Dpst::kNoNode) return true;
    return tree_.KindOf(below.a) == Dpst::Kind::kFinish && Stays(KeptOf(u), tree_.Depth(below.a));
  }
  // From the task to the finish that waits for it, to the task that has this finish, and so on:
  // does all of it stay inside the finish node of this depth around the task? Only some tasks can
  // leave one: those made inside another group than theirs, or whose group lies inside another of
  // its task. `may_leave` is the first of them on the way.
  bool Stays(TaskId task, uint32_t depth) const {
    for (TaskId t = At(task).may_leave; t != kRootTask && tree_.Depth(At(t).node) > depth;
         t = At(groups_[Index(At(t).group)].owner).may_leave) {
      if (At(t).waits == Dpst::kNoNode || tree_.Depth(At(t).waits) < depth) return false;
    }
    return true;
  }
  // Does u precede v by the tree, or by it and what is known of u's task?
  bool IsKnown(StrandId u, StrandId v) {
    if (TreePrecedes(u, v)) return true;
    const Task& task = At(KeptOf(u));
    return u <= task.until && TreePrecedes(task.then, v);
  }

  // The task of u, or one of the next around it, if by it u precedes somebody who may precede now.
  Task* WhoKnows(StrandId u) {
    TaskId task = KeptOf(u);
    for (size_t i = 0; i < kClimb; ++i) {
      Task& t = At(task);
      if (u <= t.until && MayPrecede(t.then, now_) && TreePrecedes(u, t.until)) return &t;
      if (task == kRootTask) break;
      task = groups_[Index(t.group)].owner;
    }
    return nullptr;
  }
  void Learn(TaskId task, StrandId until, StrandId then) {
    At(task).until = until;
    At(task).then = then;
  }

  // Lines 11 to 62: from now back, latest joins first. In turns with it, from u on to somebody whom
  // it is known to precede, and so on, as long as that one may precede now.
  bool Search(StrandId u) {
    if (searches_ == most_searches_) ForgetSearches();
    ++searches_;
    queue_.Truncate(0);
    PushJoinsOf(u, now_);
    StrandId known = u;
    for (size_t next = 0; next < queue_.Size(); ++next) {
      if (const Task* knows = WhoKnows(known)) {
        known = knows->then;
        ++visits_;
        if (TreePrecedes(known, now_)) {
          // As in union-find: whoever was on the way need not go it again.
          while (u != known) u = std::exchange(WhoKnows(u)->then, known);
          return true;
        }
      }
      const Join join = joins_[queue_[next]];
      ++visits_;
      Push(u, join.rest);
      if (!MayPrecede(u, join.point)) continue;
      if (TreePrecedes(u, join.point)) {
        Learn(KeptOf(u), u, now_);
        return true;
      }
      PushJoinsOf(u, join.point);
    }
    return false;
  }
  // The joins of v, if a path from u can lead through one of them.
  void PushJoinsOf(StrandId u, StrandId v) {
    if (SegmentOf(u).level < SegmentOf(v).level) Push(u, SegmentOf(v).joins);
  }
  void Push(StrandId u, JoinIndex index) {
    if (index == kNoJoin) return;
    Join& join = joins_[index];
    if (join.newest < u || join.seen == searches_) return;
    if (order_.Precedes(join.furthest, SegmentOf(u).place)) return;
    join.seen = searches_;
    queue_.Append(index);
  }
  [[gnu::noinline]] void ForgetSearches() {
    for (JoinIndex i = 0; i < joins_.Size(); ++i) joins_[i].seen = 0;
    searches_ = 0;
  }

  static constexpr size_t kFew = 4;    // joins of a child that are looked at when it is joined
  static constexpr size_t kClimb = 3;  // tasks whose `then` a search uses: u's and around it

  Dpst tree_;
  Places places_;
  OrderList order_;  // if u precedes v, then its place is not behind that of v
  Segments<Segment> segments_;
  MappedArray<TaskId> task_of_{"the strands"};  // from first_strand_ on
  MappedArray<TaskId> kept_{"the tasks"};       // from first_task_ on: its number in tasks_
  MappedArray<Task> tasks_{"the tasks"};
  MappedArray<Group> groups_{"the groups"};
  MappedArray<Join> joins_{"the joins"};          // joins_[0] is unused
  MappedArray<StrandId> points_{"the promises"};  // promise -> the strand that set it
  MappedArray<JoinIndex> queue_{"a search"};
  StrandId now_ = kNoStrand;
  TaskId running_ = kRootTask;
  StrandId switched_ = kNoStrand;  // the last time that a task went on whose turn it was not
  StrandId settled_ = kNoStrand;   // what ran before it precedes all that runs from now on
  uint32_t first_strand_ = 0;      // from these on strands and tasks are known
  uint32_t first_task_ = 1;
  uint32_t unjoined_ = 0;  // how many no group has joined yet
  uint32_t searches_ = 0;
  uint32_t most_searches_ = (uint32_t{1} << 31) - 1;
  uint64_t visits_ = 0;
};
static_assert(Reachability<Promises>);

}  // namespace taskrace
