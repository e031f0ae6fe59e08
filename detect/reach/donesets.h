// Done sets: reachability for general futures, with sets of ended tasks instead of a matrix.
// Paper:      none; the long form of the argument is docs/algorithms/donesets.md.
// Handles:    spawn/sync and async/finish in any mixture, futures and forks that anyone may get
//             any number of times once they have ended; serial depth-first execution.
// Invariant:  tasks are numbered as they end, except those that fold. done(t) = the numbers of the
//             tasks whose last strand precedes the current strand of t. A folded task acts as the
//             strand that joined it.
// Query:      strand u of task T, which began when e numbers had been given, precedes now
//             <=> T is running, or done(current task) has an element in [e, number of T].
// Why:        Without joins, u reaches now iff T is running: what a depth-first execution does
//             between u and the end of T, T or its descendants do, created at u or later. With
//             joins, let H be the task that a path from u to now leaves by its first join. Then u
//             reaches the end of H without joins, so H ended after u began and not after T; and H
//             is in done(current). Folding: spawns and asyncs are joined once, in nested groups. If
//             such a task and all of its descendants made no future and no fork, every way out of
//             it leads through the join of its group, or through that of a finish around it, which
//             comes later and behind it. So it acts as the strand that joined it; and until then,
//             all such tasks of the group act as one, which nothing follows yet.
// Cost:       query: O(1) if T is running, else one search in a set, after following folded tasks
//             (amortised O(log), by path compression). A join that folds: O(1) for the whole group.
//             A get: a union of persistent sets, see there. 8 bytes a strand, 8 a task, until Collect
//             forgets them, and the sets: of running tasks, and of every future to the end, since nobody says when it
//             cannot be got any more. That is 100 to 300 bytes a future where it matters:
//             pipelines, wavefronts. Futures that have nothing in common cost what a matrix costs.
// Thread rule: one thread.
// Tested by:  test/oracle/general_futures_agreement_test.cc, test/detect/donesets_test.cc
#pragma once

#include <utility>

#include "detect/ds/persistent_sets.h"
#include "detect/ds/sparse_array.h"
#include "detect/reach/reachability.h"

namespace taskrace {

class DoneSets : public WithoutPromises {
 public:
  static constexpr const char* kName = "donesets";
  static constexpr bool kOneReader = false;

  constexpr DoneSets() = default;

  void OnStart(TaskId task, GroupId finish, StrandId strand) {
    first_strand_ = Index(strand);
    OpenGroup(finish, 0);
    Begin(task, PersistentSets::kEmpty, kNobody, 0, strand);
  }

  // done(G) = done(F)
  OutsideClass OnCreate(TaskId task, TaskId child, How how, GroupId group, StrandId strand) {
    const uint32_t finish = running_.Back().finish;
    const uint32_t joined_by = IsSingle(how)        ? kNobody
                               : how == How::kSpawn ? ScopeToSpawnIn(group)
                                                    : finish;
    Begin(child, sets_.Share(running_.Back().done), joined_by, finish, strand);
    return nullptr;
  }

  void OnProceed(TaskId task, StrandId strand) { Enter(task, strand); }

  // The task folds, or takes the next number.
  OutsideClass OnEnd(TaskId task) {
    if (task == kRootTask) return nullptr;
    const Running ended = running_.Back();
    running_.PopBack();
    CloseGroups(ended.first_group);
    if (ended.joined_by == kNobody) {
      tasks_[Index(task)] = {.state = TakeNumber(), .detail = ended.done};
      singles_.Append(task);
      running_.Back().made_single = true;
      return nullptr;
    }
    Group& group = groups_[ended.joined_by];
    Unite(group.done, ended.done);
    sets_.Release(ended.done);
    if (ended.made_single) {
      const uint32_t number = TakeNumber();
      tasks_[Index(task)] = {.state = number, .detail = PersistentSets::kEmpty};
      Include(group.done, number);
      running_.Back().made_single = true;
    } else if (group.folding == kNobody) {
      group.folding = Index(task);
      tasks_[Index(task)] = {.state = kFolding, .detail = 0};
    } else {
      tasks_[Index(task)] = {.state = kFolded | group.folding, .detail = 0};
    }
    return nullptr;
  }

  OutsideClass OnOpen(TaskId task, GroupId finish, StrandId strand) {
    const uint32_t outer = running_.Back().finish;
    running_.Back().finish = static_cast<uint32_t>(groups_.Size());
    OpenGroup(finish, outer);
    Enter(task, strand);
    return nullptr;
  }

