// WholeDetector: a Detector as the runtime has it, on one program, compared with the oracle. Beyond
// the engine and the history (subject.h) it has accesses that wait for the end of their strand,
// memory that is used again meanwhile, locks that come and go, and both places of every race.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "detect/detector.h"
#include "test/oracle/execution.h"

namespace taskrace::oracle {

template <Reachability Engine, AccessHistory History, size_t kMostFew>
class WholeDetector final : public Listener, RaceSink {
 public:
  // Access number i is by code i modulo `codes`, from 1.
  WholeDetector(uintptr_t base, size_t codes) : base_(base), codes_(codes) {
    __taskrace_top = &frame_;
    Contexts::InitBase(&frame_);
    running_.sink = this;
    for (uint32_t bits = 1; bits < lock_sets_.size(); ++bits) {
      for (uintptr_t lock = 0; lock < 2; ++lock) {
        if ((bits >> lock & 1) == 0) continue;
        lock_sets_[bits] = running_.lock_sets.With(lock_sets_[bits], 8 + lock, false);
      }
    }
  }

  // What went wrong first; empty if nothing did.
  const std::string& Wrong() const { return wrong_; }
  bool LeftClass() const { return left_class_; }
  // The program is over, or deadlocked.
  void Finish() {
    if (Stopped()) return;
    detector_.Flush();
    Settle();
  }

  void OnStart(TaskId task, GroupId finish, StrandId strand) override {
    first_strand_ = strand;
    detector_.OnStart(task, finish, strand);
    running_.strand = strand;
  }
  void OnCreate(TaskId task, TaskId child, How how, GroupId group, StrandId strand) override {
    Event([&] { return detector_.OnCreate(task, child, how, group, strand); }, strand);
  }
  void OnEnd(TaskId task) override {
    Event([&] { return detector_.OnEnd(task); }, running_.strand);
  }
  void OnProceed(TaskId task, StrandId strand) override {
    Event([&] { return detector_.OnProceed(task, strand), nullptr; }, strand);
  }
  void OnOpen(TaskId task, GroupId finish, StrandId strand) override {
    Event([&] { return detector_.OnOpen(task, finish, strand); }, strand);
  }
  void OnJoin(TaskId task, GroupId group, How how, std::span<const TaskId> singles,
              StrandId strand) override {
    Event([&] { return detector_.OnJoin(task, group, how, singles, strand); }, strand);
  }
  void OnGet(TaskId task, TaskId child, How how, StrandId strand) override {
    Event([&] { return detector_.OnGet(task, child, how, strand); }, strand);
  }
  void OnBlock(TaskId task) override {
    Event([&] { return detector_.OnBlock(task); }, running_.strand);
  }
  void OnSet(TaskId task, PromiseId promise) override {
    Event([&] { return detector_.OnSet(task, promise); }, running_.strand);
  }
  void OnGetPromise(TaskId task, PromiseId promise, StrandId strand) override {
    Event([&] { return detector_.OnGetPromise(task, promise, strand); }, strand);
  }
  void OnOver(PromiseId promise) override {
    if (!Stopped()) detector_.OnOver(promise);
  }
  void OnStrand(const Dag&, const Oracle& oracle, size_t, TaskId) override { oracle_ = &oracle; }

  void OnAccess(const Oracle& oracle, size_t, const Construct& access,
                const std::set<unsigned>& races) override {
    if (Stopped()) return;
    Lock(access.locks);
    Expect(races);
    detector_.Access(access.kind, base_ + access.first, access.size,
                     CodeOf(oracle.Past().size() - 1), Operation::kPlain);
  }
  void OnClear(const Construct& clear) override {
    if (Stopped()) return;
    reuses_ = true;
    detector_.Clear(base_ + clear.first, clear.size);
    Forget(clear);
  }
  void OnRetire(const Oracle& oracle, size_t, const Construct& retire,
                const std::set<unsigned>& races) override {
    if (Stopped()) return;
    Lock(retire.locks);
    Expect(races);
    reuses_ = true;
    detector_.Retire(base_ + retire.first, retire.size, CodeOf(oracle.Past().size() - 1),
                     Operation::kScopeEnd);
    Forget(retire);
  }

