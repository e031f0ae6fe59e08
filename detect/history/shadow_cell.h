// The cell of the shadow history: what is remembered of a few neighbouring bytes that agree, and
// the entries that stand in for it where they do not.
//
// Who touched the bytes is all: where in the program, the access log knows (access_log.h).
//
// Thread rule: plain data. Cost: 8 bytes a cell, 12 bytes an entry.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "detect/ds/list_pool.h"
#include "detect/history/reader_lists.h"
#include "detect/reach/ids.h"
#include "report/race.h"

namespace taskrace {

// Are a's conflicts among b's?
constexpr bool ConflictsWithin(AccessKind a, AccessKind b) {
  return a == b || a == AccessKind::kAtomicRead || b == AccessKind::kWrite;
}

// An access that is remembered for some bytes of a cell.
struct ShadowEntry {
  StrandId strand;
  LockSet locks;
  AccessKind kind;
  uint8_t bytes;  // bit i: byte i of the cell

  RacingAccess By() const { return {strand, kind, locks}; }
  // The same access, on whatever bytes?
  bool SameAccess(const ShadowEntry& other) const {
    return strand == other.strand && locks == other.locks && kind == other.kind;
  }
  bool operator==(const ShadowEntry&) const = default;
};
static_assert(sizeof(ShadowEntry) == 12);

using ShadowLists = ListPool<ShadowEntry>;

// Compact: the last writer and the readers of all bytes of the cell, all plain and without locks;
// no strand: none. Extended: a list of entries. Zero: nothing is known.
struct ShadowCell {
  StrandId
      writer;  // of an extended cell, its list: no strand, so that no fast path takes it for one
  StrandId reader;  // or a list of them (ReaderLists::Readers); of an extended cell, none

  bool IsExtended() const { return writer > kLastStrand; }
  bool IsEmpty() const { return writer == kNoStrand && reader == kNoStrand; }
  ShadowLists::List List() const { return Index(writer) - kFirstList; }

  static ShadowCell Extended(ShadowLists::List list) {
    CheckLimit(list <= UINT32_MAX - kFirstList, "too many bytes differ from their neighbours");
    return {.writer = StrandId{kFirstList + list}, .reader = kNoStrand};
  }
  ShadowEntry WriterEntry(uint8_t bytes) const {
    return {writer, kNoLocks, AccessKind::kWrite, bytes};
  }
  ReaderLists::Readers GetReaders() const { return {reader}; }
  void SetReaders(const ReaderLists::Readers& readers) { reader = readers.strand; }

  bool operator==(const ShadowCell& other) const {  // in one comparison
    return std::bit_cast<uint64_t>(*this) == std::bit_cast<uint64_t>(other);
  }

 private:
  static constexpr uint32_t kFirstList = Index(kLastStrand) + 1;
};
static_assert(sizeof(ShadowCell) == 8);

// Can a compact cell say what the entries say? All of them on the bytes `full`, one writer at most.
inline bool IsCompact(std::span<const ShadowEntry> entries, uint8_t full) {
  bool written = false;
  for (const ShadowEntry& e : entries) {
    if (e.bytes != full || e.locks != kNoLocks || IsAtomic(e.kind)) return false;
    if (IsWrite(e.kind) && written) return false;
    written = written || IsWrite(e.kind);
  }
  return true;
}

}  // namespace taskrace
