// The cell of the shadow history: what is remembered of a few neighbouring bytes that agree, and
// the entries that stand in for it where they do not.
//
// Thread rule: plain data. Cost: 16 bytes a cell, 16 bytes an entry.
#pragma once

#include <cstdint>

#include "detect/ds/list_pool.h"
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

// Compact: the last writer and a reader of all bytes of the cell, both plain and without locks; no
// strand: none. Extended: a list of entries. Zero: nothing is known.
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
  ShadowEntry ReaderEntry(uint8_t bytes) const {
    return {reader, read_at, kNoLocks, AccessKind::kRead, bytes};
  }

  bool operator==(const ShadowCell&) const = default;
};
static_assert(sizeof(ShadowCell) == 16);

// Sets `cell` to what the entries say, if a compact cell can say it: all of them
// on the bytes `full`.
inline bool ToCompact(std::span<const ShadowEntry> entries, uint8_t full, ShadowCell& cell) {
  if (entries.size() > 2) return false;
  ShadowCell compact{};
  for (const ShadowEntry& e : entries) {
    if (e.bytes != full || e.locks != kNoLocks || IsAtomic(e.kind)) return false;
    StrandId& strand = IsWrite(e.kind) ? compact.writer : compact.reader;
    if (strand != kNoStrand) return false;
    strand = e.strand;
    (IsWrite(e.kind) ? compact.written_at : compact.read_at) = e.where;
  }
  cell = compact;
  return true;
}

}  // namespace taskrace
