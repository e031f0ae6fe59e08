// Coalescer: the bytes that the running strand has read and written, until they are passed to the history.
//
// Paper:      Xu et al., SPAA 2022 (stint), section 4: repeated accesses of a strand cost a look at a
//             bit, neighbouring ones become one interval.
// Idea:       two bits a byte, touched and written, for some pages of 4 KiB of the program, found
//             by a hash of the page number. A page has a first and a second slot; the fast path
//             looks at the first only. If both belong to other pages, one of those is handed over
//             before its time, which is always right: only the strand's end is the last moment.
// Handed over: runs in order of their addresses, across pages; a byte is written, or only read. A
//             read before a write of the same strand is left out: whatever races with it races
//             with the write.
//             A long range that comes again as it was is known without a look at bits
//             (known_ranges.h): it is collected, or has been handed over.
// Invariant:  written is within touched; a line (64 bits) of a page is 0 unless its bit in `lines`
//             is set; `slots_` lists the pages that are in use.
// Thread rule: one thread.
// Cost:       the fast path is some fifteen instructions. A page costs a step to take and a step a
//             touched line to hand over; 1 KiB a page, 4 MiB in all, and untouched slots nothing.
// Tested by:  test/detect/coalescer_test.cc
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "detect/ds/mapping.h"
#include "detect/history/known_ranges.h"
#include "report/race.h"

namespace taskrace {

class Coalescer {
 public:
  Coalescer() : tables_(*static_cast<Tables*>(Map(sizeof(Tables), "the accesses of a strand"))) {
    std::fill_n(tables_.numbers, kSlots, kNoPage);
  }
  Coalescer(const Coalescer&) = delete;
  Coalescer& operator=(const Coalescer&) = delete;
  ~Coalescer() { Unmap(&tables_, sizeof(Tables)); }

  // True only if a plain access is collected already. Size: 1, 2, 4, 8, 16.
  template <AccessKind kKind, size_t kSize>
  [[gnu::always_inline]] bool Has(uintptr_t first) const {
    const uintptr_t number = first >> kPageShift;
    const size_t slot = FirstSlot(number);
    if (tables_.numbers[slot] != number) [[unlikely]]
      return false;
    const Page& page = tables_.pages[slot];
    const uint8_t* bits =
        reinterpret_cast<const uint8_t*>(IsWrite(kKind) ? page.written : page.touched);
    const size_t word = first / 8 % (kPageBytes / 8);
    if constexpr (kSize < 16) {
      // Of an access that is in two words, bits are left over, so it is not found.
      const unsigned wanted = ((1u << kSize) - 1) << (first % 8);
      return (bits[word] & wanted) == wanted;
    }
    return first % 16 == 0 && bits[word] == 0xFF && bits[word + 1] == 0xFF;
  }

  // The same for a range of any size; false if it is long.
  template <AccessKind kKind>
  [[gnu::always_inline]] bool HasRange(uintptr_t first, size_t size) const {
    const uintptr_t number = first >> kPageShift;
    const size_t slot = FirstSlot(number);
    const size_t from = first % kPageBytes, last = from + size - 1;
    if (tables_.numbers[slot] != number || size - 1 >= kShortRange || last >= kPageBytes) {
      return false;
    }
    const Page& page = tables_.pages[slot];
    const uint64_t* const bits = IsWrite(kKind) ? page.written : page.touched;
    const size_t last_line = last / kLineBytes;
    uint64_t wanted = ~uint64_t{0} << (from % kLineBytes);
    for (size_t line = from / kLineBytes; line < last_line; ++line) {
      if ((bits[line] & wanted) != wanted) return false;
      wanted = ~uint64_t{0};
    }
    wanted &= ~uint64_t{0} >> (63 - last % kLineBytes);
    return (bits[last_line] & wanted) == wanted;
  }

