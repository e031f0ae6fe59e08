// Paths: which strands lead to which, as a tree and chains of joins, and the search for a path.
// Paper:      Jin et al., ECOOP 2023, Figures 8 and 9.
// Invariant:  the tree (dpst.h) shows what spawn, async, sync and finish order. Each strand has a
//             chain of the joins that the tree does not show, latest first: those of its task so
//             far (nt), then those of its creator before the creation, and so on (lsa). Chains only
//             grow at the front and share the rest, so that of a strand never changes.
// Query:      u precedes v <=> the tree says so for u and v, or for u and the point of a join that
//             is found by a breadth-first search over the chains, from v back.
// Cost:       O(log n) amortised per event, O(log height) per join that a query looks at, each once
//             at most. 8 bytes a strand, 32 a task, 20 a join; a segment 24 and a place in the order.
// Deviation:  Figure 9, lines 3, 25, 50: the tree speaks only if u lies to the LEFT of the other
//             step, and all from u to the finish below the LCA stays inside that (Stays). No rule
//             for ACTIVE tasks. What makes searches short, and is exact: a path never leads back in
//             the execution, in order_, or in the number of joins before it (level); and a task
//             remembers somebody whom it precedes, and that one somebody else.
// Thread rule: one thread.
// Tested by:  test/detect/promises_test.cc, test/oracle
#pragma once

#include <algorithm>
#include <utility>

#include "detect/ds/order_list.h"
#include "detect/reach/dpst.h"
#include "detect/reach/segments.h"

namespace taskrace {

class Paths {
 public:
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

  // Who joins a task.
  struct Joiner {
    TaskId owner;    // the task that has the group
    Node waits;      // the group's node; none: the tree does not show this join
    bool may_leave;  // see Stays
  };

  constexpr Paths() = default;
  // The numbers of searches are used again after so many. Requires: 0 < most_searches < 2^31.
  explicit constexpr Paths(uint32_t most_searches) : most_searches_(most_searches) {}

  // ---- tasks, strands and segments

  void OnStart(TaskId task, StrandId strand) {
    joins_.Append({});  // kNoJoin
    const Node root = tree_.Add(Dpst::kRoot, Dpst::Kind::kFinish, strand);
    tasks_.Append({});
    BeginSegment(task, {root, kNoJoin, task, order_.InsertAfter(OrderList::kBase), 0, strand});
  }

  // The next task, which comes after the creator's current strand. Its place: PlaceBehind.
  void AddTask(TaskId task, TaskId creator, const Joiner& joiner, StrandId strand, Place place) {
    DCHECK(Index(task) == tasks_.Size(), "tasks are not numbered in order of creation");
    const Segment segment = Current(creator);
    const Node node = tree_.Add(segment.node, Dpst::Kind::kAsync, strand);
    tasks_.Append({.owner = joiner.owner,
                   .waits = joiner.waits,
                   .may_leave = joiner.may_leave ? task : At(joiner.owner).may_leave});
    BeginSegment(task, {node, segment.joins, task, place, segment.level, strand});
    At(task).begin = MarkOf(task);
  }
  // A new place directly behind that of the task.
  Place PlaceBehind(TaskId task) { return order_.InsertAfter(Current(task).place); }

  // The task's next strands are inside a new node, which waits for tasks.
  Node OpenNode(TaskId task, StrandId strand) {
    Segment segment = Current(task);
    segment.node = tree_.Add(segment.node, Dpst::Kind::kFinish, strand);
    segment.first = strand;
    BeginSegment(task, segment);
    return segment.node;
  }
  // They are at a place that nobody has been at before.
  void GoTo(TaskId task, Place place) {
    Segment segment = Current(task);
    segment.place = place;
    BeginSegment(task, segment);
  }
  // The task goes on in a node, after somebody of this place and level. A new place is directly behind
  // the last of those that precede it. So what runs later comes first where it can, for instance a
  // continuation before the child: where the execution is English, this order is Hebrew.
  void GoOnBehind(TaskId task, Node node, Place place, uint32_t level, StrandId strand) {
    Segment segment = Current(task);
    segment.node = node;
    if (order_.Precedes(segment.place, place)) segment.place = order_.InsertAfter(place);
    segment.level = std::max(segment.level, level);
    segment.first = strand;
    BeginSegment(task, segment);
  }

  // The next strand, of the task's current segment; `id`: the task outside.
  void Enter(TaskId task, TaskId id, StrandId strand) {
    segments_.Enter(strand, At(task).segment, id);
  }
  // The strand is put down as one of the task's current segment.
  void Move(StrandId strand, TaskId task) { segments_.Move(strand, At(task).segment); }

