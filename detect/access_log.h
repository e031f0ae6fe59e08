// AccessLog: where in the program each strand first touched the bytes that it touched. Histories
// remember strands only; a report asks here for the line.
//
// Idea:       an entry for each first touch, in order, by program counter and calling context. An
//             access by the same code whose address goes on in the same steps is counted in the
//             entry before it, so that a loop is one entry for each of its accesses.
// Found by:   strand, kind and locks; of all entries that cover a byte the last one holds, for
//             memory may have been used again since an older one. A page of the answer is painted
//             when a byte of it is asked for, and kept for the next question.
// Forgotten:  what belongs to strands that nobody remembers, when the log has doubled.
// Thread rule: one thread.
// Cost:       some forty instructions per first touch; 32 bytes an entry, 12 a strand with
//             entries. A question costs a walk over the strand's entries, once a page.
// Tested by:  test/detect/access_log_test.cc
#pragma once

#include <algorithm>
#include <iterator>

#include "detect/contexts.h"
#include "detect/ds/mapped_array.h"
#include "report/race.h"

namespace taskrace {

class AccessLog {
 public:
  constexpr AccessLog() = default;

  // `count` accesses of `size` bytes, at first, first + stride, ...
  struct Touch {
    uintptr_t first;
    size_t size;
    size_t count = 1;
    ptrdiff_t stride = 0;
  };
  // The code that does it.
  struct Code {
    uintptr_t pc;
    ContextId context;
    Operation operation = Operation::kPlain;
    bool operator==(const Code&) const = default;
  };

  // One access that is not large.
  [[gnu::always_inline]] void AddSmall(const RacingAccess& by, const Code& code, uintptr_t first,
                                       uint32_t size) {
    ++touches_;
    if (strand_ == by.strand && locks_ == by.locks) [[likely]] {
      const uint32_t newest = newest_[SlotOf(code.pc)];
      if (MayGoOn(newest, first, size) && entries_[newest].Continues(by.kind, code, first, size))
          [[likely]] {
        return;
      }
    }
    Add(by, code, {first, size});
  }

  // Any accesses.
  [[gnu::noinline]] void Add(const RacingAccess& by, const Code& code, Touch touch) {
    ++touches_;
    if (strand_ != by.strand || locks_ != by.locks) [[unlikely]]
      BeginSegment(by);
    if (!Fits(touch)) return AppendInParts(by, code, touch);
    if (touch.count > 1) return Append(by, code, touch);
    uint32_t& newest = newest_[SlotOf(code.pc)];
    if (MayGoOn(newest, touch.first, touch.size) &&
        entries_[newest].Continues(by.kind, code, touch.first, touch.size)) {
      return;
    }
    newest = static_cast<uint32_t>(entries_.Size());
    Append(by, code, touch);
  }

  // Any accesses, in entries of their own whatever came before.
  [[gnu::always_inline]] void AddAlone(const RacingAccess& by, const Code& code, Touch touch) {
    ++touches_;
    if (strand_ != by.strand || locks_ != by.locks) [[unlikely]]
      BeginSegment(by);
    if (!Fits(touch)) [[unlikely]]
      return AppendInParts(by, code, touch);
    Append(by, code, touch);
  }

  // The bytes are other memory from now on, and nobody remembers what the strand did to them.
  void Forget(StrandId strand, uintptr_t first, size_t size) {
    if (strand_ != strand || entries_.Size() == segment_) return;
    const uintptr_t end = size > UINTPTR_MAX - first ? UINTPTR_MAX : first + size;
    // What a called function did to its variables is mostly at the end of the log.
    while (entries_.Size() > segment_ && entries_.Back().IsWithin(first, end)) {
      entries_.PopBack();
      for (Painted& painted : painted_) painted.page = kNoPage;
    }
    forgotten_first_ = std::min(forgotten_first_, first);
    forgotten_end_ = std::max(forgotten_end_, end);
  }

  // An access to a byte, and up to which byte this is the answer.
  struct Found {
    Code code;
    uintptr_t first;  // of the access
    size_t size;
    uintptr_t end;    // no further than the byte's page
    uint32_t number;  // larger for what came later

    bool IsSameAccess(const Found& other) const {
      return first == other.first && size == other.size && code == other.code;
    }
  };
  // Requires: the strand has touched the byte in that way.
  Found Find(const RacingAccess& by, uintptr_t byte) {
    const Painted& painted = PaintedFor(by, byte >> kPageShift);
    const uint32_t number = painted.bytes[byte % kPageBytes];
    CHECK(number != 0, "an access is remembered, but not where it was");
    const Entry& entry = entries_[number - 1];
    const uintptr_t piece = entry.PieceWith(byte);
    uintptr_t end = byte + 1;
    while (end < piece + entry.size && end % kPageBytes != 0 &&
           painted.bytes[end % kPageBytes] == number) {
      ++end;
    }
    return {entry.GetCode(), piece, entry.size, end, number};
  }

