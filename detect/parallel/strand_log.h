// StrandLog: what the strand that a worker runs has touched, and where in the program, until it is
// told to the history.
//
// Idea:       the bitmaps of a Coalescer say whether an access repeats an earlier one of the strand;
//             if not, it becomes an entry. An access by the same code whose address goes on in the
//             same steps is counted in the entry before it, so that a loop is one entry for each of
//             its accesses. At the strand's end the coalescer's runs come first: where they say
//             nothing new, which is most of what many strands read, no entry is looked at. What the
//             coalescer hands over before its time is in the entries. A strand with few entries does
//             without the bitmaps.
// Thread rule: the worker that owns it.
// Cost:       a repeated access costs a look at a bit; 40 bytes an entry, at most kMost entries.
// Tested by:  test/detect/parallel_worker_test.cc
#pragma once

#include <algorithm>

#include "detect/ds/mapped_array.h"
#include "detect/history/coalescer.h"
#include "report/race.h"

namespace taskrace {

class StrandLog {
 public:
  // `count` accesses of `size` bytes, at first, first + stride, ...
  struct Touch {
    uintptr_t first;
    size_t size;
    size_t count = 1;
    ptrdiff_t stride = 0;
  };
  // So many entries, and it is time to tell them.
  static constexpr size_t kMost = 4096;
  // With fewer than this, nothing is looked for in the bitmaps.
  static constexpr size_t kFew = 16;

  // True only if a plain access is collected already. Size: 1, 2, 4, 8, 16.
  template <AccessKind kKind, size_t kSize>
  [[gnu::always_inline]] bool Has(uintptr_t first) const {
    return seen_.template Has<kKind, kSize>(first);
  }

  // Collects a plain access. Requires: not IsFull().
  void Add(AccessKind kind, uintptr_t first, size_t size, Where where) {
    if (is_few_) return AddFew(kind, {first, size}, where);
    seen_.Add(
        {kind, first, size, 1, 0}, [&] { Append(kind, {first, size}, where); }, HandedOver{*this});
  }
  // Collects accesses at equal distances. `has_parts`: each row is several accesses (hooks.h).
  void AddRows(AccessKind kind, const Touch& rows, Where where, bool has_parts = false) {
    // Small pieces of several rows may well be one run.
    if (is_few_ && (rows.size >= kLargePiece || IsOneRange(rows))) {
      return AddFew(kind, rows, where, has_parts);
    }
    if (is_few_) BeMany();
    if (See(kind, rows)) Append(kind, rows, where, has_parts);
  }

  // True if something is collected on these bytes.
  bool Touches(uintptr_t first, size_t size) const {
    if (!is_few_) return seen_.Touches(first, size);
    for (size_t i = 0; i < entries_.Size(); ++i) {
      const Touch& touch = entries_[i].touch;
      if (LowEnd(touch) < first + size && first < HighEnd(touch)) return true;
    }
    return false;
  }
  // The bytes are other memory from now on; false: nothing is done, and all must be told.
  bool Forget(uintptr_t first, size_t size) {
    if (is_few_) BeMany();
    if (all_is_new_) return false;
    seen_.Flush(first, size, [](AccessKind, uintptr_t, size_t) {});
    return true;
  }
  bool IsFull() const { return entries_.Size() >= kMost; }
  bool Empty() const { return entries_.Empty(); }

  // Calls tell(kind, first, size, where) for what was collected, or tell_parts(kind, first, size, where,
  // the row that it is in) if that has parts, and begins anew; not for bytes of which
  // adds_nothing(kind, first, size) is true. Writes come first: a read of what the strand has written
  // changes nothing then. Of two, the later one comes first: the earlier may have been to memory that
  // was another variable's then.
  template <class AddsNothing, class Tell, class TellParts>
  void Flush(AddsNothing adds_nothing, Tell tell, TellParts tell_parts) {
    all_is_new_ |= is_few_;
    seen_.Flush([&](AccessKind kind, uintptr_t first, size_t size) {
      ForEachPage(first, size, [&](uintptr_t from, uintptr_t end) {
        if (!adds_nothing(kind, from, end - from)) AddNew(kind, from, end);
      });
    });
    for (const bool writes : {true, false}) {
      for (size_t i = HasNew() ? entries_.Size() : 0; i-- > 0;) {
        if (IsWrite(entries_[i].kind) != writes) continue;
        if (entries_[i].has_parts) {
          TellRows(entries_[i], adds_nothing, tell_parts);
        } else {
          TellEntry(entries_[i], tell);
        }
      }
    }
    entries_.Truncate(0);
    new_.Truncate(0);
    all_is_new_ = false;
    is_few_ = true;
  }

 private:
  struct Entry {
    Touch touch;
    Where where;
    AccessKind kind;
    bool has_parts;
  };
  static_assert(sizeof(Entry) == 40);
  static constexpr size_t kNewest = 64;
  static constexpr uintptr_t kPageBytes = 4096;
  static constexpr size_t kLargePiece = 64;

  static uintptr_t LastRow(const Touch& rows) {
    return rows.first + (rows.count - 1) * static_cast<uintptr_t>(rows.stride);
  }
  static uintptr_t LowEnd(const Touch& rows) { return std::min(rows.first, LastRow(rows)); }
  static uintptr_t HighEnd(const Touch& rows) {
    return std::max(rows.first, LastRow(rows)) + rows.size;
  }
  static bool IsOneRange(const Touch& rows) {
    const ptrdiff_t size = static_cast<ptrdiff_t>(rows.size);
    return rows.count == 1 || rows.stride == size || rows.stride == -size;
  }