  const Segment& SegmentOf(StrandId strand) { return segments_.Of(strand); }
  TaskId TaskOf(StrandId strand) { return SegmentOf(strand).task; }
  // As Enter was told.
  TaskId IdOf(StrandId strand) const { return segments_.TaskOf(strand); }
  // The segment of the task's next strand, unless that joins.
  const Segment& Current(TaskId task) const { return segments_[At(task).segment]; }
  Place Later(Place a, Place b) const { return order_.Precedes(a, b) ? b : a; }

  Node NodeOf(TaskId task) const { return segments_[At(task).begin.segment].node; }
  StrandId First(Node node) const { return tree_.First(node); }
  // The node of the task's group does not wait for it any more.
  void StopWaiting(TaskId task) { At(task).waits = Dpst::kNoNode; }
  bool IsWaitedFor(TaskId task) const { return At(task).waits != Dpst::kNoNode; }

  // ---- what is not kept

  Mark MarkOf(TaskId task) const {
    return {At(task).segment, static_cast<JoinIndex>(joins_.Size())};
  }
  Mark BeginOf(TaskId task) const { return At(task).begin; }
  Place PlaceAt(const Mark& mark) const { return segments_[mark.segment].place; }
  // The task goes on where it was at the mark; what came since is dropped, and so are the tasks after
  // `newest`. Requires: what came since acts as the task.
  void CutBack(TaskId task, const Mark& mark, TaskId newest) {
    Task& t = At(task);
    const Segment& segment = segments_[mark.segment];
    if (t.then >= segment.first) t.until = t.then = kNoStrand;
    t.segment = mark.segment;
    order_.Drop(segment.place);
    tree_.Drop(NodeOf(newest));
    segments_.Drop(mark.segment + 1);
    joins_.Truncate(mark.joins);
    tasks_.Truncate(Index(newest) + 1);
  }
  // Nobody asks about the strands so far any more.
  void ForgetStrands() { segments_.ForgetStrands(); }
  // The strand is needed after ForgetOtherStrands.
  void Keep(StrandId strand) { segments_.Keep(strand); }
  // Forgets all strands that were not kept and that no path leads through.
  void ForgetOtherStrands() {
    for (size_t i = 0; i < tasks_.Size(); ++i) {
      Keep(tasks_[i].until);
      Keep(tasks_[i].then);
    }
    for (size_t i = 0; i < joins_.Size(); ++i) Keep(joins_[i].point);
    segments_.ForgetOtherStrands();
  }

  // ---- joins that the tree does not show

  // carries: made by the join of a group, and stands for the joins of the child.
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
  }
  // Does the tree show all joins of a child that it joins with the strand?
  bool ShowsJoinsOf(TaskId child, StrandId strand) {
    JoinIndex join = Current(child).joins;
    for (size_t i = 0; join != LsaOf(child); join = joins_[join].rest, ++i) {
      if (i == kFew || joins_[join].carries || !TreePrecedes(joins_[join].point, strand))
        return false;
    }
    return true;
  }
  // The joins of the task and then its creators', latest first: visit(point, is the task's own).
  template <class Visit>
  void ForEachJoin(TaskId task, Visit visit) const {
    bool is_own = true;
    for (JoinIndex join = Current(task).joins; join != kNoJoin; join = joins_[join].rest) {
      is_own = is_own && join != LsaOf(task);
      visit(joins_[join].point, is_own);
    }
  }

  // The strands of the task up to `until` precede `then`.
  void Learn(TaskId task, StrandId until, StrandId then) {
    At(task).until = until;
    At(task).then = then;
  }
  bool HasLearned(TaskId task) const { return At(task).until != kNoStrand; }

  // ---- queries

  // If false, there is no path from u to v. Requires: u ran before v.
  bool MayPrecede(const Segment& u, const Segment& v) const {
    return !order_.Precedes(v.place, u.place);
  }
  bool MayPrecede(StrandId u, StrandId v) {
    return u <= v && MayPrecede(SegmentOf(u), SegmentOf(v));
  }

  // Does the tree alone say that u precedes v, or is v?
  bool TreePrecedes(StrandId u, StrandId v) {
    if (u >= v) return u == v;
    const Dpst::Step a = StepOf(u);
    const Dpst::Step b = StepOf(v);
    const Dpst::Branches below = tree_.BelowLca(a, b);
    if (!tree_.IsLeft(a, b, below)) return false;
    if (below.a == Dpst::kNoNode) return true;
    return tree_.KindOf(below.a) == Dpst::Kind::kFinish && Stays(TaskOf(u), tree_.Depth(below.a));
  }
  // Does u precede v by the tree, or by it and what is known of u's task?
  bool IsKnown(StrandId u, StrandId v) {
    if (TreePrecedes(u, v)) return true;
    const Task& task = At(TaskOf(u));
    return u <= task.until && TreePrecedes(task.then, v);
  }

