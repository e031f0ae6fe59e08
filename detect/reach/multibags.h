// MultiBags: serial reachability for structured futures.
// Paper:      Utterback, Agrawal, Fineman and Lee, PPoPP 2019, section 4, Figure 1.
// Handles:    spawn/sync and async/finish in any mixture; futures and forks joined once, by
//             somebody whom their creator precedes; serial depth-first execution. No promises.
// Invariant:  the strands of an ended task are in the bag of its furthest join successor; that bag
//             is an S-bag iff its task is active (Lemma 4.5).
// Query:      u precedes now <=> u's task is in an S-bag.
// Cost:       O(alpha) amortised per event and query, whatever a group joins; 4 bytes a strand,
//             8 a task, 4 a group, until they are forgotten: by Collect, and strands and tasks whenever the
//             root has joined all of them (task_bags.h). 4 1/4 a future or fork ever made.
// Deviation:  sync and finish are gets of a whole group, whose ended children share one P-bag as in
//             SP-bags: no path leaves them but through the join. Structured use is checked, one
//             query per get; at a finish after all unions, because its tasks may have created each
//             other. A second get of what precedes already adds no edge and is allowed.
// Thread rule: one thread. After a reason was returned answers mean nothing; events stay harmless.
// Tested by:  test/oracle/multibags_agreement_test.cc, test/detect/multibags_test.cc
#pragma once

#include <bit>

#include "detect/reach/reachability.h"
#include "detect/reach/task_bags.h"

namespace taskrace {

class MultiBags : public WithoutPromises {
 public:
  static constexpr const char* kName = "multibags";
  static constexpr bool kOneReader = false;

  constexpr MultiBags() = default;

  void OnStart(TaskId task, GroupId finish, StrandId strand) { bags_.OnStart(strand); }

  // F calls f = fut-create(G):  S_G = MAKE-SET(u)
  OutsideClass OnCreate(TaskId task, TaskId child, How how, GroupId group, StrandId strand) {
    if (IsSingle(how)) creators_.Add(child, task);
    groups_of_running_.Append(IsSingle(how) ? kNoGroup : group);
    bags_.OnCreate(child, strand);
    return nullptr;
  }

  // G returns to F:  P_G = S_G, and if group g will join it  P_g = UNION(P_g, P_G)
  OutsideClass OnEnd(TaskId task) {
    if (task == kRootTask) return nullptr;
    const GroupId group = groups_of_running_.Back();
    groups_of_running_.PopBack();
    bags_.OnEnd();
    if (group == kNoGroup) {
      bags_.BecomeP(task);
      return nullptr;
    }
    if (Index(group) >= p_bags_.Size()) p_bags_.Resize(Index(group) + 1);
    TaskId& p_bag = p_bags_[Index(group)];
    if (p_bag == kEmpty) {
      bags_.BecomeP(task);
      p_bag = task;
    } else {
      bags_.PutIntoP(p_bag, task);
    }
    return nullptr;
  }

  void OnProceed(TaskId task, StrandId strand) { bags_.Enter(task, strand); }
  OutsideClass OnOpen(TaskId task, GroupId finish, StrandId strand) {
    bags_.Enter(task, strand);
    return nullptr;
  }

  // F joins group g:  S_F = UNION(S_F, P_g);  P_g = {};  and gets the singles
  OutsideClass OnJoin(TaskId task, GroupId group, How how, std::span<const TaskId> singles,
                      StrandId strand) {
    if (Index(group) < p_bags_.Size() && p_bags_[Index(group)] != kEmpty) {
      bags_.Join(task, p_bags_[Index(group)]);
      p_bags_[Index(group)] = kEmpty;
    }
    for (TaskId child : singles) Get(task, child, creators_[child]);
    OutsideClass outside = nullptr;
    for (TaskId child : singles) {
      if (OutsideClass why = CheckStructuredUse(child, creators_[child]); outside == nullptr)
        outside = why;
    }
    bags_.EnterJoined(task, strand);
    return outside;
  }

  // F calls get(f):  S_F = UNION(S_F, P_G)
  OutsideClass OnGet(TaskId task, TaskId child, How how, StrandId strand) {
    Creator& creator = creators_[child];
    Get(task, child, creator);
    OutsideClass outside = CheckStructuredUse(child, creator);
    bags_.EnterJoined(task, strand);
    return outside;
  }

  bool IsSettled(StrandId u) const { return bags_.IsSettled(u); }
  bool AllIsSettled(StrandId now) const { return bags_.BeginsAnewWith(now); }
  bool Precedes(StrandId u) { return bags_.Precedes(u); }

