// Subject: one engine and one history on one program, compared with the oracle as it runs.
//
// Right means: at every strand, Precedes(u) agrees with the dag for every earlier u, and the
// history knows of each byte that has not raced whether an access of any kind would race now; every
// race that it hands over is a pair of accesses that do race on those bytes; and none is missing on
// a byte's first race.
#pragma once

#include <set>
#include <string>

#include "detect/history/access_history.h"
#include "test/oracle/execution.h"

namespace taskrace::oracle {

// What the first strand does to the memory around the buffer, so that the history begins
// in different states.
enum class Surroundings { kUntouched, kWord, kHalfWord, kPages };

template <Reachability Engine, AccessHistory History>
class Subject final : public Listener {
 public:
  // Byte 0 of the program is at `base`. The history must know nothing of the bytes.
  Subject(History& history, uintptr_t base, Surroundings surroundings = Surroundings::kUntouched)
      : history_(history), base_(base), surroundings_(surroundings) {}

  // What went wrong first; empty if nothing did.
  const std::string& Wrong() const { return wrong_; }
  // Has the engine said that the program is outside its class?
  bool LeftClass() const { return left_class_; }

  // All bytes that races were reported on.
  const std::set<unsigned>& Reported() const { return ever_reported_; }

  void OnStart(TaskId task, GroupId finish, StrandId strand) override {
    first_strand_ = strand_ = strand;
    engine_.OnStart(task, finish, strand);
    Surround();
  }
  void OnCreate(TaskId task, TaskId child, How how, GroupId group, StrandId strand) override {
    if (Stopped()) return;
    strand_ = strand;
    Leave(engine_.OnCreate(task, child, how, group, strand));
  }
  void OnEnd(TaskId task) override {
    if (!Stopped()) Leave(engine_.OnEnd(task));
  }
  void OnProceed(TaskId task, StrandId strand) override {
    if (Stopped()) return;
    strand_ = strand;
    engine_.OnProceed(task, strand);
  }
  void OnOpen(TaskId task, GroupId finish, StrandId strand) override {
    if (Stopped()) return;
    strand_ = strand;
    Leave(engine_.OnOpen(task, finish, strand));
  }
  void OnJoin(TaskId task, GroupId group, How how, std::span<const TaskId> singles,
              StrandId strand) override {
    if (Stopped()) return;
    strand_ = strand;
    Leave(engine_.OnJoin(task, group, how, singles, strand));
  }
  void OnGet(TaskId task, TaskId child, How how, StrandId strand) override {
    if (Stopped()) return;
    strand_ = strand;
    Leave(engine_.OnGet(task, child, how, strand));
  }
  void OnBlock(TaskId task) override {
    if (!Stopped()) Leave(engine_.OnBlock(task));
  }
  void OnSet(TaskId task, PromiseId promise) override {
    if (!Stopped()) Leave(engine_.OnSet(task, promise));
  }
  void OnGetPromise(TaskId task, PromiseId promise, StrandId strand) override {
    if (Stopped()) return;
    strand_ = strand;
    Leave(engine_.OnGetPromise(task, promise, strand));
  }
  void OnOver(PromiseId promise) override {
    if (!Stopped()) engine_.OnOver(promise);
  }

  void OnStrand(const Dag& dag, const Oracle& oracle, size_t strand, TaskId task) override {
    if (Stopped()) return;
    if (engine_.TaskOf(strand_) != task) return Fail("a strand's task", strand);
    for (size_t u = 0; u < strand; ++u) {
      if (engine_.Precedes(Number(u)) != dag.Precedes(u, strand))
        return Fail("precedes", u, strand);
    }
    for (unsigned byte = 0; byte < kBytes; ++byte) {
      if (!oracle.IsRacy(byte)) CompareByte(oracle, strand, byte);
    }
  }

  void OnAccess(const Oracle& oracle, size_t strand, const Construct& access,
                const std::set<unsigned>& races) override {
    Compare(oracle, strand, access, races, [&](Context& context) {
      history_.Access(access.kind, base_ + access.first, access.size, context);
    });
  }

  void OnClear(const Construct& clear) override {
    if (Stopped()) return;
    history_.Clear(base_ + clear.first, clear.size);
    Forget(clear);
  }

  void OnRetire(const Oracle& oracle, size_t strand, const Construct& retire,
                const std::set<unsigned>& races) override {
    Compare(oracle, strand, retire, races,
            [&](Context& context) { history_.Retire(base_ + retire.first, retire.size, context); });
    Forget(retire);
  }

 private:
  // Lock sets are sets of bits.
  struct Context {
    static constexpr bool kOneReader = Engine::kOneReader;
    Subject& subject;
    const Construct& access;

    StrandId Strand() { return subject.strand_; }
    bool Precedes(StrandId u) { return subject.engine_.Precedes(u); }
    uint64_t ReaderClass(StrandId u)
      requires(!kOneReader)
    {
      return subject.engine_.ReaderClass(u);
    }
    LockSet Locks() { return LockSet{access.locks}; }
    bool Disjoint(LockSet a, LockSet b) { return (Bits(a) & Bits(b)) == 0; }
    bool Subset(LockSet a, LockSet b) { return (Bits(a) & ~Bits(b)) == 0; }
    bool ReportsLockOrder() { return false; }
    void OnRace(const Race& race) { subject.CheckRace(race); }
    static uint32_t Bits(LockSet locks) { return static_cast<uint32_t>(locks); }
  };