  // done(F) = done(F) u done(each child) u their numbers; those that fold act as the new strand
  OutsideClass OnJoin(TaskId task, GroupId group, How how, std::span<const TaskId> singles,
                      StrandId strand) {
    if (how == How::kFinish) {
      const uint32_t finish = running_.Back().finish;
      JoinGroup(task, finish);
      // The youngest first: it may have the numbers of many others.
      for (size_t i = singles.size(); i > 0; --i) Get(singles[i - 1]);
      if (finish != 0) {
        running_.Back().finish = groups_[finish].outer_finish;
        CloseGroups(finish);
      }
    } else if (uint32_t scope = FindScope(group); scope != kNobody) {
      JoinGroup(task, scope);
      groups_[scope].id = kNoGroup;
      while (groups_.Back().id == kNoGroup) groups_.PopBack();  // the root's finish has one
    }
    Enter(task, strand);
    return nullptr;
  }

  // done(F) = done(F) u done(G) u {number of G}
  OutsideClass OnGet(TaskId task, TaskId child, How how, StrandId strand) {
    OutsideClass outside = HasNumber(child) ? nullptr : &reasons::kBlocks;
    if (outside == nullptr) Get(child);
    Enter(task, strand);
    return outside;
  }

  // The next strands and tasks are of no interest: nobody asks for them, and they change nothing.
  void Skip(uint32_t strands, uint32_t tasks) {
    strands_.Resize(strands_.Size() + strands);
    tasks_.Resize(tasks_.Size() + tasks);
  }

  bool Precedes(StrandId u) {
    if (tasks_[StrandAt(u).task].state == kRunning) return true;
    const Strand place = PlaceOf(u);
    const uint32_t state = tasks_[place.task].state;
    if (state == kRunning) return true;
    return state != kFolding && sets_.Meets(running_.Back().done, place.began, state);
  }

  // Strands that act as one will always do so.
  uint64_t ReaderClass(StrandId u) {
    const Strand place = PlaceOf(u);
    return uint64_t{place.task} << 32 | place.began;
  }

  TaskId TaskOf(StrandId u) const { return TaskId{StrandAt(u).task}; }

  template <class Roots>
  void Collect(const Roots& roots) {
    roots.ForEachStrand([this](StrandId u) {
      if (!strands_.Keep(Index(u) - first_strand_)) return;
      tasks_.Keep(PlaceOf(u).task);  // which it leads to at once from now on
      tasks_.Keep(StrandAt(u).task);
    });
    roots.ForEachRunning([this](TaskId task) { tasks_.Keep(Index(task)); });
    for (size_t i = 0; i < groups_.Size(); ++i) {
      if (groups_[i].folding != kNobody) tasks_.Keep(groups_[i].folding);
    }
    for (size_t i = 0; i < singles_.Size(); ++i) tasks_.Keep(Index(singles_[i]));
    strands_.ForgetOthers();
    tasks_.ForgetOthers();
  }

  size_t BytesUsed() const {
    return singles_.BytesUsed() + sets_.BytesUsed() + strands_.BytesUsed() + tasks_.BytesUsed() +
           running_.BytesUsed() + groups_.BytesUsed();
  }

  // The sets alone, and what unions have cost so far.
  const PersistentSets& Sets() const { return sets_; }

 private:
  using Set = PersistentSets::Set;
  static constexpr uint32_t kNobody = ~uint32_t{0};
  // What a task's state says. Below kFolding: it has ended and this is its number. Every task has
  // two strands, so neither numbers nor tasks come near.
  static constexpr uint32_t kFolded = uint32_t{1} << 31;  // | the task that it acts as
  static constexpr uint32_t kRunning = kFolded - 1;
  static constexpr uint32_t kFolding = kFolded - 2;  // its group will fold it

  struct Strand {
    uint32_t task;
    uint32_t began;  // how many numbers had been given
  };
  struct Task {
    uint32_t state;
    uint32_t detail;  // folded: `began` of what it acts as; a future that has ended: its set
  };
  struct Running {
    Set done;
    bool made_single;      // a future or fork, or a descendant has: the task does not fold
    uint32_t joined_by;    // which of groups_; kNobody: it is got
    uint32_t finish;       // which of groups_ the task's asyncs belong to
    uint32_t first_group;  // those of the task, in groups_
  };
  // A finish, or a scope with unjoined children.
  struct Group {
    GroupId id;             // kNoGroup: joined, but not the last one
    uint32_t folding;       // one of its children that fold, the others act as that one; or kNobody
    Set done;               // of its ended children together, with their numbers
    uint32_t outer_finish;  // a finish's
  };

