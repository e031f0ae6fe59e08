// The cell of the shadow history: what is remembered of a few neighbouring bytes that agree, and
// the entries that stand in for it where they do not.
//
// Thread rule: plain data. Cost: 16 bytes a cell, 16 bytes an entry.
#pragma once

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
  Where where;
  LockSet locks;
  AccessKind kind;
  uint8_t bytes;  // bit i: byte i of the cell

  // The same access, on whatever bytes?
  bool SameAccess(const ShadowEntry& other) const {
    return strand == other.strand && where == other.where && locks == other.locks &&
           kind == other.kind;
  }
};
static_assert(sizeof(ShadowEntry) == 16);

using ShadowLists = ListPool<ShadowEntry>;

// Compact: the last writer and the readers of all bytes of the cell, all plain and without locks;
// no strand: none. Extended: a list of entries. Zero: nothing is known.
struct ShadowCell {
  StrandId writer;
  Where written_at;
  StrandId reader;
  Where read_at;

  // As `writer`: the cell is extended. Never a strand, so that no fast path takes it for one.
  static constexpr StrandId kExtended{0xFFFFFFFF};
  static_assert(kExtended > kLastStrand);

  bool IsExtended() const { return writer == kExtended; }
  bool IsEmpty() const { return writer == kNoStrand && reader == kNoStrand; }
  ShadowLists::List List() const { return static_cast<uint32_t>(written_at); }

  static ShadowCell Extended(ShadowLists::List list) {
    return {
        .writer = kExtended, .written_at = Where{list}, .reader = kNoStrand, .read_at = kNowhere};
  }
  ShadowEntry WriterEntry(uint8_t bytes) const {
    return {writer, written_at, kNoLocks, AccessKind::kWrite, bytes};
  }
  ReaderLists::Readers GetReaders() const { return {reader, read_at}; }
  void SetReaders(const ReaderLists::Readers& readers) {
    reader = readers.strand;
    read_at = readers.where;
  }

  bool operator==(const ShadowCell&) const = default;
};
static_assert(sizeof(ShadowCell) == 16);

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
