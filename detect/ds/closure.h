// Closure: a growing dag with its transitive closure, for dags of some ten thousand nodes.
//
// Invariant:  row b has bit a <=> a path leads from a to b.
// Limit:      rows take memory up to a limit. Beyond it nothing is added any more, IsFull says so,
//             and what Reaches says means nothing.
// Thread rule: one thread at a time; Reaches changes nothing.
// Cost:       k nodes take k*k/16 bytes: a row is as long as there were nodes when it was
//             made, and grows only if a younger node comes to precede it. Add, and an arc to a node
//             that nothing follows: one row. An arc to another node: a look at every row, and a row
//             for each one that it changes. Reaches: two loads.
// Tested by:  test/detect/closure_test.cc
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <new>

#include "detect/ds/mapped_array.h"
#include "detect/ds/mapping.h"

namespace taskrace {

class Closure {
 public:
  using Node = uint32_t;
  static constexpr size_t kHalfOfMemory = 0;

  // The rows take at most so many bytes.
  explicit constexpr Closure(size_t limit = kHalfOfMemory) : limit_(limit) {}
  Closure(const Closure&) = delete;
  Closure& operator=(const Closure&) = delete;
  ~Closure() {
    while (chunks_ != nullptr) {
      Chunk* next = chunks_->next;
      Unmap(chunks_, chunks_->bytes);
      chunks_ = next;
    }
  }

  // A new node, which nothing precedes. Some node if there is no room.
  Node Add() {
    const Node node = static_cast<Node>(rows_.Size());
    Row row{};
    if (!Grow(row, WordsFor(node))) return 0;
    rows_.Append(row);
    return node;
  }

  // A new node behind another one.
  Node AddBehind(Node before) {
    const Node node = Add();
    Arc(before, node);
    return node;
  }

  // Requires: no path leads from b to a.
  void Arc(Node a, Node b) {
    if (full_) return;
    rows_[a].has_successors = true;
    if (rows_[b].has_successors) {
      for (Node c = 0; c < rows_.Size(); ++c) {
        if (HasBit(rows_[c], b)) PutBefore(a, c);
      }
    }
    PutBefore(a, b);
  }

  // Does a path lead from a to b? A node reaches itself.
  bool Reaches(Node a, Node b) const { return a == b || HasBit(rows_[b], a); }

  // Was the limit met?
  bool IsFull() const { return full_; }
  size_t Size() const { return rows_.Size(); }
  size_t BytesUsed() const { return rows_.BytesUsed() + words_used_ * sizeof(uint64_t); }

 private:
  struct Row {
    uint64_t* words;
    uint32_t size;  // words
    bool has_successors;
  };
  struct Chunk {
    Chunk* next;
    size_t bytes;
  };
  static constexpr size_t kLeastChunk = size_t{1} << 16;
  static constexpr size_t kMostChunk = size_t{1} << 24;

  // How long a row must be to have the node's bit.
  static constexpr uint32_t WordsFor(Node node) { return node / 64 + 1; }
  static bool HasBit(const Row& row, Node node) {
    return node / 64 < row.size && (row.words[node / 64] >> (node % 64) & 1) != 0;
  }

  // a, and all that precedes a, precede c.
  void PutBefore(Node a, Node c) {
    if (HasBit(rows_[c], a)) return;
    if (!Grow(rows_[c], std::max(rows_[a].size, WordsFor(a)))) return;
    const Row& from = rows_[a];
    uint64_t* to = rows_[c].words;
    for (uint32_t i = 0; i < from.size; ++i) to[i] |= from.words[i];
    to[a / 64] |= uint64_t{1} << (a % 64);
  }

  // A longer row takes new memory; what it leaves stays unused, for few rows grow.
  bool Grow(Row& row, uint32_t size) {
    if (size <= row.size) return true;
    if (full_ || (words_used_ + size) * sizeof(uint64_t) > Limit()) {
      full_ = true;
      return false;
    }
    uint64_t* words = Allocate(size);
    std::copy_n(row.words, row.size, words);
    row.words = words;
    row.size = size;
    return true;
  }

  size_t Limit() {
    if (limit_ == kHalfOfMemory) {
      limit_ = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) / 2 *
               static_cast<size_t>(sysconf(_SC_PAGESIZE));
    }
    return limit_;
  }

  uint64_t* Allocate(size_t size) {
    if (static_cast<size_t>(end_ - next_) < size) AddChunk(size * sizeof(uint64_t));
    uint64_t* words = next_;
    next_ += size;
    words_used_ += size;
    return words;
  }

  [[gnu::noinline]] void AddChunk(size_t least) {
    const size_t chunk =
        std::clamp(RoundUpToMapping(words_used_ * sizeof(uint64_t)), kLeastChunk, kMostChunk);
    const size_t bytes = std::max(chunk, RoundUpToMapping(least + sizeof(Chunk)));
    void* memory = Map(bytes, "the reachability matrix");
    chunks_ = new (memory) Chunk{chunks_, bytes};
    next_ = reinterpret_cast<uint64_t*>(chunks_ + 1);
    end_ = next_ + (bytes - sizeof(Chunk)) / sizeof(uint64_t);
  }

  MappedArray<Row> rows_{"the reachability matrix"};
  uint64_t* next_ = nullptr;  // zero words that no row has
  uint64_t* end_ = nullptr;
  Chunk* chunks_ = nullptr;
  size_t words_used_ = 0;  // by rows, also by shorter forms of rows that grew
  size_t limit_;
  bool full_ = false;
};

}  // namespace taskrace
