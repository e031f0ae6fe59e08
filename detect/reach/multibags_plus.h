// MultiBags+: reachability for general futures, with a matrix.
// Paper:      Utterback, Agrawal, Fineman and Lee, PPoPP 2019, section 5, Figures 3 and 4.
// Handles:    spawn/sync and async/finish in any mixture, futures and forks that anyone may get
//             any number of times once they have ended; serial depth-first execution.
// Invariant:  for u in a P-bag, u precedes now <=> the attached successor of u's set in D_NSP
//             reaches the attached predecessor of the current one in R. A branch of an unjoined
//             fork has its last strand attached iff its first is. Two attached sets never unite.
// Query:      Figure 3: an S-bag of D_SP, or else R.
// Cost:       O(alpha) per query and per construct of fork-join. R has k nodes and takes k*k/16
//             bytes and a row per arc, where k counts futures, gets that order something, and
//             children whose join does not nest. 8 bytes a strand, 20 a task, until Collect forgets them,
//             and per unjoined child 56 more.
// Limit:      R must fit into half of the memory; an event says when it does not.
// Deviation:  sets are made once for a strand and those of its task that only follow it. A set
//             knows nodes of R, not other sets: an attached set keeps its node for ever. The sync
//             of Figure 4 is restored in full (JoinFork); its arcs f -> s arrive when s may have
//             descendants, to which Closure takes them. Joins that do not nest are taken too: a
//             fork still open when an older one is joined, or when its task ends under another
//             group, becomes a future late (Detach), and its join a get. An async that nests is
//             joined at the end of its creator. A finish gets the futures made in it. A get of what
//             precedes already is none.
// Thread rule: one thread.
// Tested by:  test/oracle/general_futures_agreement_test.cc, test/detect/multibags_plus_test.cc
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "detect/ds/closure.h"
#include "detect/ds/disjoint_sets.h"
#include "detect/ds/labelled_sets.h"
#include "detect/reach/reachability.h"

namespace taskrace {

class MultiBagsPlus : public WithoutPromises {
 public:
  static constexpr const char* kName = "multibags+";
  static constexpr bool kOneReader = false;
  using Node = Closure::Node;
  static constexpr Node kNoNode = ~Node{0};

  // A set of D_NSP. An attached set is its own attached predecessor and successor.
  struct NspSet {
    Node att_pred;
    Node att_succ;  // kNoNode: none yet
    bool attached;
  };

  explicit constexpr MultiBagsPlus(size_t matrix_limit = Closure::kHalfOfMemory)
      : r_(matrix_limit) {}

  // u is the first strand of the computation (line 1)
  void OnStart(TaskId task, GroupId finish, StrandId strand) {
    first_strand_ = Index(strand);
    const Node node = r_.Add();
    Begin(task, kNoGroup, d_nsp_.Make({.att_pred = node, .att_succ = node, .attached = true}),
          strand);
  }

  // F calls spawn(G) (lines 2 to 6), or fut-create(G) (lines 7 to 12): u is the strand before it,
  // v the one after it in F, w the first one of G
  OutsideClass OnCreate(TaskId task, TaskId child, How how, GroupId group, StrandId strand) {
    const Element u = last_[Index(task)];
    Element v;
    Element w;
    if (IsSingle(how)) {
      singles_.Append(child);
      Attachify(u);
      v = MakeAttached(u);
      w = MakeAttached(u);
      group = kNoGroup;
    } else {
      v = MakeUnattached(u);
      w = MakeUnattached(u);
      const GroupId newest = HasForks() ? std::max(forks_.Back().newest, group) : group;
      forks_.Append({.f = u, .s1 = w, .s2 = v, .child = child, .group = group, .newest = newest});
    }
    running_.Back().continuation = v;
    Begin(child, group, w, strand);
    return Verdict();
  }

  void OnProceed(TaskId task, StrandId strand) {
    Element& continuation = running_.Back().continuation;
    if (continuation != kNoElement) last_[Index(task)] = std::exchange(continuation, kNoElement);
    Enter(task, strand);
  }

  // G returns to F (line 13). Its open forks are asyncs for a finish around it.
  OutsideClass OnEnd(TaskId task) {
    if (task == kRootTask) return nullptr;
    d_sp_.Relabel(Index(task), kP);
    while (HasForks()) {
      const Fork fork = TakeFork();
      fork.group == running_.Back().group ? JoinFork(task, fork) : Detach(fork);
    }
    running_.PopBack();
    return Verdict();
  }

  OutsideClass OnOpen(TaskId task, GroupId finish, StrandId strand) {
    Enter(task, strand);
    return Verdict();
  }

  // F calls sync (lines 23 to 39), for each child of the group; children that were detached, and a
  // finish's futures, are got
  OutsideClass OnJoin(TaskId task, GroupId group, How how, std::span<const TaskId> singles,
                      StrandId strand) {
    for (size_t oldest = OldestForkOf(group); forks_.Size() > oldest;) {
      const Fork fork = TakeFork();
      fork.group == group ? JoinFork(task, fork) : Detach(fork);
    }
    bool is_getter = false;
    for (TaskId child = TakeDetached(group); child != kRootTask;
         child = TaskId{next_detached_[Index(child)]}) {
      d_sp_.Union(Index(task), Index(child));
      Get(task, child, is_getter);
    }
    for (TaskId child : singles) Get(task, child, is_getter);
    Enter(task, strand);
    return Verdict();
  }