  // Collects a plain access that Has() or HasRange() does not know, if that is simple: its page has the
  // first slot, and it is within one line. Else false, and nothing is done.
  template <AccessKind kKind>
  [[gnu::always_inline]] bool AddSmall(uintptr_t first, size_t size) {
    const uintptr_t number = first >> kPageShift;
    const size_t slot = FirstSlot(number);
    const size_t begin = first % kLineBytes;
    if (tables_.numbers[slot] != number || size - 1 >= kLineBytes - begin) return false;
    Page& page = tables_.pages[slot];
    const size_t line = first % kPageBytes / kLineBytes;
    const uint64_t bits = ~uint64_t{0} >> (kLineBytes - size) << begin;
    if (IsWrite(kKind)) page.written[line] |= bits;
    page.touched[line] |= bits;
    tables_.lines[slot] |= uint64_t{1} << line;
    return true;
  }

  // Collects a plain access, or several at equal distances. Calls first_touch(), once at most, if some
  // byte of them is new, and emit(kind, first, size) for what has to go.
  template <class FirstTouch, class Emit>
  [[gnu::always_inline]] void Add(const KnownRanges::Range& range, FirstTouch first_touch,
                                  Emit emit) {
    if (range.rows == 1 && range.size <= kLineBytes) {
      return AddRow(range.kind, range.first, range.size, first_touch, emit);
    }
    AddLong(range, first_touch, emit);
  }

  // Hands everything over, sorted, and begins anew.
  template <class Emit>
  void Flush(Emit emit) {
    if (used_ > 1) {
      std::sort(slots_, slots_ + used_,
                [this](uint16_t a, uint16_t b) { return tables_.numbers[a] < tables_.numbers[b]; });
    }
    Runs runs(emit);
    for (size_t i = 0; i < used_; ++i) {
      HandOver(slots_[i], runs);
      tables_.numbers[slots_[i]] = kNoPage;
    }
    runs.End();
    used_ = 0;
    known_.ForgetAll();
  }

  // The same for these bytes alone.
  template <class Emit>
  void Flush(uintptr_t first, size_t size, Emit emit) {
    const uintptr_t end = End(first, size);
    if (used_ == 0 || first >= end) return;
    known_.Forget(first, end - 1);
    Runs runs(emit);
    const auto part = [&](size_t slot, uintptr_t from, uintptr_t to) {
      HandOverPart(slot, from % kPageBytes, (to - 1) % kPageBytes, runs);
    };
    if ((end - first) >> kPageShift > used_) {
      for (size_t i = 0; i < used_; ++i) {
        const uintptr_t page = tables_.numbers[slots_[i]] << kPageShift;
        const uintptr_t from = std::max(first, page), to = std::min(end, page + kPageBytes);
        if (from < to) part(slots_[i], from, to);
      }
    } else {
      while (first < end) {
        const uintptr_t page_end = std::min(end, (first | (kPageBytes - 1)) + 1);
        if (const size_t slot = Find(first >> kPageShift); slot != kNowhere) {
          part(slot, first, page_end);
        }
        first = page_end;
      }
    }
    runs.End();
  }

  bool Empty() const { return used_ == 0; }
  // True if something is collected on these bytes.
  bool Touches(uintptr_t first, size_t size) const {
    const uintptr_t end = End(first, size);
    while (used_ != 0 && first < end) {
      const uintptr_t page_end = std::min(end, (first | (kPageBytes - 1)) + 1);
      const size_t slot = Find(first >> kPageShift);
      if (slot != kNowhere && HasAny(slot, first % kPageBytes, (page_end - 1) % kPageBytes)) {
        return true;
      }
      first = page_end;
    }
    return false;
  }

 private:
  static constexpr unsigned kPageShift = 12;
  static constexpr size_t kPageBytes = size_t{1} << kPageShift;
  static constexpr size_t kSlots = 4096;
  static constexpr size_t kLineBytes = 64;
  static constexpr size_t kLines = kPageBytes / kLineBytes;
  static constexpr size_t kShortRange = 512;
  static constexpr size_t kNowhere = kSlots;
  static constexpr uintptr_t kNoPage = ~uintptr_t{0};  // not 0: null pointers point to page 0

