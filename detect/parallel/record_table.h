// RecordTable: the access records of a run by number, as cells have them.
//
// Idea:       a number that no cell has is used again (collection.h). When all that there is precedes
//             whatever comes, nobody looks at cells: all records are forgotten at once, numbers go on
//             where they were, and a cell that has a number of before says nothing (IsSettled).
// Invariant:  numbers of records that are not forgotten are larger than all that were.
// Thread rule: as ReclaimedTable; Forget and BeginAgain while nobody else runs.
// Cost:       as ReclaimedTable. There are numbers for 2^31 records at once; after as many, cells must be
//             cleared (NeedsNumbers).
// Tested by:  test/detect/parallel_records_test.cc, test/oracle/parallel_orders_test.cc
#pragma once

#include "detect/parallel/access_record.h"

namespace taskrace {

class RecordTable {
  using Table = ReclaimedTable<AccessRecord>;

 public:
  using Cursor = Table::Cursor;

  constexpr RecordTable() = default;

  RecordId Add(Cursor& cursor, const AccessRecord& record) {
    return offset_ + table_.Add(cursor, record);
  }
  // Requires: it is not settled, and whoever asks may know it (collection.h).
  const AccessRecord& operator[](RecordId id) const { return table_[id - offset_]; }

  // Was the record forgotten with all others? True for kNobody.
  [[gnu::always_inline]] bool IsSettled(RecordId id) const { return id < first_; }
  // Requires: nobody else runs, and all cursors have let go before they are used again.
  void Forget() {
    offset_ += table_.Size() - Table::kBlock;
    first_ = offset_ + Table::kBlock;
    table_.Forget();
  }
  // So many were forgotten that there may be too few numbers for those that come.
  bool NeedsNumbers() const { return offset_ >= kMostForgotten; }
  // All numbers are used again. Requires: all records were forgotten, and no cell has one.
  void BeginAgain() {
    offset_ = 0;
    first_ = Table::kBlock;
  }

  // As ReclaimedTable's.
  constexpr void SetWhenLarge(std::atomic<bool>& wanted) { table_.SetWhenLarge(wanted); }
  void BeginCollection() { table_.BeginCollection(); }
  bool IsCandidate(RecordId id) const { return table_.IsCandidate(id - offset_); }
  bool Mark(RecordId id) { return table_.Mark(id - offset_); }
  void EndCollection(size_t others) { table_.EndCollection(others); }

  size_t BytesUsed() const { return table_.BytesUsed(); }

 private:
  static constexpr uint32_t kMostForgotten = uint32_t{1} << 31;

  Table table_{"the accesses that are remembered"};
  uint32_t offset_ = 0;             // of the table's numbers
  uint32_t first_ = Table::kBlock;  // no record that is not forgotten has a smaller number
};

}  // namespace taskrace
