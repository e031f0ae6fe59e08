// SP-order: serial reachability for series-parallel programs, by two orders of the strands.
// Paper:      Bender, Fineman, Gilbert and Leiserson, SPAA 2004; stint section 2.
// Handles:    spawn/sync and async/finish; serial depth-first execution. No futures.
// Invariant:  the English order runs a child before its continuation, the Hebrew
//             order the continuation first; a strand that joins comes behind
//             everything that it joins in both.
// Query:      u precedes now <=> u comes first in both orders.
// Cost:       O(log n) amortised per event, two loads per query; 16 bytes a strand
//             that Collect has not forgotten.
// Deviation:  depth-first execution is the English order, so strand numbers stand for it and
//             only the Hebrew order is kept. A join strand is inserted at the join, not at the
//             first fork: in Hebrew it comes directly behind the last strand of the first
//             child, which is known then.
// Thread rule: one thread.
// Tested by:  test/oracle/agreement_test.cc
#pragma once

#include "detect/ds/order_list.h"
#include "detect/reach/nesting_check.h"
#include "detect/reach/reachability.h"

namespace taskrace {

class SpOrder : public WithoutPromises {
 public:
  static constexpr const char* kName = "sporder";
  static constexpr bool kOneReader = true;

  constexpr SpOrder() = default;

  void OnStart(TaskId task, GroupId finish, StrandId strand) {
    before_first_ = Index(strand) - 1;
    nesting_.OnStart();
    task_of_.Append(task);  // of the base: nobody asks
    Enter(task, hebrew_.InsertAfter(OrderList::kBase), strand);
  }

  // f forks c:  English f c, Hebrew f c; the continuation will come between the two.
  OutsideClass OnCreate(TaskId task, TaskId child, How how, GroupId group, StrandId strand) {
    OutsideClass outside = nesting_.OnCreate(group, OrderList::kBase);
    waiting_.Append(now_);
    Enter(child, hebrew_.InsertAfter(now_), strand);
    if (how == How::kFuture) return &reasons::kFuture;
    if (how == How::kFork) return &reasons::kFork;
    return outside;
  }

  // The last strand of a task comes behind all of its others in Hebrew, but for unjoined asyncs.
  OutsideClass OnEnd(TaskId task) {
    if (task == kRootTask) return nullptr;
    auto [outside, asyncs] = nesting_.OnEnd();
    Element& last = nesting_.Newest();
    const Element creator = waiting_.Back();
    if (last == OrderList::kBase) {
      last = asyncs ? *asyncs : now_;
    } else if (now_ == creator + 1) {
      hebrew_.GiveRoomBack(now_);  // a child of one strand, and no join goes behind it
    }
    now_ = creator;
    waiting_.PopBack();
    return outside;
  }

  // f goes on as k:  English f c ... k, Hebrew f k c ...
  void OnProceed(TaskId task, StrandId strand) { EnterBehind(task, now_, strand); }
  OutsideClass OnOpen(TaskId task, GroupId finish, StrandId strand) {
    EnterBehind(task, now_, strand);
    return nullptr;
  }

  // j joins:  behind everything since the first fork, in both orders
  OutsideClass OnJoin(TaskId task, GroupId group, How how, std::span<const TaskId> singles,
                      StrandId strand) {
    auto [outside, last] = nesting_.OnJoin(group);
    EnterBehind(task, last ? *last : now_, strand);
    return outside;
  }

  // There is nothing to get: futures and forks are refused.
  OutsideClass OnGet(TaskId task, TaskId child, How how, StrandId strand) {
    return how == How::kGet ? &reasons::kFuture : &reasons::kFork;
  }

  bool Precedes(StrandId u) { return !hebrew_.Precedes(now_, ElementOf(u)); }

  TaskId TaskOf(StrandId u) const { return task_of_[ElementOf(u)]; }

  template <class Roots>
  void Collect(const Roots& roots) {
    roots.ForEachStrand([this](StrandId u) {
      hebrew_.Keep(ElementOf(u));
      task_of_.Keep(ElementOf(u));
    });
    hebrew_.Keep(now_);
    for (size_t i = 0; i < waiting_.Size(); ++i) hebrew_.Keep(waiting_[i]);
    nesting_.ForEachJoin([this](Element last) { hebrew_.Keep(last); });
    hebrew_.ForgetOthers();
    task_of_.ForgetOthers();
  }

  size_t BytesUsed() const {
    return hebrew_.BytesUsed() + task_of_.BytesUsed() + nesting_.BytesUsed() + waiting_.BytesUsed();
  }

 private:
  using Element = OrderList::Element;

  Element ElementOf(StrandId strand) const { return Index(strand) - before_first_; }

  // Nothing is inserted between `left` and the new strand any more.
  void EnterBehind(TaskId task, Element left, StrandId strand) {
    Enter(task, hebrew_.InsertAfter(left, OrderList::Room::kOnlyAfter), strand);
  }
  void Enter(TaskId task, Element element, StrandId strand) {
    DCHECK(ElementOf(strand) == element, "strands are not numbered in order");
    task_of_.Append(task);
    now_ = element;
  }

  OrderList hebrew_;  // its elements are the strands
  SparseArray<TaskId> task_of_{"the strands"};
  // Of each run, the last element in Hebrew of its first child; the base until
  // that child has ended.
  NestingCheck<Element> nesting_;
  MappedArray<Element> waiting_{"waiting tasks"};  // the last strand of each
  Element now_ = OrderList::kBase;
  uint32_t before_first_ = 0;  // elements begin at 1, strands one behind this
};
static_assert(Reachability<SpOrder>);

}  // namespace taskrace
