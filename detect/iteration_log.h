// IterationLog: where in the program iterations of parallel loops made the accesses that went to the history one
// by one. Iterations are many and have few accesses each, so that an entry names its strand itself;
// the accesses of strands that collect theirs are in an AccessLog.
//
//   scatter   b[x[i]] = a[i]      one entry an iteration: its number, the code, the bytes of b[x[i]]
//
// Invariant:  entries are in the order of their strands. One without code says that what its strand did to
//             these bytes before is forgotten.
// Thread rule: one thread.
// Cost:       16 bytes an entry. A question costs a search by halves. What belongs to strands that are not
//             remembered is dropped when the log has doubled.
// Tested by:  test/detect/iteration_log_test.cc
#pragma once

#include <algorithm>

#include "detect/access_log.h"
#include "detect/ds/mapped_array.h"
#include "report/race.h"

namespace taskrace {

class IterationLog {
 public:
  static constexpr size_t kMostBytes = 255;  // of an access

  // A plain access without locks. Requires: size <= kMostBytes; strands come in order.
  [[gnu::always_inline]] void Add(StrandId strand, AccessKind kind, Where code, uintptr_t first,
                                  size_t size) {
    entries_.Append({strand, code, first << 10 | size << 2 | static_cast<uint64_t>(kind)});
  }

  // The last access of the strand that touched the byte in that way; false: there was none.
  bool Find(const RacingAccess& by, uintptr_t byte, AccessLog::Found& found) const {
    if (by.locks != kNoLocks) return false;
    const Entry* const begin = entries_.Data();
    const Entry* after =
        std::upper_bound(begin, begin + entries_.Size(), by.strand,
                         [](StrandId wanted, const Entry& e) { return wanted < e.strand; });
    while (after != begin && (--after)->strand == by.strand) {
      if (byte < after->first() || byte - after->first() >= after->size()) continue;
      if (after->code == kNowhere) return false;
      if (after->kind() != by.kind) continue;
      found = {after->code, after->first(), after->size(), after->first() + after->size(), 0};
      return true;
    }
    return false;
  }

  // The bytes are other memory from now on, and nobody remembers what the strand did to them.
  void Forget(StrandId strand, uintptr_t first, size_t size) {
    const uintptr_t end = size > UINTPTR_MAX - first ? UINTPTR_MAX : first + size;
    // What a called function did to its variables is mostly at the end of the log.
    while (!entries_.Empty() && entries_.Back().strand == strand &&
           entries_.Back().first() >= first && entries_.Back().end() <= end) {
      entries_.PopBack();
    }
    for (size_t i = entries_.Size(); i-- > 0 && entries_[i].strand == strand;) {
      const Entry entry = entries_[i];
      const uintptr_t from = std::max(first, entry.first()), to = std::min(end, entry.end());
      if (from >= to) continue;
      if (entry.code == kNowhere && entry.first() == from && entry.end() == to) continue;
      Add(strand, entry.kind(), kNowhere, from, to - from);
    }
  }

  void Drop() { entries_.Truncate(0); }
  // Is so much in it that looking for what is not needed pays? `others`: so many bytes beside it are in use.
  bool WantsCollection(size_t others) const { return BytesUsed() > std::max(limit_, others); }
  // Forgets what nobody needs. Requires: mark_roots(mark) calls mark(strand) for every strand that is
  // remembered.
  template <class MarkRoots>
  void Collect(MarkRoots mark_roots) {
    if (entries_.Empty()) return;
    const uint32_t first = Index(entries_[0].strand), last = Index(entries_.Back().strand);
    marks_.Truncate(0);
    marks_.Resize((last - first) / 64 + 1);
    mark_roots([&](StrandId strand) {
      const uint32_t number = Index(strand) - first;
      if (number <= last - first) marks_[number / 64] |= uint64_t{1} << number % 64;
    });
    size_t kept = 0;
    for (size_t i = 0; i < entries_.Size(); ++i) {
      const uint32_t number = Index(entries_[i].strand) - first;
      if ((marks_[number / 64] >> number % 64 & 1) != 0) entries_[kept++] = entries_[i];
    }
    entries_.Truncate(kept);
    limit_ = 2 * BytesUsed();
  }

  size_t BytesUsed() const { return entries_.BytesUsed(); }

 private:
  struct Entry {
    StrandId strand;
    Where code;
    uint64_t what;  // first byte, size, kind

    uintptr_t first() const { return what >> 10; }
    size_t size() const { return what >> 2 & kMostBytes; }
    uintptr_t end() const { return first() + size(); }
    AccessKind kind() const { return static_cast<AccessKind>(what & 3); }
  };
  static_assert(sizeof(Entry) == 16);

  MappedArray<Entry> entries_{"the log of accesses"};
  MappedArray<uint64_t> marks_{"the log of accesses"};
  size_t limit_ = 0;
};

}  // namespace taskrace
