// Bits for the 64 bytes of a line, and for its cells of 1, 4 or 8 bytes (2^shift): of a cell, the bit of its first
// byte.
//
// Cost: some instructions.
#pragma once

#include <cstdint>

namespace taskrace {

// The cells whose bytes all have their bits.
constexpr uint64_t WholeCells(uint64_t bytes, unsigned shift) {
  if (shift == 0) return bytes;
  bytes &= bytes >> 1;
  bytes &= bytes >> 2;
  if (shift == 2) return bytes & 0x1111'1111'1111'1111;
  return bytes & (bytes >> 4) & 0x0101'0101'0101'0101;
}
// The bytes of these cells.
constexpr uint64_t BytesOfCells(uint64_t cells, unsigned shift) {
  return cells * ((1u << (1u << shift)) - 1);
}
static_assert(WholeCells(0xFF0, 3) == 0 && WholeCells(0xFF0, 2) == 0x110);
static_assert(BytesOfCells(0x110, 2) == 0xFF0 && BytesOfCells(1, 3) == 0xFF);

}  // namespace taskrace
