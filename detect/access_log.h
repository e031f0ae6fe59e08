// AccessLog: where in the program each strand first accessed each byte. Histories remember only
// strands; a report finds the source line here.
//
// Idea:       an entry for each first touch, in order, with the number of the code that did it
//             (contexts.h). An access by the same code whose address continues in the same steps is
//             counted in the entry before it, so that a loop is one entry for each of its accesses.
// Found by:   strand, kind and locks; of all entries that cover a byte the last one holds, for
//             memory may have been used again since an older one. A page of the answer is painted
//             when a byte of it is asked for, and kept for the next question.
// Forgotten:  when the log has doubled, entries of strands that no history remembers; if that leaves
//             more than the history has, also entries of bytes for which the history does not have
//             the strand.
// Thread rule: one thread.
// Cost:       some forty instructions per first touch; 16 bytes an entry, 12 a strand with
//             entries. A question costs a walk over the strand's entries, once a page.
// Tested by:  test/detect/access_log_test.cc
#pragma once

#include <algorithm>

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

    // The same bytes, as one access if there is nothing between them.
    [[gnu::always_inline]] Touch InOnePiece() const {
      const ptrdiff_t step = static_cast<ptrdiff_t>(size);
      if (count == 1 || (stride != step && stride != -step)) return *this;
      return {stride > 0 ? first : first + size - size * count, size * count};
    }
    // The lowest byte.
    uintptr_t Low() const {
      return stride >= 0 ? first : first + (count - 1) * static_cast<uintptr_t>(stride);
    }
    // From the lowest byte to the highest.
    size_t Extent() const {
      return size + (count - 1) * static_cast<size_t>(stride >= 0 ? stride : -stride);
    }
    // Calls visit(where it begins) for each.
    template <class Visit>
    void ForEachRow(Visit visit) const {
      uintptr_t row = first;
      for (size_t i = 0; i < count; ++i, row += static_cast<uintptr_t>(stride)) visit(row);
    }
  };
  // An instruction of a function that was called in some context.
  struct Caller {
    uintptr_t pc;
    uint32_t context;
    bool operator==(const Caller&) const = default;
  };
  // One access that is not large, if its caller is known: the common case. Else false, and nothing is
  // done.
  [[gnu::always_inline]] bool AddKnown(const RacingAccess& by, const Caller& caller,
                                       uintptr_t first, size_t size) {
    Going& going = going_[SlotOf(caller)];
    if (going.caller != caller) return false;
    ++touches_;
    if (strand_ != by.strand || locks_ != by.locks) [[unlikely]]
      BeginSegment(by.strand, by.locks);
    if (going.number != going_number_ || !GoOn(going, by.kind, first, size)) {
      Begin(going, by.kind, first, size);
    }
    return true;
  }
  // The same for any caller, whose code is `code`.
  void Add(const RacingAccess& by, const Caller& caller, Where code, uintptr_t first, size_t size) {
    Going& going = going_[SlotOf(caller)];
    if (going.caller != caller) going = {caller, code};
    AddKnown(by, caller, first, size);
  }

  // Any accesses.
  void Add(const RacingAccess& by, Where code, const Touch& touch) {
    if (touch.count != 1 || touch.size >= Entry::kLarge) return AddAlone(by, code, touch);
    Add(by, {static_cast<uint32_t>(code), kNoContext}, code, touch.first, touch.size);
  }

  // Any accesses, in entries of their own whatever came before.
  [[gnu::always_inline]] void AddAlone(const RacingAccess& by, Where code, Touch touch) {
    ++touches_;
    if (strand_ != by.strand || locks_ != by.locks) [[unlikely]]
      BeginSegment(by.strand, by.locks);
    if (!Fits(touch)) [[unlikely]]
      return AppendInParts(by, code, touch);
    Append(by.kind, code, touch);
  }

  // Takes over all entries of another log, which is empty then. Requires: its strands are not older than
  // those that are here.
  void Take(AccessLog& from) {
    const size_t offset = entries_.Size();
    CheckLimit(offset + from.entries_.Size() < UINT32_MAX, "too many accesses must be kept");
    for (size_t i = 0; i < from.segments_.Size(); ++i) {
      Segment segment = from.segments_[i];
      segment.begin += static_cast<uint32_t>(offset);
      segments_.Append(segment);
    }
    for (size_t i = 0; i < from.entries_.Size(); ++i) entries_.Append(from.entries_[i]);
    touches_ += from.touches_;
    strand_ = kNoStrand;  // whatever comes begins a segment
    from.Drop();
  }
  // Forgets all.
  void Drop() {
    entries_.Truncate(0);
    segments_.Truncate(0);
    strand_ = kNoStrand;
  }
  size_t Size() const { return entries_.Size(); }
  // How many there ever were.
  uint64_t Touches() const { return touches_; }

  // The bytes are other memory from now on, and nobody remembers what the strand did to them.
  void Forget(StrandId strand, uintptr_t first, size_t size) {
    if (strand_ != strand || entries_.Size() == segment_) return;
    const uintptr_t end = size > UINTPTR_MAX - first ? UINTPTR_MAX : first + size;
    // What a called function did to its variables is mostly at the end of the log.
    while (entries_.Size() > segment_ && entries_.Back().IsWithin(first, end)) {
      entries_.PopBack();
      ++going_number_;
      for (Painted& painted : painted_) painted.page = kNoPage;
    }
    forgotten_first_ = std::min(forgotten_first_, first);
    forgotten_end_ = std::max(forgotten_end_, end);
  }

  // An access to a byte, and up to which byte this is the answer.
  struct Found {
    Where code;
    uintptr_t first;  // of the access
    size_t size;
    uintptr_t end;    // no further than the byte's page
    uint32_t number;  // larger for what came later

    bool IsSameAccess(const Found& other) const {
      return first == other.first && size == other.size && code == other.code;
    }
  };
  // Is anything known of the strand?
  bool Has(StrandId strand) const {
    const size_t segment = FirstSegmentOf(strand);
    return segment < segments_.Size() && segments_[segment].strand == strand;
  }
  // Requires: the strand has touched the byte in that way.
  Found Find(const RacingAccess& by, uintptr_t byte) {
    const Painted& painted = PaintedFor(by, byte >> kPageShift);
    const uint32_t number = painted.bytes[byte % kPageBytes];
    CHECK(number != 0, "an access is remembered, but not where it was");
    const Entry& entry = entries_[number - 1];
    const uintptr_t piece = entry.PieceWith(byte);
    uintptr_t end = byte + 1;
    while (end < piece + entry.size() && end % kPageBytes != 0 &&
           painted.bytes[end % kPageBytes] == number) {
      ++end;
    }
    return {entry.code, piece, entry.size(), end, number};
  }

  // So much of the log may be of no use that looking for it pays. `others`: so many bytes beside it are
  // in use, or do not matter.
  bool WantsCollection(size_t others) const { return BytesUsed() > std::max(limit_, others); }
  // Forgets what nobody needs. Requires: mark_roots(mark) calls mark(strand) for every strand that is
  // remembered somewhere; remembers(strand, first, size) is false only if none of the bytes has it.
  template <class MarkRoots, class Remembers>
  void Collect(size_t others, MarkRoots mark_roots, Remembers remembers) {
    if (segments_.Empty()) return;
    marks_.Truncate(0);
    marks_.Resize((Index(segments_.Back().strand) - Index(segments_[0].strand)) / 64 + 1);
    const uint32_t first = Index(segments_[0].strand);
    const uint32_t last = Index(segments_.Back().strand);
    mark_roots([&](StrandId strand) {
      if (Index(strand) < first || Index(strand) > last) return;
      marks_[(Index(strand) - first) / 64] |= uint64_t{1} << ((Index(strand) - first) % 64);
    });
    const auto is_marked = [&](StrandId strand) {
      const uint32_t number = Index(strand) - first;
      return (marks_[number / 64] >> (number % 64) & 1) != 0;
    };
    const auto is_remembered = [&](StrandId strand, const Entry& e) {
      return remembers(strand, e.Low(), e.High() - e.Low());
    };
    // Asking for each entry is expensive: only if there are many, and a quarter of a sample is of no
    // use.
    size_t marked = 0, asked = 0, remembered = 0;
    for (size_t i = 0; i < segments_.Size(); ++i) {
      const Segment& segment = segments_[i];
      if (!is_marked(segment.strand)) continue;
      const size_t before = marked;
      marked += EndOf(i) - segment.begin;
      for (; asked * kAskedOf < marked; ++asked) {
        const Entry& e = entries_[segment.begin + (asked * kAskedOf - before)];
        if (is_remembered(segment.strand, e)) ++remembered;
      }
    }
    const bool asks = marked * sizeof(Entry) > others && 4 * remembered <= 3 * asked;
    size_t kept = 0, kept_entries = 0;
    for (size_t i = 0; i < segments_.Size(); ++i) {
      const Segment segment = segments_[i];
      if (!is_marked(segment.strand)) continue;
      const size_t end = EndOf(i);
      const size_t begin = kept_entries;
      for (size_t j = segment.begin; j < end; ++j) {
        const Entry& e = entries_[j];
        if (asks && !is_remembered(segment.strand, e)) continue;
        entries_[kept_entries++] = e;
      }
      if (kept_entries == begin) continue;
      segments_[kept++] = {segment.strand, segment.locks, static_cast<uint32_t>(begin)};
    }
    segments_.Truncate(kept);
    entries_.Truncate(kept_entries);
    strand_ = kNoStrand;  // whatever comes begins a segment
    ++going_number_;
    for (Painted& painted : painted_) painted.page = kNoPage;
    limit_ = 2 * BytesUsed();
  }

  size_t BytesUsed() const { return entries_.BytesUsed() + segments_.BytesUsed(); }

 private:
  static constexpr unsigned kPageShift = 12;
  static constexpr size_t kPageBytes = size_t{1} << kPageShift;
  static constexpr uintptr_t kNoPage = ~uintptr_t{0};
  static constexpr size_t kMostSize = size_t{1} << 30;
  static constexpr size_t kGoing = 1024;
  static constexpr uint32_t kNoContext = 0;
  static constexpr size_t kAskedOf = 64;  // one of so many entries is in the sample

  // In 16 bytes: `count` accesses by the code, at first, first + stride, ...
  struct Entry {
    uint64_t what;  // first, size (or kLarge) and kind
    Where code;
    uint32_t more;  // stride and count; of a large one, its size

    static constexpr unsigned kSizeBits = 14, kCountBits = 10;
    static constexpr size_t kLarge = (size_t{1} << kSizeBits) - 1;
    static constexpr size_t kMostCount = (size_t{1} << kCountBits) - 1;

    static Entry Of(AccessKind kind, Where code, const Touch& touch) {
      const bool is_large = touch.size >= kLarge;
      return {.what = touch.first << (kSizeBits + 2) | Tag(kind, std::min(touch.size, kLarge)),
              .code = code,
              .more = is_large ? static_cast<uint32_t>(touch.size)
                               : static_cast<uint32_t>(touch.stride) << kCountBits |
                                     static_cast<uint32_t>(touch.count)};
    }
    static uint64_t Tag(AccessKind kind, size_t size) {
      return size << 2 | static_cast<uint64_t>(kind);
    }
    static bool HasRoomFor(ptrdiff_t stride) {
      return stride ==
             static_cast<int32_t>(static_cast<uint32_t>(stride) << kCountBits) >> kCountBits;
    }

    uintptr_t first() const { return what >> (kSizeBits + 2); }
    AccessKind kind() const { return static_cast<AccessKind>(what & 3); }
    bool IsLarge() const { return (what >> 2 & kLarge) == kLarge; }
    size_t size() const { return IsLarge() ? more : what >> 2 & kLarge; }
    uint32_t count() const { return IsLarge() ? 1 : more & kMostCount; }
    int64_t stride() const { return IsLarge() ? 0 : static_cast<int32_t>(more) >> kCountBits; }

    uintptr_t At(uint32_t i) const { return first() + static_cast<uintptr_t>(stride() * i); }
    // Of one that is not large:
    [[gnu::always_inline]] bool Has(AccessKind kind, size_t bytes) const {
      return (what & Tag(AccessKind{3}, kLarge)) == Tag(kind, bytes);
    }
    bool IsFull() const { return (more & kMostCount) == kMostCount; }
    // Makes one access two, if there is room for the stride.
    [[gnu::always_inline]] bool Pair(uintptr_t second) {
      const ptrdiff_t step = static_cast<ptrdiff_t>(second - first());
      if (!HasRoomFor(step)) return false;
      more = static_cast<uint32_t>(step) << kCountBits | 2;
      return true;
    }
    uintptr_t Low() const { return stride() < 0 ? At(count() - 1) : first(); }
    uintptr_t High() const { return (stride() < 0 ? first() : At(count() - 1)) + size(); }
    bool IsWithin(uintptr_t begin, uintptr_t end) const { return Low() >= begin && High() <= end; }
    // Where the piece that the byte is in begins; of those that overlap, the last.
    uintptr_t PieceWith(uintptr_t byte) const {
      const int64_t step = stride();
      uint64_t i = 0;
      if (step > 0) i = (byte - first()) / static_cast<uint64_t>(step);
      if (step < 0) i = (first() + size() - 1 - byte) / static_cast<uint64_t>(-step);
      return At(static_cast<uint32_t>(std::min(i, uint64_t{count()} - 1)));
    }
  };
  static_assert(sizeof(Entry) == 16);

  // The code of a caller, and the entry that it goes on with as long as going_number_ is the same.
  struct Going {
    Caller caller{};
    Where code{};
    uint32_t entry = 0;
    uintptr_t next = 0;  // where; 0: the entry has one access, which any other may follow
    uint64_t number = 0;
  };

  // The entries of one strand while it held one set of locks.
  struct Segment {
    StrandId strand;
    LockSet locks;
    uint32_t begin;
  };
  static_assert(sizeof(Segment) == 12);

  // For the bytes of one page, the entry of a strand that holds, from 1; 0: none.
  struct Painted {
    RacingAccess by{};
    uintptr_t page = kNoPage;
    uint64_t touches = 0;   // how many there had been
    bool is_whole = false;  // the strand was over
    MappedArray<uint32_t> bytes{"the log of accesses"};
  };

  static size_t SlotOf(const Caller& caller) {
    return (caller.pc ^ caller.context * 0x9E3779B9u) % kGoing;
  }
  // Adds the access to the entry, if it is the next one. Not if a later entry may be about the same
  // bytes as they were.
  [[gnu::always_inline]] bool GoOn(Going& going, AccessKind kind, uintptr_t first, size_t size) {
    Entry& entry = entries_[going.entry];
    if (!entry.Has(kind, size)) return false;
    if (WasForgotten(first, size) && going.entry + 1 != entries_.Size()) return false;
    if (going.next == first) {
      if (entry.IsFull()) return false;
      ++entry.more;
    } else if (going.next != 0 || !entry.Pair(first)) {
      return false;
    }
    going.next = first + static_cast<uintptr_t>(entry.stride());
    return true;
  }
  // Begins an entry for it.
  [[gnu::always_inline]] void Begin(Going& going, AccessKind kind, uintptr_t first, size_t size) {
    going.entry = static_cast<uint32_t>(entries_.Size());
    going.next = 0;
    going.number = going_number_;
    Append(kind, going.code, {first, size});
  }
  // May some of the bytes have been forgotten since the segment began?
  [[gnu::always_inline]] bool WasForgotten(uintptr_t first, size_t size) const {
    return first < forgotten_end_ && first + size > forgotten_first_;
  }
  // Is an entry enough?
  static bool Fits(const Touch& touch) {
    if (touch.count == 1) return touch.size <= kMostSize;
    return touch.count <= Entry::kMostCount && HasRows(touch);
  }
  // Can one entry have several of its rows?
  static bool HasRows(const Touch& touch) {
    return touch.size < Entry::kLarge && Entry::HasRoomFor(touch.stride);
  }

  [[gnu::noinline]] void BeginSegment(StrandId strand, LockSet locks) {
    strand_ = strand;
    locks_ = locks;
    segment_ = static_cast<uint32_t>(entries_.Size());
    ++going_number_;
    forgotten_first_ = UINTPTR_MAX;
    forgotten_end_ = 0;
    segments_.Append({strand, locks, segment_});
  }
  [[gnu::always_inline]] void Append(AccessKind kind, Where code, const Touch& touch) {
    CheckLimit(entries_.Size() < UINT32_MAX, "too many accesses must be kept");
    entries_.Append(Entry::Of(kind, code, touch));
  }
  [[gnu::noinline]] void AppendInParts(const RacingAccess& by, Where code, const Touch& touch) {
    const size_t most = HasRows(touch) ? Entry::kMostCount : 1;
    for (size_t i = 0; i < touch.count; i += most) {
      const uintptr_t first = touch.first + i * static_cast<uintptr_t>(touch.stride);
      const size_t count = std::min(touch.count - i, most);
      for (size_t done = 0; done < touch.size; done += kMostSize) {
        const size_t size = std::min(touch.size - done, kMostSize);
        Append(by.kind, code, {first + done, size, count, count == 1 ? 0 : touch.stride});
      }
    }
  }
  // Or of a later strand, if it has none.
  size_t FirstSegmentOf(StrandId strand) const {
    size_t low = 0, high = segments_.Size();
    while (low < high) {
      const size_t middle = (low + high) / 2;
      if (segments_[middle].strand < strand) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
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
    painted.is_whole = by.strand != segments_.Back().strand;
    painted.touches = touches_;
    painted.bytes.Truncate(0);
    painted.bytes.Resize(kPageBytes);
    size_t low = FirstSegmentOf(by.strand);
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
    const int64_t first = static_cast<int64_t>(entry.first()), stride = entry.stride();
    const int64_t size = static_cast<int64_t>(entry.size());
    int64_t from = 0, to = entry.count();  // [from, to)
    const int64_t before = low - size - first;
    const int64_t after = high - first;
    if (stride > 0) {
      if (before > 0) from = before / stride;
      if (after < 0) return;
      to = std::min(to, after / stride + 1);
    } else if (stride < 0) {
      if (after < 0) from = after / stride;
      if (before > 0) return;
      to = std::min(to, before / stride + 1);
    }
    for (int64_t i = from; i < to; ++i) {
      const int64_t piece = first + i * stride;
      const int64_t begin = std::max(low, piece);
      const int64_t end = std::min(high, piece + size);
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
  size_t limit_ = 0;
  Going going_[kGoing] = {};
  uint64_t going_number_ = 1;
  unsigned turn_ = 0;
  uint64_t touches_ = 0;  // ever
  Painted painted_[2];
};

}  // namespace taskrace
