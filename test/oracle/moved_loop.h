// Accesses as compiled code makes them, with code that names itself: calls of hooks, and rows of affine
// accesses that a pass could move out of a loop.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "taskrace/hooks.h"
#include "test/oracle/affine_loop.h"

namespace taskrace::oracle {

// Which accesses of affine loops come before them: none; some; some, and of the others only those in the zone are
// made, each behind its own mark; all, so that the iterations have no marks.
enum class Moves { kNone, kSome, kZoned, kAll };

// Code for accesses: the first byte of a row is touched by one line, the others by another.
template <size_t kNumber>
[[gnu::noinline]] void PartsOfRow(const void* first, void* visitor, __taskrace_part part) {
  part(visitor, first, 1);
  asm volatile("" ::"i"(kNumber));
  part(visitor, static_cast<const char*>(first) + 1, 15);
  asm volatile("" ::"i"(kNumber));  // a call, no jump: the lines have return addresses
}
inline constexpr size_t kMostMoved = 8;
inline constexpr auto kPartsOfRows = []<size_t... kNumbers>(std::index_sequence<kNumbers...>) {
  return std::array<__taskrace_parts, kMostMoved>{PartsOfRow<kNumbers>...};
}(std::make_index_sequence<kMostMoved>());

// The line that touches the byte of a row.
inline uintptr_t LineOf(__taskrace_parts parts, uintptr_t row, uintptr_t byte) {
  struct Search {
    uintptr_t byte;
    uintptr_t line = 0;
    [[gnu::noinline]] static void Visit(void* visitor, const void* first, size_t size) {
      auto& [byte, line] = *static_cast<Search*>(visitor);
      if (byte - reinterpret_cast<uintptr_t>(first) >= size) return;
      line = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    }
  } search{byte};
  parts(reinterpret_cast<const void*>(row), &search, Search::Visit);
  return search.line;
}

// A call of a hook for one access, from a line of its own.
template <size_t kNumber>
[[gnu::noinline]] void CallHook(void (*hook)(const void*), uintptr_t address) {
  hook(reinterpret_cast<const void*>(address));
  asm volatile("" ::"i"(kNumber));
}
using HookCall = void (*)(void (*hook)(const void*), uintptr_t address);
inline constexpr auto kHookCalls = []<size_t... kNumbers>(std::index_sequence<kNumbers...>) {
  return std::array<HookCall, kMostMoved>{CallHook<kNumbers>...};
}(std::make_index_sequence<kMostMoved>());
// The line of the call, by a hook that notes its return address. Not a lambda: without optimisation that would be called
// by another function.
inline uintptr_t line_of_call;
inline void NoteLine(const void*) {
  line_of_call = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
}
inline uintptr_t LineOf(HookCall call) {
  call(NoteLine, 0);
  return line_of_call;
}

// One or more neighbouring accesses of each iteration.
struct MovedRows {
  AffineAccess access;
  size_t position;  // of the first one, in the iteration
  size_t rows = 1;
  ptrdiff_t distance = 0;
  __taskrace_parts parts;

  bool Has(size_t at) const { return at >= position && at < position + rows; }
};

// All accesses of the loop; none if it is not affine. in_rows: neighbours of one kind are together.
inline std::vector<MovedRows> RowsOf(const Construct& loop, bool in_rows) {
  std::vector<MovedRows> moved;
  const std::vector<AffineAccess> accesses = AffineAccesses(loop);
  if (accesses.size() > kMostMoved) return {};
  for (size_t i = 0; i < accesses.size(); ++i) {
    const AffineAccess& a = accesses[i];
    if (in_rows && !moved.empty()) {
      MovedRows& last = moved.back();
      const ptrdiff_t distance = static_cast<ptrdiff_t>(a.first) - accesses[i - 1].first;
      if (last.access.kind == a.kind && last.access.size == a.size && last.access.step == a.step &&
          (last.rows == 1 || last.distance == distance)) {
        last.distance = distance;
        ++last.rows;
        continue;
      }
    }
    moved.push_back({.access = a, .position = i, .parts = kPartsOfRows[i]});
  }
  return moved;
}

}  // namespace taskrace::oracle