  // F calls get(G) (lines 14 to 17)
  OutsideClass OnGet(TaskId task, TaskId child, How how, StrandId strand) {
    bool is_getter = false;
    Get(task, child, is_getter);
    Enter(task, strand);
    return Verdict();
  }

  // QUERY(u, v), Figure 3
  bool Precedes(StrandId u) {
    const Strand& strand = StrandAt(u);
    if (d_sp_.LabelOf(Index(strand.task)) == kS) return true;
    const Node after_u = d_nsp_.LabelOf(strand.element).att_succ;
    return after_u != kNoNode && r_.Reaches(after_u, before_now_);
  }

  // Strands of one set of D_NSP stay together, and have the same attached successor.
  uint64_t ReaderClass(StrandId u) { return d_nsp_.Find(StrandAt(u).element); }

  TaskId TaskOf(StrandId u) const { return StrandAt(u).task; }

  // Anyone may get a future or fork at any time.
  template <class Roots>
  void Collect(const Roots& roots) {
    roots.ForEachStrand([this](StrandId u) {
      if (!strands_.Keep(Index(u) - first_strand_)) return;
      d_sp_.Keep(Index(StrandAt(u).task));
      d_nsp_.Keep(StrandAt(u).element);
    });
    roots.ForEachRunning([this](TaskId task) { Keep(task); });
    for (size_t i = 0; i < running_.Size(); ++i) {
      if (running_[i].continuation != kNoElement) d_nsp_.Keep(running_[i].continuation);
    }
    for (size_t i = 0; i < forks_.Size(); ++i) {
      const Fork& fork = forks_[i];
      Keep(fork.child);
      for (Element strand : {fork.f, fork.s1, fork.s2}) d_nsp_.Keep(strand);
    }
    for (size_t i = 0; i < detached_of_.Size(); ++i) {
      for (uint32_t child = detached_of_[i]; child != 0; child = next_detached_[child]) {
        Keep(TaskId{child});
      }
    }
    for (size_t i = 0; i < singles_.Size(); ++i) Keep(singles_[i]);
    strands_.ForgetOthers();
    last_.ForgetOthers();
    d_sp_.ForgetOthers();
    d_nsp_.ForgetOthers();
  }

  size_t BytesUsed() const {
    return singles_.BytesUsed() + d_sp_.BytesUsed() + d_nsp_.BytesUsed() + r_.BytesUsed() +
           strands_.BytesUsed() + last_.BytesUsed() + running_.BytesUsed() + forks_.BytesUsed() +
           detached_of_.BytesUsed() + next_detached_.BytesUsed();
  }

  // What Figure 5 shows: the set of a strand, and R.
  NspSet SetOf(StrandId u) { return d_nsp_.LabelOf(StrandAt(u).element); }
  const Closure& R() const { return r_; }

 private:
  using Element = LabelledSets<NspSet>::Element;
  static constexpr Element kNoElement = ~Element{0};
  enum Label : uint8_t { kS, kP };

  struct Strand {
    TaskId task;
    Element element;  // of D_NSP
  };
  // A spawn or async that is not joined yet, with elements of D_NSP for strands.
  struct Fork {
    Element f;   // the strand that forked
    Element s1;  // the first strand of the child
    Element s2;  // the first strand of the continuation
    TaskId child;
    GroupId group;
    GroupId newest;  // of this and the older forks of the task
  };
  struct Running {
    GroupId group;         // who joins the task; kNoGroup: it is got
    Element continuation;  // what the task goes on with after a create
    uint32_t first_fork;   // of the task, in forks_
  };

  const Strand& StrandAt(StrandId u) const { return strands_[Index(u) - first_strand_]; }
  OutsideClass Verdict() const { return r_.IsFull() ? &reasons::kMatrixTooLarge : nullptr; }

  void Begin(TaskId task, GroupId group, Element first, StrandId strand) {
    const Element bag = d_sp_.Make(kS);
    DCHECK(bag == Index(task), "tasks are not numbered in order of creation");
    last_.Append(first);
    running_.Append({.group = group,
                     .continuation = kNoElement,
                     .first_fork = static_cast<uint32_t>(forks_.Size())});
    Enter(task, strand);
  }
  void Enter(TaskId task, StrandId strand) {
    DCHECK(Index(strand) - first_strand_ == strands_.Size(), "strands are not numbered in order");
    const Element element = last_[Index(task)];
    strands_.Append({.task = task, .element = element});
    before_now_ = d_nsp_.LabelOf(element).att_pred;
  }

  void Keep(TaskId task) {
    if (!last_.Keep(Index(task))) return;
    d_sp_.Keep(Index(task));
    d_nsp_.Keep(last_[Index(task)]);
  }