  struct Page {
    uint64_t touched[kLines];
    uint64_t written[kLines];
  };

  // Puts neighbouring runs of one kind together.
  template <class Emit>
  class Runs {
   public:
    explicit Runs(Emit& emit) : emit_(emit) {}
    void Add(AccessKind kind, uintptr_t first, uintptr_t end) {
      if (first == end_ && kind == kind_) {
        end_ = end;
        return;
      }
      End();
      kind_ = kind;
      first_ = first;
      end_ = end;
    }
    // The bits that remain.
    [[gnu::always_inline]] uint64_t Offer(uint64_t touched, uint64_t written, uintptr_t base) {
      if constexpr (requires { emit_.TakeLine(touched, written, base); }) {
        return emit_.TakeLine(touched, written, base);
      }
      return touched;
    }
    void End() {
      if (end_ != 0) emit_(kind_, first_, end_ - first_);
      end_ = 0;
    }

   private:
    Emit& emit_;
    AccessKind kind_ = AccessKind::kRead;
    uintptr_t first_ = 0;
    uintptr_t end_ = 0;  // 0: no run
  };

  // Where no program has memory, an access is empty.
  static uintptr_t End(uintptr_t first, size_t size) {
    constexpr uintptr_t kEnd = uintptr_t{1} << 48;
    if (first >= kEnd || first < kPageBytes) return first;
    return std::min(kEnd - first, size) + first;
  }
  // Folded, so that arrays whose distance is a power of two do not fight for one slot.
  static constexpr size_t FirstSlot(uintptr_t number) { return (number ^ (number >> 12)) % kSlots; }
  static constexpr size_t SecondSlot(uintptr_t number) {
    return (FirstSlot(number) ^ ((number * 0x9E3779B97F4A7C15 >> 52) | 1)) % kSlots;
  }

  size_t Find(uintptr_t number) const {
    if (tables_.numbers[FirstSlot(number)] == number) return FirstSlot(number);
    return tables_.numbers[SecondSlot(number)] == number ? SecondSlot(number) : kNowhere;
  }

  // The slot of the page.
  template <class Emit>
  [[gnu::always_inline]] size_t Take(uintptr_t number, Emit& emit) {
    const size_t first = FirstSlot(number);
    if (tables_.numbers[first] == number) [[likely]]
      return first;
    return TakeOther(number, first, emit);
  }
  template <class Emit>
  [[gnu::noinline]] size_t TakeOther(uintptr_t number, size_t first, Emit& emit) {
    const size_t second = SecondSlot(number);
    if (tables_.numbers[second] == number) return second;
    const size_t slot = tables_.numbers[first] == kNoPage ? first : second;
    if (tables_.numbers[slot] == kNoPage) {
      slots_[used_++] = static_cast<uint16_t>(slot);
    } else {
      Runs runs(emit);
      HandOver(slot, runs);
      runs.End();
    }
    tables_.numbers[slot] = number;
    return slot;
  }

  // Looks first whether the range has come as it is. Not inlined: most are short.
  template <class FirstTouch, class Emit>
  [[gnu::noinline]] void AddLong(const KnownRanges::Range& range, FirstTouch first_touch,
                                 Emit emit) {
    if (known_.Has(range)) return;
    if (range.rows == 1) {
      AddRow(range.kind, range.first, range.size, first_touch, emit);
    } else {
      AddRows(range.kind, range.first, range.size, range.rows, range.distance, first_touch, emit);
    }
    if (range.size * range.rows > kLineBytes) known_.Add(range);
  }
  // One row.
  template <class FirstTouch, class Emit>
  void AddRow(AccessKind kind, uintptr_t first, size_t size, FirstTouch first_touch, Emit emit) {
    const uintptr_t end = End(first, size);
    bool told = false;
    while (first < end) {
      const uintptr_t page_end = std::min(end, (first | (kPageBytes - 1)) + 1);
      const size_t slot = Take(first >> kPageShift, emit);
      const bool is_new = Set(slot, kind, first % kPageBytes, (page_end - 1) % kPageBytes);
      if (is_new && !told) {
        told = true;
        first_touch();
      }
      first = page_end;
    }
  }

