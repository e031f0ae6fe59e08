// StrandLog: the plain accesses of the running strand, and where in the program they were, until they are
// passed to the history (to *tell* them, docs/glossary.md).
//
// Idea:       the first few wait in a list (few_accesses.h). A strand with more of them collects bits
//             (coalescer.h), from its first access on if the last strand that began there had many: then a
//             repeated access costs a look at a bit. Where a first touch was is noted (access_log.h).
//             Telling early is always right: rows that lie apart, which gain nothing by bits, do not wait.
// Thread rule: one thread.
// Cost:       a repeated access costs a look at a bit, another one a note.
// Tested by:  test/detect/strand_log_test.cc, test/oracle/whole_detector_test.cc,
//             test/oracle/parallel_orders_test.cc
#pragma once

#include <cstdlib>

#include "detect/access_log.h"
#include "detect/few_accesses.h"
#include "detect/history/coalescer.h"
#include "report/race.h"

namespace taskrace {

// kMostFew: a strand with fewer accesses than this does without bits.
template <size_t kMostFew = 16>
class StrandLog {
 public:
  using Touch = AccessLog::Touch;
  static constexpr size_t kFew = kMostFew;

  // While accesses are few, Has and HasRange know none.
  bool IsFew() const { return added_ < kMostFew; }
  // True only if a plain access is collected already. Size: 1, 2, 4, 8, 16.
  template <AccessKind kKind, size_t kSize>
  [[gnu::always_inline]] bool Has(uintptr_t first) const {
    return bits_.template Has<kKind, kSize>(first);
  }
  template <AccessKind kKind>
  [[gnu::always_inline]] bool HasRange(uintptr_t first, size_t size) const {
    return bits_.template HasRange<kKind>(first, size);
  }

  // Collects plain accesses. `here` is who does them: as a Caller, here.Caller(), and, which costs a search, as
  // a number, here.Code(). Calls tell(kind, first, size) for what does not wait. Requires: there are some.
  template <class Here, class Tell>
  void Add(RacingAccess by, const Touch& touch, Here here, Tell tell) {
    const bool is_apart = static_cast<size_t>(std::abs(touch.stride)) >= kFarApart;
    if (IsFew() && GoesOnWithFew(here)) {
      // Many small pieces may well be one run, with those of other code.
      if (touch.count == 1 || touch.InOnePiece().size >= kLargePiece || is_apart) {
        return AddFew(by, touch, here.Code(), tell);
      }
      BeMany(tell);
    }
    // Unless they come again and again.
    if (is_apart && told_at_once_ < kMostToldAtOnce) {
      ++told_at_once_;
      Notes(by.strand).Add(by, here.Code(), touch);
      touch.ForEachRow([&](uintptr_t row) { tell(by.kind, row, touch.size); });
      return;
    }
    AddBits(
        by.kind, touch.InOnePiece(), [&] { Notes(by.strand).Add(by, here.Code(), touch); }, tell);
  }
  // The same for one access. Requires: IsFew().
  template <AccessKind kKind, class Here, class Tell>
  [[gnu::always_inline]] void AddOneOfFew(RacingAccess by, uintptr_t first, size_t size, Here here,
                                          Tell tell) {
    if (!GoesOnWithFew(here)) return AddOneOfMany<kKind>(by, first, size, here, tell);
    AddFew(by, {first, size}, here.Code(), tell);
  }
  // The same if Has or HasRange does not know it. Requires: !IsFew().
  template <AccessKind kKind, class Here, class Tell>
  [[gnu::always_inline]] void AddOneOfMany(RacingAccess by, uintptr_t first, size_t size, Here here,
                                           Tell tell) {
    if (!bits_.template AddSmall<kKind>(first, size)) return AddAnyhow(by, first, size, here, tell);
    if (Notes(by.strand).AddKnown(by, here.Caller(), first, size)) [[likely]]
      return;
    NoteNew(by, first, size, here);
  }

  bool Empty() const { return few_.Empty() && bits_.Empty(); }
  // True if something is collected on these bytes.
  bool Touches(uintptr_t first, size_t size) const {
    return few_.Touches(first, size) || bits_.Touches(first, size);
  }
  // Whether Forget tells nothing.
  bool CanForget(uintptr_t first, size_t size) const {
    return few_.Empty() || few_.CanForget(first, size);
  }
  // The bytes are other memory from now on: what the strand did to them is not told.
  template <class Tell>
  void Forget(StrandId strand, uintptr_t first, size_t size, Tell tell) {
    if (!CanForget(first, size)) BeMany(tell);
    if (!few_.Empty()) few_.Forget(first, size);
    if (!bits_.Empty()) bits_.Flush(first, size, [](AccessKind, uintptr_t, size_t) {});
    Notes(strand).Forget(strand, first, size);
  }

