// SharedTable: entries of one type with 32-bit numbers, added by many workers without locks and
// never moved; removed only all together.
//
// Idea:       segments that double in size, found by the highest bit of the number. A worker takes
//             numbers from a shared counter a block at a time, so that workers write to different
//             memory and to the counter once in kBlock entries.
// Thread rule: any thread, each with a Cursor of its own. An entry is written before its number is
//             handed on; whoever gets the number by way of an acquiring load sees the entry.
// Cost:       O(1) per call; a search is a count of bits and two loads. Of the memory that is mapped
//             at least half of the numbers are in use, but for the blocks that are begun.
// Tested by:  test/detect/parallel_tables_test.cc
#pragma once

#include <atomic>
#include <bit>
#include <new>
#include <type_traits>

#include "detect/ds/mapping.h"

namespace taskrace {

template <class T, uint32_t kEntriesAtOnce = 256>
class SharedTable {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  // So many numbers a worker takes at once. The first block stays empty: 0 is nobody's number.
  static constexpr uint32_t kBlock = kEntriesAtOnce;

  // The numbers that a worker has taken and not used.
  class Cursor {
    friend SharedTable;
    uint32_t next_ = 0;
    uint32_t end_ = 0;
  };

  explicit constexpr SharedTable(const char* what = "a table") : what_(what) {}
  SharedTable(const SharedTable&) = delete;
  SharedTable& operator=(const SharedTable&) = delete;
  ~SharedTable() {
    for (unsigned i = 0; i < kSegments; ++i) {
      if (void* segment = segments_[i].load()) Unmap(segment, BytesOf(i));
    }
  }

  // A new entry; returns its number.
  template <class... Args>
  uint32_t Add(Cursor& cursor, Args&&... args) {
    if (cursor.next_ == cursor.end_) [[unlikely]]
      TakeBlock(cursor);
    const uint32_t number = cursor.next_++;
    new (&At(number)) T{static_cast<Args&&>(args)...};
    return number;
  }

  // Requires: Add returned the number.
  T& operator[](uint32_t number) { return At(number); }
  const T& operator[](uint32_t number) const { return const_cast<SharedTable*>(this)->At(number); }
  // The entry of any number, all zeros if it was not added yet; null if there cannot be one yet.
  const T* Find(uint32_t number) const {
    const unsigned segment = SegmentOf(number);
    const T* entries = segments_[segment].load(std::memory_order_acquire);
    return entries == nullptr ? nullptr : &entries[number - FirstOf(segment)];
  }

  // Forgets all entries, whose numbers are used again. Requires: nobody else knows the table, and nobody
  // uses a Cursor of before.
  void Forget() { next_.store(kBlock, std::memory_order_relaxed); }

  // No number so far is this large.
  uint32_t Size() const { return static_cast<uint32_t>(next_.load(std::memory_order_relaxed)); }

  // Blocks that are begun count as used.
  size_t BytesUsed() const { return next_.load(std::memory_order_relaxed) * sizeof(T); }

 private:
  static constexpr unsigned kFirstBits = 12;
  static constexpr unsigned kSegments = 32 - kFirstBits + 1;

  static constexpr unsigned SegmentOf(uint32_t number) {
    return static_cast<unsigned>(std::bit_width(number >> kFirstBits));
  }
  static constexpr uint32_t FirstOf(unsigned segment) {
    return segment == 0 ? 0 : uint32_t{1} << (kFirstBits + segment - 1);
  }
  static constexpr size_t BytesOf(unsigned segment) {
    const size_t entries = size_t{1} << (segment == 0 ? kFirstBits : kFirstBits + segment - 1);
    return RoundUpToMapping(entries * sizeof(T));
  }

  T& At(uint32_t number) {
    const unsigned segment = SegmentOf(number);
    T* entries = segments_[segment].load(std::memory_order_acquire);
    return entries[number - FirstOf(segment)];
  }

  [[gnu::noinline]] void TakeBlock(Cursor& cursor) {
    const uint64_t first = next_.fetch_add(kBlock, std::memory_order_relaxed);
    CheckLimit(first + kBlock <= uint64_t{1} << 32, "a table of the detector is full");
    cursor.next_ = static_cast<uint32_t>(first);
    cursor.end_ = static_cast<uint32_t>(first) + kBlock;
    const unsigned segment = SegmentOf(cursor.next_);
    if (segments_[segment].load(std::memory_order_acquire) != nullptr) return;
    T* made = static_cast<T*>(Map(BytesOf(segment), what_));
    T* nobodys = nullptr;
    if (!segments_[segment].compare_exchange_strong(nobodys, made)) Unmap(made, BytesOf(segment));
  }

  std::atomic<uint64_t> next_{kBlock};
  std::atomic<T*> segments_[kSegments] = {};
  const char* what_;
};

}  // namespace taskrace