 private:
  bool Stopped() const { return left_class_ || !wrong_.empty(); }
  void Fail(const char* what, size_t a, size_t b = 0) {
    if (wrong_.empty()) wrong_ = what + (" " + std::to_string(a)) + " " + std::to_string(b);
  }

  // The detector hears of a construct, which ends the strand.
  template <class Tell>
  void Event(Tell tell, StrandId next) {
    if (Stopped()) return;
    left_class_ = tell() != nullptr;
    running_.strand = next;
    Settle();
  }
  // As the runtime does when a lock is taken or given back.
  void Lock(uint32_t bits) {
    if (running_.locks == lock_sets_[bits]) return;
    detector_.Flush();
    running_.locks = lock_sets_[bits];
  }

  void Expect(const std::set<unsigned>& races) {
    for (unsigned byte : races) {
      if (racy_.insert(byte).second) expected_.insert(byte);
    }
  }
  // Everything that was put off has been done.
  void Settle() {
    for (unsigned byte : expected_) {
      if (!reported_.contains(byte)) Fail("a race is missed", byte);
    }
    expected_.clear();
    reported_.clear();
  }
  // The same for bytes that are used again.
  void Forget(const Construct& bytes) {
    reuses_ = false;
    for (unsigned byte = bytes.first; byte < bytes.first + bytes.size; ++byte) {
      if (expected_.contains(byte) && !reported_.contains(byte)) Fail("a race is missed", byte);
      expected_.erase(byte);
      reported_.erase(byte);
      racy_.erase(byte);
    }
  }

  uintptr_t CodeOf(size_t access) const { return access % codes_ + 1; }

  // For each byte there must be two accesses by these codes that happened, touch it, and race.
  void OnRace(const Race& race, const RaceSide& earlier, const RaceSide& later) override {
    const uintptr_t earlier_code = running_.contexts[earlier.where].pc;
    const uintptr_t later_code = running_.contexts[later.where].pc;
    for (uintptr_t address = race.first; address < race.first + race.size; ++address) {
      const unsigned byte = static_cast<unsigned>(address - base_);
      if (!Happened(race, earlier_code, later_code, byte)) {
        return Fail("a false race, or one at a wrong place", byte, earlier_code);
      }
      reported_.insert(byte);
    }
  }
  bool Happened(const Race& race, uintptr_t earlier_code, uintptr_t later_code,
                unsigned byte) const {
    const std::vector<PastAccess>& past = oracle_->Past();
    const auto is = [&](size_t i, const RacingAccess& said, uintptr_t code) {
      return CodeOf(i) == code && Is(past[i], said) && Touches(past[i], byte) &&
             (reuses_ || !oracle_->IsForgotten(i, byte));
    };
    for (size_t later = past.size(); later-- > 0;) {
      if (!is(later, race.later, later_code)) continue;
      for (size_t earlier = later; earlier-- > 0;) {
        if (is(earlier, race.earlier, earlier_code) && oracle_->Races(past[earlier], past[later])) {
          return true;
        }
      }
    }
    return false;
  }
  bool Is(const PastAccess& past, const RacingAccess& said) const {
    return Index(first_strand_) + past.strand == Index(said.strand) &&
           past.access.kind == said.kind && lock_sets_[past.access.locks] == said.locks;
  }
  static bool Touches(const PastAccess& past, unsigned byte) {
    return byte >= past.access.first && byte < past.access.first + past.access.size;
  }

  taskrace::Execution running_;
  Detector<Engine, History, kMostFew> detector_{running_};
  __taskrace_frame frame_{};
  const uintptr_t base_;
  const size_t codes_;
  std::vector<LockSet> lock_sets_ = std::vector<LockSet>(4, kNoLocks);  // by their bits
  const Oracle* oracle_ = nullptr;
  StrandId first_strand_ = kNoStrand;
  std::set<unsigned> racy_;      // since the last clear
  std::set<unsigned> expected_;  // first races that must be reported when the strand ends
  std::set<unsigned> reported_;  // since the strand began
  bool reuses_ = false;          // the bytes at hand are forgotten by the oracle already
  std::string wrong_;
  bool left_class_ = false;
};

}  // namespace taskrace::oracle