  // Calls tell(kind, first, size) for all that was collected, and begins anew. The notes stay.
  template <class Tell>
  void Flush(Tell tell) {
    if (!few_.Empty()) few_.Flush(tell);
    if (!bits_.Empty()) bits_.Flush(tell);
    if (added_ != 0) End();
    told_at_once_ = 0;
  }
  // The same for these bytes, and others if that is simpler; the strand goes on.
  template <class Tell>
  void FlushBytes(uintptr_t first, size_t size, Tell tell) {
    if (few_.Touches(first, size)) few_.Flush(tell);
    if (!bits_.Empty()) bits_.Flush(first, size, tell);
  }
  // The same for all bytes.
  template <class Tell>
  void FlushBytes(Tell tell) {
    if (!few_.Empty()) few_.Flush(tell);
    if (!bits_.Empty()) bits_.Flush(tell);
  }

  // Where the accesses of the strand were, and of those before it that nobody has dropped.
  AccessLog& Notes(StrandId strand = kNoStrand) { return logs_[IsIteration(strand) ? 1 : 0]; }
  // Calls visit(notes) for those of tasks and those of iterations: each is in the order of strands.
  template <class Visit>
  void ForEachNotes(Visit visit) {
    for (AccessLog& log : logs_) visit(log);
  }
  size_t BytesUsed() const { return logs_[0].BytesUsed() + logs_[1].BytesUsed(); }

 private:
  static constexpr size_t kLargePiece = 64;
  static constexpr size_t kFarApart = 256;
  static constexpr size_t kMostToldAtOnce = 64;
  static constexpr size_t kBeginnings = 1024;
  // A little more than few may be few the next time, and is then much cheaper.
  static constexpr size_t kFarMore = 2 * kMostFew;

  // Whether the strand may go on with few. Requires: IsFew().
  template <class Here>
  [[gnu::always_inline]] bool GoesOnWithFew(const Here& here) {
    return added_ != 0 || Begin(here.Caller());
  }
  bool Begin(const AccessLog::Caller& caller) {
    begun_at_ = &had_many_[caller.pc % kBeginnings];
    touches_before_ = Touches();
    if (!*begun_at_) return true;
    added_ = kMostFew;
    return false;
  }
  void End() {
    *begun_at_ = Touches() - touches_before_ >= kFarMore;
    added_ = 0;
  }

  uint64_t Touches() const { return logs_[0].Touches() + logs_[1].Touches(); }

  template <class Tell>
  [[gnu::always_inline]] void AddFew(RacingAccess by, const Touch& touch, Where code, Tell tell) {
    Notes(by.strand).AddAlone(by, code, touch);
    few_.Add(by.kind, touch.InOnePiece());
    if (++added_ == kMostFew) [[unlikely]]
      BeMany(tell);
  }
  template <class Tell>
  [[gnu::noinline]] void BeMany(Tell tell) {
    few_.ForEach([&](AccessKind kind, const Touch& touch) { AddBits(kind, touch, [] {}, tell); });
    few_.Clear();
    added_ = kMostFew;
  }
  template <class FirstTouch, class Tell>
  [[gnu::always_inline]] void AddBits(AccessKind kind, const Touch& touch, FirstTouch first_touch,
                                      Tell tell) {
    bits_.Add({kind, touch.first, touch.size, touch.count, touch.stride}, first_touch, tell);
  }

  // Not inlined: the common case would save registers for them.
  template <class Here, class Tell>
  [[gnu::noinline]] void AddAnyhow(RacingAccess by, uintptr_t first, size_t size, Here here,
                                   Tell tell) {
    Add(by, {first, size}, here, tell);
  }
  template <class Here>
  [[gnu::noinline]] void NoteNew(RacingAccess by, uintptr_t first, size_t size, Here here) {
    const Where code = here.Code();
    Notes(by.strand).Add(by, here.Caller(), code, first, size);
  }

  size_t added_ = 0;                 // accesses of the strand, while they are few
  size_t told_at_once_ = 0;          // how often the strand did not wait
  bool had_many_[kBeginnings] = {};  // by the code of a strand's first access
  bool* begun_at_ = &had_many_[0];   // of the strand
  uint64_t touches_before_ = 0;
  FewAccesses<kMostFew> few_;
  Coalescer bits_;
  AccessLog logs_[2];  // of strands of tasks, of iterations
};

}  // namespace taskrace