  // Lines 11 to 62: from now back, latest joins first. In turns with it, from u on to somebody whom
  // it is known to precede, and so on, as long as that one may precede now.
  bool Search(StrandId u, StrandId now) {
    if (SegmentOf(now).joins == kNoJoin) return false;
    if (searches_ == most_searches_) ForgetSearches();
    ++searches_;
    queue_.Truncate(0);
    PushJoinsOf(u, now);
    StrandId known = u;
    for (size_t next = 0; next < queue_.Size(); ++next) {
      if (const Task* knows = WhoKnows(known, now)) {
        known = knows->then;
        ++visits_;
        if (TreePrecedes(known, now)) {
          // As in union-find: whoever was on the way need not go it again.
          while (u != known) u = std::exchange(WhoKnows(u, now)->then, known);
          return true;
        }
      }
      const Join join = joins_[queue_[next]];
      ++visits_;
      Push(u, join.rest);
      if (!MayPrecede(u, join.point)) continue;
      if (TreePrecedes(u, join.point)) {
        Learn(TaskOf(u), u, now);
        return true;
      }
      PushJoinsOf(u, join.point);
    }
    return false;
  }

  // Joins that queries have looked at so far.
  uint64_t Visits() const { return visits_; }
  size_t BytesUsed() const {
    return tree_.BytesUsed() + order_.BytesUsed() + segments_.BytesUsed() + tasks_.BytesUsed() +
           joins_.BytesUsed() + queue_.BytesUsed();
  }

 private:
  struct Task {
    uint32_t segment = 0;      // the current one
    TaskId owner = kRootTask;  // this and the next two: see Joiner
    Node waits = Dpst::kNoNode;
    TaskId may_leave = kRootTask;  // the first task that may, on the way from this one; see Stays
    StrandId until = kNoStrand;    // see Learn
    StrandId then = kNoStrand;
    Mark begin = {};
  };
  static_assert(sizeof(Task) == 32);

  struct Join {
    JoinIndex rest;        // the joins before it
    StrandId point;        // precedes the task that joins
    StrandId newest;       // of the points here and in the rest, the last in the execution
    Place furthest;        // of the points, the last in order_
    uint32_t carries : 1;  // see AddJoin
    uint32_t seen : 31;    // by the search of this number
  };
  static_assert(sizeof(Join) == 20);

  Task& At(TaskId task) { return tasks_[Index(task)]; }
  const Task& At(TaskId task) const { return tasks_[Index(task)]; }
  Dpst::Step StepOf(StrandId strand) { return {SegmentOf(strand).node, strand}; }
  JoinIndex LsaOf(TaskId task) const { return segments_[At(task).begin.segment].joins; }

  void BeginSegment(TaskId task, const Segment& segment) {
    At(task).segment = segments_.Begin(segment);
  }

  // From the task to the finish that waits for it, to the task that has this finish, and so on:
  // does all of it stay inside the finish node of this depth around the task? Only some tasks can
  // leave one: those made inside another group than theirs, or whose group lies inside another of
  // its task. `may_leave` is the first of them on the way.
  bool Stays(TaskId task, uint32_t depth) const {
    for (TaskId t = At(task).may_leave; t != kRootTask && tree_.Depth(NodeOf(t)) > depth;
         t = At(At(t).owner).may_leave) {
      if (At(t).waits == Dpst::kNoNode || tree_.Depth(At(t).waits) < depth) return false;
    }
    return true;
  }

  // The task of u, or one of the next around it, if by it u precedes somebody who may precede now.
  Task* WhoKnows(StrandId u, StrandId now) {
    TaskId task = TaskOf(u);
    for (size_t i = 0; i < kClimb; ++i) {
      Task& t = At(task);
      if (u <= t.until && MayPrecede(t.then, now) && TreePrecedes(u, t.until)) return &t;
      if (task == kRootTask) break;
      task = t.owner;
    }
    return nullptr;
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
  OrderList order_;  // if u precedes v, then its place is not behind that of v
  Segments<Segment> segments_;
  MappedArray<Task> tasks_{"the tasks"};
  MappedArray<Join> joins_{"the joins"};  // joins_[0] is unused
  MappedArray<JoinIndex> queue_{"a search"};
  uint32_t searches_ = 0;
  uint32_t most_searches_ = (uint32_t{1} << 31) - 1;
  uint64_t visits_ = 0;
};

}  // namespace taskrace
