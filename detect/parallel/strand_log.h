// StrandLog: what the strand that a worker runs has touched, and where in the program, until it is
// told to the history.
//
// Idea:       as in serial detection (detector.h): the bitmaps of a Coalescer say whether an access
//             repeats an earlier one of the strand; if not, an AccessLog notes where it was. What is told at the
//             strand's end are the runs of the bitmaps. A strand with few accesses does without them.
//             The notes go to the worker's PlaceLog if a cell is to remember the strand; else they are
//             dropped when all is told.
// Thread rule: the worker that owns it.
// Cost:       a repeated access costs a look at a bit, another one a note: at most kMost notes.
// Tested by:  test/detect/parallel_worker_test.cc
#pragma once

#include "detect/access_log.h"
#include "detect/few_accesses.h"
#include "detect/history/coalescer.h"
#include "report/race.h"

namespace taskrace {

class StrandLog {
 public:
  using Touch = AccessLog::Touch;
  // So many notes, and it is time to tell.
  static constexpr size_t kMost = 4096;
  // With fewer accesses than this, nothing is looked for in the bitmaps.
  static constexpr size_t kFew = 16;

  // True only if a plain access is collected already. Size: 1, 2, 4, 8, 16.
  template <AccessKind kKind, size_t kSize>
  [[gnu::always_inline]] bool Has(uintptr_t first) const {
    return seen_.template Has<kKind, kSize>(first);
  }
  template <AccessKind kKind>
  [[gnu::always_inline]] bool HasRange(uintptr_t first, size_t size) const {
    return seen_.template HasRange<kKind>(first, size);
  }

  // Collects plain accesses. Calls tell(kind, first, size) for what cannot wait.
  template <class Tell>
  void Add(const RacingAccess& by, const Touch& touch, Where where, Tell tell) {
    if (is_few_) {
      if (added_ == kFew || notes_.Size() >= kFew || !IsForFew(touch)) {
        BeMany(tell);
      } else {
        ++added_;
        notes_.Add(by, where, touch);
        return few_.Add(by.kind, touch.InOnePiece());
      }
    }
    See(by.kind, touch.InOnePiece(), [&] { notes_.Add(by, where, touch); }, tell);
  }

  // Collects a plain access that Has() does not know, if that is simple; else false, and nothing is done.
  template <AccessKind kKind, size_t kSize>
  [[gnu::always_inline]] bool AddSmall(const RacingAccess& by, uintptr_t first, Where where) {
    if (is_few_ || !seen_.template AddSmall<kKind>(first, kSize)) return false;
    notes_.Add(by, where, {first, kSize});
    return true;
  }

  // True if something is collected on these bytes.
  bool Touches(uintptr_t first, size_t size) const {
    return is_few_ ? few_.Touches(first, size) : seen_.Touches(first, size);
  }
  // The bytes are other memory from now on: what the strand did to them is not told.
  template <class Tell>
  void Forget(StrandId strand, uintptr_t first, size_t size, Tell tell) {
    if (is_few_ && few_.CanForget(first, size)) {
      few_.Forget(first, size);
    } else {
      if (is_few_) BeMany(tell);
      seen_.Flush(first, size, [](AccessKind, uintptr_t, size_t) {});
    }
    notes_.Forget(strand, first, size);
  }
  bool IsFull() const { return notes_.Size() >= kMost; }

  // Where the accesses were that nobody has taken yet.
  AccessLog& Notes() { return notes_; }

  // Calls tell(kind, first, size) for all that was collected, and begins anew.
  template <class Tell>
  void Flush(Tell tell) {
    if (is_few_) {
      few_.Flush(tell);
    } else {
      seen_.Flush(tell);
      is_few_ = true;
    }
    added_ = 0;
    notes_.Drop();
  }

 private:
  static constexpr size_t kLargePiece = 64;
  static constexpr ptrdiff_t kFarApart = 256;

  // Many small pieces may well be one run, with those of other code.
  static bool IsForFew(const Touch& touch) {
    return touch.count == 1 || touch.InOnePiece().size >= kLargePiece ||
           touch.stride >= kFarApart || touch.stride <= -kFarApart;
  }

  template <class Tell>
  [[gnu::noinline]] void BeMany(Tell tell) {
    is_few_ = false;
    few_.ForEach([&](AccessKind kind, const Touch& touch) { See(kind, touch, [] {}, tell); });
    few_.Clear();
  }
  template <class FirstTouch, class Tell>
  [[gnu::always_inline]] void See(AccessKind kind, const Touch& touch, FirstTouch first_touch,
                                  Tell tell) {
    seen_.Add({kind, touch.first, touch.size, touch.count, touch.stride}, first_touch, tell);
  }

  bool is_few_ = true;
  size_t added_ = 0;  // while they are few, also those that came again
  FewAccesses<kFew> few_;
  Coalescer seen_;
  AccessLog notes_;
};

}  // namespace taskrace