  // Several.
  template <class FirstTouch, class Emit>
  void AddRows(AccessKind kind, uintptr_t first, size_t size, size_t rows, ptrdiff_t distance,
               FirstTouch first_touch, Emit emit) {
    bool told = false;
    const auto touched = [&] {
      if (!told) first_touch();
      told = true;
    };
    while (rows > 0) {
      // Most are in the page of the one before.
      size_t added = size > kLineBytes ? 1 : RowsInside(first, size, rows, distance);
      const uintptr_t number = first >> kPageShift;
      const size_t slot = added == 1 ? kNowhere : Find(number);
      if (slot == kNowhere) {
        added = 1;
        AddRow(kind, first, size, touched, emit);
      } else if (SetRows(slot, kind, first % kPageBytes, size, added, distance)) {
        touched();
      }
      rows -= added;
      first += added * static_cast<uintptr_t>(distance);
    }
  }

  // The bits first to last of a line.
  static constexpr uint64_t Bits(size_t first, size_t last) {
    return (~uint64_t{0} << first) & (~uint64_t{0} >> (63 - last));
  }

  // Sets the bits of the bytes first to last of the page; says whether some were not set.
  bool Set(size_t slot, AccessKind kind, size_t first, size_t last) {
    Page& page = tables_.pages[slot];
    const size_t first_line = first / kLineBytes, last_line = last / kLineBytes;
    uint64_t added = 0;
    const auto set = [&](size_t line, uint64_t bits) {
      if (IsWrite(kind)) {
        added |= bits & ~page.written[line];
        page.written[line] |= bits;
      } else {
        added |= bits & ~page.touched[line];
      }
      page.touched[line] |= bits;
    };
    if (first_line == last_line) [[likely]] {
      tables_.lines[slot] |= uint64_t{1} << first_line;
      set(first_line, Bits(first % kLineBytes, last % kLineBytes));
      return added != 0;
    }
    tables_.lines[slot] |= Bits(first_line, last_line);
    set(first_line, Bits(first % kLineBytes, 63));
    for (size_t line = first_line + 1; line < last_line; ++line) set(line, ~uint64_t{0});
    set(last_line, Bits(0, last % kLineBytes));
    return added != 0;
  }

  // Of the bytes first to last of the page.
  bool HasAny(size_t slot, size_t first, size_t last) const {
    uint64_t any = 0;
    ForEachLine(slot, first, last, [&](size_t line, uint64_t bits) {
      any |= tables_.pages[slot].touched[line] & bits;
    });
    return any != 0;
  }
  // Calls visit(line, the bits that are asked for) for the lines with bits among these bytes.
  template <class Visit>
  [[gnu::always_inline]] void ForEachLine(size_t slot, size_t first, size_t last,
                                          Visit visit) const {
    const size_t first_line = first / kLineBytes, last_line = last / kLineBytes;
    for (uint64_t left = tables_.lines[slot] & Bits(first_line, last_line); left != 0;
         left &= left - 1) {
      const size_t line = static_cast<size_t>(std::countr_zero(left));
      visit(line, Bits(line == first_line ? first % kLineBytes : 0,
                       line == last_line ? last % kLineBytes : 63));
    }
  }

  // How many of the rows are in the page of the first one.
  static size_t RowsInside(uintptr_t first, size_t size, size_t rows, ptrdiff_t distance) {
    const size_t offset = first % kPageBytes;
    if (offset + size > kPageBytes) return 1;
    if (distance == 0) return rows;
    const size_t room = distance > 0 ? kPageBytes - size - offset : offset;
    const size_t step = static_cast<size_t>(distance > 0 ? distance : -distance);
    return std::min(rows, room / step + 1);
  }