  const Strand& StrandAt(StrandId u) const { return strands_[Index(u) - first_strand_]; }

  void Begin(TaskId task, Set done, uint32_t joined_by, uint32_t finish, StrandId strand) {
    DCHECK(Index(task) == tasks_.Size(), "tasks are not numbered in order of creation");
    tasks_.Append({.state = kRunning, .detail = 0});
    running_.Append({.done = done,
                     .made_single = false,
                     .joined_by = joined_by,
                     .finish = finish,
                     .first_group = task == kRootTask ? 0 : static_cast<uint32_t>(groups_.Size())});
    Enter(task, strand);
  }
  void Enter(TaskId task, StrandId strand) {
    DCHECK(Index(strand) - first_strand_ == strands_.Size(), "strands are not numbered in order");
    strands_.Append({.task = Index(task), .began = numbers_});
  }
  uint32_t TakeNumber() { return numbers_++; }
  bool HasNumber(TaskId task) const { return tasks_[Index(task)].state < kFolding; }

  void Replace(Set& set, Set by) { sets_.Release(std::exchange(set, by)); }
  void Unite(Set& set, Set other) { Replace(set, sets_.Union(set, other)); }
  void Include(Set& set, uint32_t number) { Replace(set, sets_.Add(set, number)); }

  // What precedes is closed: a number that is there has brought its set along. If the union is the
  // future's set, that takes the number too, so that all who get the future can share it.
  void Get(TaskId child) {
    auto& [number, set] = tasks_[Index(child)];
    Set& done = running_.Back().done;
    if (!HasNumber(child) || sets_.Contains(done, number)) return;
    Unite(done, set);
    const bool same = done == set;
    Include(done, number);
    if (same) Replace(set, sets_.Share(done));
  }

  void OpenGroup(GroupId id, uint32_t outer_finish) {
    groups_.Append({.id = id,
                    .folding = kNobody,
                    .done = PersistentSets::kEmpty,
                    .outer_finish = outer_finish});
  }
  void CloseGroups(size_t first) {
    for (; groups_.Size() > first; groups_.PopBack()) sets_.Release(groups_.Back().done);
  }
  // The running task's scope, or kNobody.
  uint32_t FindScope(GroupId id) const {
    for (size_t i = groups_.Size(); i > running_.Back().first_group; --i) {
      if (groups_[i - 1].id == id) return static_cast<uint32_t>(i - 1);
    }
    return kNobody;
  }
  uint32_t ScopeToSpawnIn(GroupId id) {
    const uint32_t scope = FindScope(id);
    if (scope != kNobody) return scope;
    OpenGroup(id, kNobody);
    return static_cast<uint32_t>(groups_.Size() - 1);
  }
  // The group's children precede the task's next strand. The group stays, empty.
  void JoinGroup(TaskId task, uint32_t which) {
    Group& group = groups_[which];
    Unite(running_.Back().done, group.done);
    Replace(group.done, PersistentSets::kEmpty);
    const uint32_t folding = std::exchange(group.folding, kNobody);
    if (folding != kNobody) {
      tasks_[folding] = {.state = kFolded | Index(task), .detail = numbers_};
    }
  }

  // What u acts as: a task that is not folded, and when the strand there began.
  Strand PlaceOf(StrandId u) {
    Strand place = StrandAt(u);
    const uint32_t first = place.task;
    uint32_t state = tasks_[first].state;
    for (; (state & kFolded) != 0; state = tasks_[place.task].state) {
      place = {.task = state & ~kFolded, .began = tasks_[place.task].detail};
    }
    for (uint32_t task = first; task != place.task;) {
      const uint32_t next = tasks_[task].state & ~kFolded;
      tasks_[task] = {.state = kFolded | place.task, .detail = place.began};
      task = next;
    }
    if (state == kFolding) place.began = 0;
    return place;
  }

  PersistentSets sets_;
  SparseArray<Strand> strands_{"the strands"};
  SparseArray<Task> tasks_{"the tasks"};
  MappedArray<Running> running_{"running tasks"};
  MappedArray<TaskId> singles_{"the futures"};  // that have ended
  MappedArray<Group> groups_{"open scopes"};    // of the running tasks
  uint32_t numbers_ = 0;                        // how many have been given
  uint32_t first_strand_ = 0;
};
static_assert(Reachability<DoneSets>);

}  // namespace taskrace