  // So much of the log may be of no use that looking for it pays. `others`: bytes that must be
  // looked at for it.
  bool WantsCollection(size_t others) const { return BytesUsed() > std::max(limit_, others); }
  // Forgets what belongs to strands that are not marked. Requires: mark_roots(mark) calls
  // mark(strand) for every strand that is remembered somewhere.
  template <class MarkRoots>
  void Collect(MarkRoots mark_roots) {
    if (segments_.Empty()) return;
    marks_.Truncate(0);
    marks_.Resize((Index(segments_.Back().strand) - Index(segments_[0].strand)) / 64 + 1);
    const uint32_t first = Index(segments_[0].strand);
    const uint32_t last = Index(segments_.Back().strand);
    mark_roots([&](StrandId strand) {
      if (Index(strand) < first || Index(strand) > last) return;
      marks_[(Index(strand) - first) / 64] |= uint64_t{1} << ((Index(strand) - first) % 64);
    });
    size_t kept = 0, kept_entries = 0;
    for (size_t i = 0; i < segments_.Size(); ++i) {
      const Segment segment = segments_[i];
      const uint32_t number = Index(segment.strand) - first;
      if ((marks_[number / 64] >> (number % 64) & 1) == 0) continue;
      const size_t end = EndOf(i);
      const size_t begin = kept_entries;
      for (size_t j = segment.begin; j < end; ++j) entries_[kept_entries++] = entries_[j];
      segments_[kept++] = {segment.strand, segment.locks, static_cast<uint32_t>(begin)};
    }
    segments_.Truncate(kept);
    entries_.Truncate(kept_entries);
    strand_ = kNoStrand;  // whatever comes begins a segment
    for (Painted& painted : painted_) painted.page = kNoPage;
    limit_ = std::max(kLeastBytes, 2 * BytesUsed());
  }

  size_t BytesUsed() const { return entries_.BytesUsed() + segments_.BytesUsed(); }

 private:
  static constexpr unsigned kPageShift = 12;
  static constexpr size_t kPageBytes = size_t{1} << kPageShift;
  static constexpr uintptr_t kNoPage = ~uintptr_t{0};
  static constexpr size_t kMostSize = size_t{1} << 30;
  static constexpr size_t kNewest = 64;
  static constexpr size_t kLeastBytes = size_t{16} << 20;

  struct Entry {
    uintptr_t first;
    uint64_t what;  // pc, kind and operation
    ContextId context;
    uint32_t size;
    int32_t stride;
    uint32_t count;

    static uint64_t What(AccessKind kind, const Code& code) {
      return code.pc | static_cast<uint64_t>(kind) << 48 |
             static_cast<uint64_t>(code.operation) << 56;
    }
    AccessKind kind() const { return static_cast<AccessKind>(what >> 48 & 0xFF); }
    Code GetCode() const {
      return {what & ((uint64_t{1} << 48) - 1), context, static_cast<Operation>(what >> 56)};
    }
    uintptr_t At(uint32_t i) const {
      return first + static_cast<uintptr_t>(static_cast<int64_t>(stride) * i);
    }
    // Is the touch the next one of this entry, or its only one? Then it is in here afterwards.
    [[gnu::always_inline]] bool Continues(AccessKind kind, const Code& code, uintptr_t address,
                                          size_t bytes) {
      if (what != What(kind, code) || context != code.context || size != bytes) return false;
      if (count == 1) {
        const int64_t step = static_cast<int64_t>(address - first);
        if (step == 0) return true;
        if (step != static_cast<int32_t>(step)) return false;
        stride = static_cast<int32_t>(step);
      } else if (address != At(count) || count == UINT32_MAX) {
        return false;
      }
      ++count;
      return true;
    }
    bool IsWithin(uintptr_t begin, uintptr_t end) const {
      const uintptr_t low = stride < 0 ? At(count - 1) : first;
      const uintptr_t high = (stride < 0 ? first : At(count - 1)) + size;
      return low >= begin && high <= end;
    }
    // Where the piece that the byte is in begins; of those that overlap, the last.
    uintptr_t PieceWith(uintptr_t byte) const {
      uint64_t i = 0;
      if (stride > 0) i = (byte - first) / static_cast<uint64_t>(stride);
      if (stride < 0) i = (first + size - 1 - byte) / static_cast<uint64_t>(-int64_t{stride});
      return At(static_cast<uint32_t>(std::min(i, uint64_t{count} - 1)));
    }
  };
  static_assert(sizeof(Entry) == 32);

  // The entries of one strand while it held one set of locks.
  struct Segment {
    StrandId strand;
    LockSet locks;
    uint32_t begin;
  };
  static_assert(sizeof(Segment) == 12);

  // For the bytes of one page, the entry of a strand that holds, from 1; 0: none.
  struct Painted {
    RacingAccess by;
    uintptr_t page;
    uint64_t touches;  // how many there had been
    bool is_whole;     // the strand was over
    uint32_t bytes[kPageBytes];
  };

