// StrandLog: what the strand that a worker runs has touched, and where in the program, until it is
// told to the history.
//
// Idea:       the bitmaps of a Coalescer say whether an access repeats an earlier one of the strand;
//             if not, it becomes an entry. An access by the same code whose address goes on in the
//             same steps is counted in the entry before it, so that a loop is one entry for each of
//             its accesses. What the coalescer hands over before its time is left out: it is in the
//             entries, and an access that is told twice does no harm.
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

  // True only if a plain access is collected already. Size: 1, 2, 4, 8, 16.
  template <AccessKind kKind, size_t kSize>
  [[gnu::always_inline]] bool Has(uintptr_t first) const {
    return seen_.template Has<kKind, kSize>(first);
  }

  // Collects a plain access. Requires: not IsFull().
  void Add(AccessKind kind, uintptr_t first, size_t size, Where where) {
    seen_.Add(kind, first, size, [&] { Append(kind, {first, size}, where); }, kNothing);
  }
  // Collects accesses at equal distances.
  void AddRows(AccessKind kind, const Touch& rows, Where where) {
    bool is_new = false;
    for (size_t i = 0; i < rows.count; ++i) {
      seen_.Add(
          kind, rows.first + i * static_cast<uintptr_t>(rows.stride), rows.size,
          [&] { is_new = true; }, kNothing);
    }
    if (is_new) Append(kind, rows, where);
  }

  // True if something is collected on these bytes.
  bool Touches(uintptr_t first, size_t size) const { return seen_.Touches(first, size); }
  bool IsFull() const { return entries_.Size() >= kMost; }
  bool Empty() const { return entries_.Empty(); }

  // Calls tell(kind, first, size, where) for what was collected, and begins anew. Writes come first:
  // a read of what the strand has written changes nothing then.
  template <class Tell>
  void Flush(Tell tell) {
    for (const bool writes : {true, false}) {
      for (size_t i = 0; i < entries_.Size(); ++i) {
        if (IsWrite(entries_[i].kind) == writes) TellEntry(entries_[i], tell);
      }
    }
    entries_.Truncate(0);
    seen_.Flush(kNothing);
  }

 private:
  struct Entry {
    Touch touch;
    Where where;
    AccessKind kind;
  };
  static_assert(sizeof(Entry) == 40);
  static constexpr size_t kNewest = 64;
  static constexpr auto kNothing = [](AccessKind, uintptr_t, size_t) {};

  void Append(AccessKind kind, const Touch& touch, Where where) {
    uint32_t& newest = newest_[static_cast<uint32_t>(where) % kNewest];
    if (newest < entries_.Size() && GoesOn(entries_[newest], kind, touch, where)) return;
    newest = static_cast<uint32_t>(entries_.Size());
    entries_.Append({touch, where, kind});
  }
  // Counts the access in the entry if it is the next of its row.
  static bool GoesOn(Entry& entry, AccessKind kind, const Touch& touch, Where where) {
    Touch& row = entry.touch;
    if (entry.where != where || entry.kind != kind || row.size != touch.size || touch.count != 1) {
      return false;
    }
    if (row.count == 1) row.stride = static_cast<ptrdiff_t>(touch.first - row.first);
    if (touch.first != row.first + row.count * static_cast<uintptr_t>(row.stride)) return false;
    ++row.count;
    return true;
  }

  template <class Tell>
  static void TellEntry(const Entry& entry, Tell& tell) {
    const Touch& row = entry.touch;
    const ptrdiff_t size = static_cast<ptrdiff_t>(row.size);
    if (row.count > 1 && (row.stride == size || row.stride == -size)) {
      const uintptr_t last = row.first + (row.count - 1) * static_cast<uintptr_t>(row.stride);
      tell(entry.kind, std::min(row.first, last), row.count * row.size, entry.where);
      return;
    }
    for (size_t i = 0; i < row.count; ++i) {
      tell(entry.kind, row.first + i * static_cast<uintptr_t>(row.stride), row.size, entry.where);
    }
  }

  Coalescer seen_;
  MappedArray<Entry> entries_{"the accesses of a strand"};
  uint32_t newest_[kNewest] = {};  // of the entries of some code, the last one
};

}  // namespace taskrace