  // Bytes that say something new: what the strand has written, or only read, since they are what they
  // are.
  struct Range {
    AccessKind kind;
    uintptr_t first;
    uintptr_t end;
  };

  void AddFew(AccessKind kind, const Touch& touch, Where where, bool has_parts = false) {
    Append(kind, touch, where, has_parts);
    if (entries_.Size() >= kFew) BeMany();
  }
  [[gnu::noinline]] void BeMany() {
    is_few_ = false;
    for (size_t i = 0; i < entries_.Size(); ++i) See(entries_[i].kind, entries_[i].touch);
  }
  // Sets the bits; says whether some were not set.
  bool See(AccessKind kind, const Touch& rows) {
    bool is_new = false;
    seen_.Add(
        {kind, rows.first, rows.size, rows.count, rows.stride}, [&] { is_new = true; },
        HandedOver{*this});
    return is_new;
  }
  struct HandedOver {
    StrandLog& log;
    void operator()(AccessKind, uintptr_t, size_t) const { log.all_is_new_ = true; }
  };
  template <class Visit>
  static void ForEachPage(uintptr_t first, size_t size, Visit visit) {
    for (const uintptr_t end = first + size; first < end;) {
      const uintptr_t page_end = std::min(end, (first | (kPageBytes - 1)) + 1);
      visit(first, page_end);
      first = page_end;
    }
  }
  // In the order of addresses.
  void AddNew(AccessKind kind, uintptr_t first, uintptr_t end) {
    if (!new_.Empty() && new_.Back().end == first && new_.Back().kind == kind) {
      new_.Back().end = end;
    } else {
      new_.Append({kind, first, end});
    }
  }
  bool HasNew() const { return all_is_new_ || !new_.Empty(); }
  // Calls visit(first, size) for the parts of an access that are new. A write to what was only read since
  // was to other memory (Forget).
  template <class Visit>
  void ForEachNew(AccessKind kind, uintptr_t first, size_t size, Visit visit) const {
    if (all_is_new_) return visit(first, size);
    const Range* const end = &new_.Back() + 1;
    const Range* at = std::upper_bound(
        &new_[0], end, first, [](uintptr_t byte, const Range& range) { return byte < range.end; });
    for (; at != end && at->first < first + size; ++at) {
      if (IsWrite(kind) && !IsWrite(at->kind)) continue;
      const uintptr_t from = std::max(first, at->first);
      visit(from, std::min(first + size, at->end) - from);
    }
  }

  void Append(AccessKind kind, const Touch& touch, Where where, bool has_parts = false) {
    uint32_t& newest = newest_[static_cast<uint32_t>(where) % kNewest];
    if (newest < entries_.Size() && GoesOn(entries_[newest], kind, touch, where)) return;
    newest = static_cast<uint32_t>(entries_.Size());
    entries_.Append({touch, where, kind, has_parts});
  }
  // Counts the access in the entry if it is the next of its row.
  static bool GoesOn(Entry& entry, AccessKind kind, const Touch& touch, Where where) {
    Touch& row = entry.touch;
    if (entry.where != where || entry.kind != kind || row.size != touch.size || touch.count != 1) {
      return false;
    }
    if (row.count == 1 && touch.first == row.first) return true;
    if (row.count == 1) row.stride = static_cast<ptrdiff_t>(touch.first - row.first);
    if (touch.first != row.first + row.count * static_cast<uintptr_t>(row.stride)) return false;
    ++row.count;
    return true;
  }

  template <class Tell>
  void TellEntry(const Entry& entry, Tell& tell) const {
    const Touch& row = entry.touch;
    const auto tell_new = [&](uintptr_t first, size_t bytes) {
      ForEachNew(entry.kind, first, bytes,
                 [&](uintptr_t from, size_t size) { tell(entry.kind, from, size, entry.where); });
    };
    if (row.count > 1 && IsOneRange(row)) {
      return tell_new(LowEnd(row), row.count * row.size);
    }
    for (size_t i = 0; i < row.count; ++i) {
      tell_new(row.first + i * static_cast<uintptr_t>(row.stride), row.size);
    }
  }

  // Of rows with parts. Those are many: a look at the whole first.
  template <class AddsNothing, class TellPart>
  void TellRows(const Entry& entry, AddsNothing& adds_nothing, TellPart& tell) const {
    const Touch& rows = entry.touch;
    if (all_is_new_ && IsOneRange(rows) &&
        adds_nothing(entry.kind, LowEnd(rows), rows.count * rows.size)) {
      return;
    }
    for (size_t i = 0; i < rows.count; ++i) {
      const uintptr_t row = rows.first + i * static_cast<uintptr_t>(rows.stride);
      ForEachNew(entry.kind, row, rows.size, [&](uintptr_t from, size_t size) {
        tell(entry.kind, from, size, entry.where, row);
      });
    }
  }

  Coalescer seen_;
  MappedArray<Entry> entries_{"the accesses of a strand"};
  MappedArray<Range> new_{"the accesses of a strand"};  // during Flush; sorted, disjoint
  bool is_few_ = true;
  bool all_is_new_ = false;        // something was handed over before its time, or there are few
  uint32_t newest_[kNewest] = {};  // of the entries of some code, the last one
};

}  // namespace taskrace