  // May the entry have the touch added? Not if a later one may be about the same bytes as they were.
  [[gnu::always_inline]] bool MayGoOn(uint32_t entry, uintptr_t first, size_t size) const {
    return entry >= segment_ && entry < entries_.Size() &&
           (first >= forgotten_end_ || first + size <= forgotten_first_ ||
            entry + 1 == entries_.Size());
  }
  static size_t SlotOf(uintptr_t pc) { return (pc ^ pc >> 6) % kNewest; }
  // Is an entry enough? It has 32 bits for each number.
  static bool Fits(const Touch& touch) {
    return touch.size <= kMostSize && touch.stride == static_cast<int32_t>(touch.stride) &&
           touch.count <= UINT32_MAX;
  }

  void BeginSegment(const RacingAccess& by) {
    strand_ = by.strand;
    locks_ = by.locks;
    segment_ = static_cast<uint32_t>(entries_.Size());
    forgotten_first_ = UINTPTR_MAX;
    forgotten_end_ = 0;
    segments_.Append({by.strand, by.locks, segment_});
  }
  void Append(const RacingAccess& by, const Code& code, const Touch& touch) {
    CHECK(entries_.Size() < UINT32_MAX, "the log of accesses is full");
    entries_.Append({.first = touch.first,
                     .what = Entry::What(by.kind, code),
                     .context = code.context,
                     .size = static_cast<uint32_t>(touch.size),
                     .stride = static_cast<int32_t>(touch.stride),
                     .count = static_cast<uint32_t>(touch.count)});
  }
  [[gnu::noinline]] void AppendInParts(const RacingAccess& by, const Code& code,
                                       const Touch& touch) {
    for (size_t i = 0; i < touch.count; ++i) {
      const uintptr_t first = touch.first + i * static_cast<uintptr_t>(touch.stride);
      for (size_t done = 0; done < touch.size; done += kMostSize) {
        Append(by, code, {first + done, std::min(touch.size - done, kMostSize)});
      }
    }
  }
  size_t EndOf(size_t segment) const {
    return segment + 1 < segments_.Size() ? segments_[segment + 1].begin : entries_.Size();
  }

  // The earlier and the later side of races take turns.
  Painted& PaintedFor(const RacingAccess& by, uintptr_t page) {
    for (Painted& painted : painted_) {
      if (painted.page == page && painted.by == by &&
          (painted.is_whole || painted.touches == touches_)) {
        return painted;
      }
    }
    turn_ ^= 1;
    Painted& painted = painted_[turn_];
    painted.by = by;
    painted.page = page;
    painted.is_whole = by.strand != strand_;
    painted.touches = touches_;
    std::fill(std::begin(painted.bytes), std::end(painted.bytes), 0);
    size_t low = 0, high = segments_.Size();
    while (low < high) {
      const size_t middle = (low + high) / 2;
      if (segments_[middle].strand < by.strand) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    for (; low < segments_.Size() && segments_[low].strand == by.strand; ++low) {
      if (segments_[low].locks != by.locks) continue;
      for (size_t i = segments_[low].begin; i < EndOf(low); ++i) {
        if (entries_[i].kind() == by.kind) Paint(painted, i);
      }
    }
    return painted;
  }
  void Paint(Painted& painted, size_t number) const {
    const Entry& entry = entries_[number];
    const int64_t low = static_cast<int64_t>(painted.page << kPageShift);
    const int64_t high = low + static_cast<int64_t>(kPageBytes);
    // The pieces i with low - size < first + i * stride < high.
    int64_t from = 0, to = entry.count;  // [from, to)
    const int64_t before = low - entry.size - static_cast<int64_t>(entry.first);
    const int64_t after = high - static_cast<int64_t>(entry.first);
    if (entry.stride > 0) {
      if (before > 0) from = before / entry.stride;
      if (after < 0) return;
      to = std::min(to, after / entry.stride + 1);
    } else if (entry.stride < 0) {
      if (after < 0) from = after / entry.stride;
      if (before > 0) return;
      to = std::min(to, before / entry.stride + 1);
    }
    for (int64_t i = from; i < to; ++i) {
      const int64_t piece = static_cast<int64_t>(entry.At(static_cast<uint32_t>(i)));
      const int64_t begin = std::max(low, piece);
      const int64_t end = std::min(high, piece + int64_t{entry.size});
      for (int64_t byte = begin; byte < end; ++byte) {
        painted.bytes[byte - low] = static_cast<uint32_t>(number + 1);
      }
    }
  }

  MappedArray<Entry> entries_{"the log of accesses"};
  MappedArray<Segment> segments_{"the log of accesses"};  // by strand
  MappedArray<uint64_t> marks_{"the log of accesses"};
  StrandId strand_ = kNoStrand;  // of the newest segment
  LockSet locks_ = kNoLocks;
  uint32_t segment_ = 0;                     // where it begins
  uintptr_t forgotten_first_ = UINTPTR_MAX;  // around all that was forgotten since
  uintptr_t forgotten_end_ = 0;
  size_t limit_ = kLeastBytes;
  uint32_t newest_[kNewest] = {};  // by program counter, the entry to go on with
  unsigned turn_ = 0;
  uint64_t touches_ = 0;  // ever
  Painted painted_[2] = {{{}, kNoPage, 0, false, {}}, {{}, kNoPage, 0, false, {}}};
};

}  // namespace taskrace