  // Sets the bits of rows of at most 64 bytes that are all in the page; says whether some were not
  // set.
  bool SetRows(size_t slot, AccessKind kind, size_t first, size_t size, size_t rows,
               ptrdiff_t distance) {
    Page& page = tables_.pages[slot];
    uint64_t* const touched = page.touched;
    uint64_t* const asked = IsWrite(kind) ? page.written : page.touched;
    const uint64_t row = ~uint64_t{0} >> (64 - size);
    uint64_t lines = 0, added = 0;
    for (; rows > 0; --rows, first += static_cast<size_t>(distance)) {
      const size_t line = first / kLineBytes, begin = first % kLineBytes;
      if (begin + size > kLineBytes) [[unlikely]] {
        added |= Set(slot, kind, first, first + size - 1) ? 1 : 0;
        continue;
      }
      const uint64_t bits = row << begin;
      added |= bits & ~asked[line];
      asked[line] |= bits;
      touched[line] |= bits;
      lines |= uint64_t{1} << line;
    }
    tables_.lines[slot] |= lines;
    return added != 0;
  }

  template <class AnyRuns>
  void HandOver(size_t slot, AnyRuns& runs) {
    Page& page = tables_.pages[slot];
    uintptr_t base = tables_.numbers[slot] << kPageShift;
    for (uint64_t left = tables_.lines[slot]; left != 0; left &= left - 1) {
      const size_t line = static_cast<size_t>(std::countr_zero(left));
      AddLine(page.touched[line], page.written[line], base + line * kLineBytes, runs);
      page.touched[line] = 0;
      page.written[line] = 0;
    }
    tables_.lines[slot] = 0;
  }

  // The bytes first to last of the page.
  template <class AnyRuns>
  void HandOverPart(size_t slot, size_t first, size_t last, AnyRuns& runs) {
    Page& page = tables_.pages[slot];
    const uintptr_t base = tables_.numbers[slot] << kPageShift;
    ForEachLine(slot, first, last, [&](size_t line, uint64_t bits) {
      AddRuns(page.touched[line] & bits, page.written[line] & bits, base + line * kLineBytes, runs);
      page.touched[line] &= ~bits;
      page.written[line] &= ~bits;
    });
  }

  // Where the line is not all of one kind, whoever gets the runs may want the bits of some instead.
  template <class AnyRuns>
  [[gnu::always_inline]] static void AddLine(uint64_t touched, uint64_t written, uintptr_t base,
                                             AnyRuns& runs) {
    if (~touched != 0 || (written != 0 && ~written != 0)) {
      touched = runs.Offer(touched, written, base);
    }
    AddRuns(touched, written & touched, base, runs);
  }
  template <class AnyRuns>
  [[gnu::always_inline]] static void AddRuns(uint64_t touched, uint64_t written, uintptr_t base,
                                             AnyRuns& runs) {
    const uint64_t read = touched & ~written;
    while (touched != 0) {
      const unsigned first = static_cast<unsigned>(std::countr_zero(touched));
      const bool is_write = (written >> first & 1) != 0;
      const uint64_t same = (is_write ? written : read) >> first;
      const unsigned end = first + static_cast<unsigned>(std::countr_one(same));
      runs.Add(is_write ? AccessKind::kWrite : AccessKind::kRead, base + first, base + end);
      if (end == kLineBytes) return;
      touched &= ~uint64_t{0} << end;
    }
  }

  // Mapped, and zero but for the numbers: a program that touches few pages does not touch the rest either.
  struct Tables {
    uintptr_t numbers[kSlots];  // of the pages in use, else kNoPage
    uint64_t lines[kSlots];     // of each page, the lines with bits
    Page pages[kSlots];
  };
  static_assert(sizeof(Tables) % kMappingUnit == 0);

  Tables& tables_;
  uint16_t slots_[kSlots] = {};
  size_t used_ = 0;
  KnownRanges known_;
};

}  // namespace taskrace