  bool Stopped() const { return left_class_ || !wrong_.empty(); }
  void Leave(OutsideClass outside) { left_class_ = left_class_ || outside != nullptr; }
  void Fail(const char* what, size_t a, size_t b = 0) {
    if (wrong_.empty()) wrong_ = what + (" " + std::to_string(a)) + " " + std::to_string(b);
  }
  StrandId Number(size_t strand) const {
    return StrandId{Index(first_strand_) + static_cast<uint32_t>(strand)};
  }

  void Surround() {
    constexpr uintptr_t kPage = 4096;
    const uintptr_t page = base_ / kPage * kPage;
    const Construct write = oracle::Access(AccessKind::kWrite, 0);
    Context context{*this, write};
    const auto touch = [&](uintptr_t first, size_t size) {
      history_.Access(AccessKind::kWrite, first, size, context);
    };
    // So many pieces that a page of either is better off with a cell for each word.
    const auto scatter = [&](uintptr_t first, size_t size) {
      for (uintptr_t at = page; at < page + 2 * kPage; at += 32) {
        if (at + 32 <= base_ || at >= base_ + kBytes) touch(at + first, size);
      }
    };
    if (surroundings_ == Surroundings::kWord) scatter(0, 8);
    if (surroundings_ == Surroundings::kHalfWord) scatter(4, 4);
    if (surroundings_ == Surroundings::kPages) {
      touch(page, kPage);
      touch(page + kPage, kPage);
    }
  }

  // Tells the history of an access that races on some bytes, and compares what it finds.
  template <class Tell>
  void Compare(const Oracle& oracle, size_t strand, const Construct& access,
               const std::set<unsigned>& races, Tell tell) {
    if (Stopped()) return;
    oracle_ = &oracle;
    reported_.clear();
    Context context{*this, access};
    tell(context);
    for (unsigned byte : races) {
      if (!racy_.contains(byte) && !reported_.contains(byte))
        Fail("a race is missed", byte, strand);
    }
    racy_.insert(races.begin(), races.end());
  }
  void Forget(const Construct& bytes) {
    for (unsigned byte = bytes.first; byte < bytes.first + bytes.size; ++byte) racy_.erase(byte);
  }

  // Would an access race now? Asked of what the history remembers.
  void CompareByte(const Oracle& oracle, size_t strand, unsigned byte) {
    for (AccessKind kind : {AccessKind::kRead, AccessKind::kWrite, AccessKind::kAtomicRead,
                            AccessKind::kAtomicWrite}) {
      for (uint32_t locks = 0; locks < 4; ++locks) {
        bool races = false;
        history_.ForEachEntry(base_ + byte, [&](const auto& e) {
          races = races || (Conflict(e.kind, kind) && (Context::Bits(e.locks) & locks) == 0 &&
                            e.strand != strand_ && !engine_.Precedes(e.strand));
        });
        if (races != oracle.Races(strand, kind, locks, byte))
          return Fail("would race", byte, strand);
      }
    }
  }

  // The later side must be the access at hand, and the earlier side one that happened, touches these
  // bytes, and races with it.
  void CheckRace(const Race& race) {
    const std::vector<PastAccess>& past = oracle_->Past();
    if (past.empty() || !Is(past.back(), race.later)) {
      return Fail("a race with wrong details", past.size());
    }
    for (uintptr_t address = race.first; address < race.first + race.size; ++address) {
      const unsigned byte = static_cast<unsigned>(address - base_);
      if (!Touches(past.back(), byte)) return Fail("a race on wrong bytes", byte);
      bool happened = false;
      for (size_t i = 0; i + 1 < past.size() && !happened; ++i) {
        happened = Is(past[i], race.earlier) && Touches(past[i], byte) &&
                   !oracle_->IsForgotten(i, byte) && oracle_->Races(past[i], past.back());
      }
      if (!happened) return Fail("a false race", byte);
      reported_.insert(byte);
      ever_reported_.insert(byte);
    }
  }
  bool Is(const PastAccess& past, const RacingAccess& said) const {
    return Number(past.strand) == said.strand && past.access.kind == said.kind &&
           LockSet{past.access.locks} == said.locks;
  }
  static bool Touches(const PastAccess& past, unsigned byte) {
    return byte >= past.access.first && byte < past.access.first + past.access.size;
  }

  Engine engine_;
  History& history_;
  const uintptr_t base_;
  const Surroundings surroundings_;
  const Oracle* oracle_ = nullptr;
  StrandId strand_ = kNoStrand;
  StrandId first_strand_ = kNoStrand;
  std::set<unsigned> racy_;      // since the last clear
  std::set<unsigned> reported_;  // by the access at hand
  std::set<unsigned> ever_reported_;
  std::string wrong_;
  bool left_class_ = false;
};

}  // namespace taskrace::oracle