  bool IsAttached(Element u) { return d_nsp_.LabelOf(u).attached; }
  Node AttPred(Element u) { return d_nsp_.LabelOf(u).att_pred; }
  // Requires: u is attached, and so its own attached predecessor.
  Node NodeOf(Element u) { return AttPred(u); }
  // Requires: both are attached.
  void Arc(Element u, Element v) { r_.Arc(NodeOf(u), NodeOf(v)); }

  // Requires: u is attached.
  Element MakeAttached(Element u) {
    const Node node = r_.AddBehind(NodeOf(u));
    return d_nsp_.Make({.att_pred = node, .att_succ = node, .attached = true});
  }
  Element MakeUnattached(Element u) {
    return d_nsp_.Make({.att_pred = AttPred(u), .att_succ = kNoNode, .attached = false});
  }

  // ATTACHIFY(u) (lines 18 to 22)
  void Attachify(Element u) {
    NspSet& set = d_nsp_.LabelOf(u);
    if (set.attached) return;
    const Node node = r_.AddBehind(set.att_pred);
    set = {.att_pred = node, .att_succ = node, .attached = true};
  }

  // F syncs with the child G (lines 23 to 39). No strand begins: its join strand j is one with the
  // set that it would join, as the last strand of F so far.
  void JoinFork(TaskId task, const Fork& fork) {
    const auto [f, s1, s2, child, group, newest] = fork;
    const Element t1 = last_[Index(child)];
    const Element t2 = last_[Index(task)];
    d_sp_.Union(Index(task), Index(child));
    if (!IsAttached(t1) && !IsAttached(t2)) {
      d_nsp_.Union(f, t1);
      d_nsp_.Union(f, t2);
      last_[Index(task)] = f;
    } else if (IsAttached(t1) && IsAttached(t2)) {
      Attachify(f);
      Arc(f, s1);
      Arc(f, s2);
      const Element j = MakeAttached(t1);
      Arc(t2, j);
      last_[Index(task)] = j;
    } else {
      const auto [s, t, other] = IsAttached(t1) ? std::array{s1, t1, t2} : std::array{s2, t2, t1};
      if (!IsAttached(f)) d_nsp_.Union(s, f);
      d_nsp_.LabelOf(other).att_succ = NodeOf(t);
      last_[Index(task)] = t;
    }
  }

  // From now on the child is a future that f has created.
  void Detach(const Fork& fork) {
    for (Element strand : {fork.f, fork.s1, fork.s2}) Attachify(strand);
    Arc(fork.f, fork.s1);
    Arc(fork.f, fork.s2);
    const size_t child = Index(fork.child);
    const size_t group = Index(fork.group);
    if (next_detached_.Size() <= child) next_detached_.Resize(child + 1);
    if (detached_of_.Size() <= group) detached_of_.Resize(group + 1);
    next_detached_[child] = std::exchange(detached_of_[group], Index(fork.child));
  }

  // Lines 14 to 17; v is made once for all that one construct gets.
  void Get(TaskId task, TaskId child, bool& is_getter) {
    const Node w = NodeOf(last_[Index(child)]);
    Element& u = last_[Index(task)];
    if (r_.Reaches(w, AttPred(u))) return;
    if (!is_getter) {
      Attachify(u);
      u = MakeAttached(u);
      is_getter = true;
    }
    r_.Arc(w, NodeOf(u));
  }

  bool HasForks() const { return forks_.Size() > running_.Back().first_fork; }
  Fork TakeFork() {
    const Fork fork = forks_.Back();
    forks_.PopBack();
    return fork;
  }
  // Where the running task's forks of the group begin; the end if there are none. Groups are
  // numbered in order of creation, and a task that works on its newest group needs no search.
  size_t OldestForkOf(GroupId group) const {
    size_t oldest = forks_.Size();
    for (size_t i = oldest; i > running_.Back().first_fork; --i) {
      if (forks_[i - 1].newest < group) break;
      if (forks_[i - 1].group == group) oldest = i - 1;
    }
    return oldest;
  }
  // The first of the group's detached children, or kRootTask, which nobody detaches.
  TaskId TakeDetached(GroupId group) {
    if (Index(group) >= detached_of_.Size()) return kRootTask;
    return TaskId{std::exchange(detached_of_[Index(group)], Index(kRootTask))};
  }

  DisjointSets d_sp_;                                  // of tasks
  LabelledSets<NspSet> d_nsp_{"the sets of strands"};  // of strands
  Closure r_;                                          // of attached sets
  SparseArray<Strand> strands_{"the strands"};
  SparseArray<Element> last_{"the tasks"};  // of each task, its last strand so far
  MappedArray<Running> running_{"running tasks"};
  MappedArray<TaskId> singles_{"the futures"};
  MappedArray<Fork> forks_{"unjoined tasks"};              // of the running tasks
  MappedArray<uint32_t> detached_of_{"unjoined tasks"};    // by group; the first child, or 0
  MappedArray<uint32_t> next_detached_{"unjoined tasks"};  // by child; the next of its group, or 0
  Node before_now_ = 0;                                    // the current attached predecessor
  uint32_t first_strand_ = 0;
};
static_assert(Reachability<MultiBagsPlus>);

}  // namespace taskrace