  // Strands in one bag stay in one bag as long as the program stays in the class.
  uint64_t ReaderClass(StrandId u) { return bags_.BagOf(u); }

  TaskId TaskOf(StrandId u) const { return bags_.TaskOf(u); }

  template <class Roots>
  void Collect(const Roots& roots) {
    Mark(roots);
    ForgetOthers();
  }
  // The two halves of it. Between them: is the strand one of the roots, and not settled for good?
  bool IsMarked(StrandId u) const { return bags_.IsKept(u); }
  template <class Roots>
  void Mark(const Roots& roots) {
    roots.ForEachStrand([this](StrandId u) { bags_.Keep(u); });
    roots.ForEachRunning([this](TaskId task) { bags_.Keep(task); });
    p_bags_.ForEach([this](size_t group, TaskId p_bag) {
      if (p_bag == kEmpty) return;
      p_bags_.Keep(group);
      bags_.Keep(p_bag);
    });
    creators_.ForEach([this](TaskId single, Creator& creator) {
      if (creator.is_joined) creator.task = bags_.SameBag(creator.task);
      if (!creator.is_joined) bags_.Keep(single);
      bags_.Keep(creator.task);
    });
  }
  void ForgetOthers() {
    p_bags_.ForgetOthers();
    bags_.ForgetOthers();
  }

  size_t BytesUsed() const {
    return bags_.BytesUsed() + groups_of_running_.BytesUsed() + p_bags_.BytesUsed() +
           creators_.BytesUsed();
  }

 private:
  static constexpr TaskId kEmpty = kRootTask;  // no P-bag has the root

  // Who created a future or fork; once that is joined, a task that is in the same bag.
  struct Creator {
    TaskId task : 31;  // each task has two strands, which are numbers of 31 bits
    bool is_joined : 1;
  };
  static_assert(sizeof(Creator) == 4);

  // That of each future or fork. A bit a task says which tasks are here, a count every 64 bits where; spawns
  // and asyncs need no more than their bit.
  class Creators {
   public:
    constexpr Creators() = default;

    // Requires: `single` was created later than all that are here.
    void Add(TaskId single, TaskId creator) {
      while (words_.Size() <= Index(single) / 64) {
        words_.Append({.bits = 0, .before = static_cast<uint32_t>(creators_.Size())});
      }
      words_[Index(single) / 64].bits |= Bit(single);
      creators_.Append({creator, false});
    }
    // Calls visit(task, creator) for each.
    template <class Visit>
    void ForEach(Visit visit) {
      for (size_t i = 0, at = 0; i < words_.Size(); ++i) {
        for (uint64_t bits = words_[i].bits; bits != 0; bits &= bits - 1) {
          visit(
              TaskId{static_cast<uint32_t>(64 * i) + static_cast<uint32_t>(std::countr_zero(bits))},
              creators_[at++]);
        }
      }
    }
    Creator& operator[](TaskId single) {
      const Word& word = words_[Index(single) / 64];
      DCHECK((word.bits & Bit(single)) != 0, "not a future or fork");
      return creators_[word.before +
                       static_cast<size_t>(std::popcount(word.bits & (Bit(single) - 1)))];
    }
    size_t BytesUsed() const { return words_.BytesUsed() + creators_.BytesUsed(); }

   private:
    struct Word {
      uint64_t bits;
      uint32_t before;  // how many are in the words before
    };
    static constexpr uint64_t Bit(TaskId task) { return uint64_t{1} << (Index(task) % 64); }

    MappedArray<Word> words_{"the futures"};
    MappedArray<Creator> creators_{"the futures"};
  };

  void Get(TaskId task, TaskId child, Creator creator) {
    if (!creator.is_joined) bags_.Join(task, child);
  }
  // Of a child that was just got; all unions have been made.
  OutsideClass CheckStructuredUse(TaskId child, Creator& creator) {
    if (creator.is_joined) return bags_.IsInSBag(creator.task) ? nullptr : &reasons::kSecondGet;
    const bool creator_precedes = bags_.IsInSBag(creator.task);
    creator = {child, true};
    return creator_precedes ? nullptr : &reasons::kCreatorIsParallel;
  }

  TaskBags bags_;
  // Of the running tasks but the root; kNoGroup: a future or fork.
  MappedArray<GroupId> groups_of_running_{"running tasks"};
  SparseArray<TaskId> p_bags_{"scopes and finishes"};  // of each group, a task in its P-bag
  Creators creators_;
};
static_assert(Reachability<MultiBags>);

}  // namespace taskrace
