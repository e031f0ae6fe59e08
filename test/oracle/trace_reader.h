// Reads a trace (runtime/trace_format.h) record by record. Throws std::runtime_error where it is
// none, or ends in the middle.
#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/trace_format.h"

namespace taskrace::oracle {

class TraceReader {
 public:
  explicit TraceReader(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    if (bytes_.empty()) throw std::runtime_error(path + " is empty or missing");
  }

  bool AtEnd() const { return at_ == bytes_.size(); }

  // The parts of a record, in its order.
  TraceRecord Record() { return static_cast<TraceRecord>(Byte()); }
  uint64_t Number() {
    uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
      const uint8_t byte = Byte();
      number |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return number;
    }
  }
  template <class Id>
  Id Get() {
    return static_cast<Id>(Number());
  }
  int64_t Signed() {
    const uint64_t number = Number();
    return static_cast<int64_t>(number >> 1 ^ (0 - (number & 1)));
  }
  uint64_t First() { return last_first_ += static_cast<uint64_t>(Signed()); }

 private:
  uint8_t Byte() {
    if (AtEnd()) throw std::runtime_error("the trace ends in the middle of a record");
    return static_cast<uint8_t>(bytes_[at_++]);
  }

  std::string bytes_;
  size_t at_ = 0;
  uint64_t last_first_ = 0;
};

}  // namespace taskrace::oracle
