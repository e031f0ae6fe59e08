#include "runtime/counting_hooks.h"

namespace taskrace {
namespace {

constinit const AccessHooks* next = nullptr;
constinit AccessCounts counts;

template <unsigned kIndex>
void Read(const void* address) {
  ++counts.reads;
  [[clang::musttail]] return next->read[kIndex](address);
}
template <unsigned kIndex>
void Write(const void* address) {
  ++counts.writes;
  [[clang::musttail]] return next->write[kIndex](address);
}
template <auto kHook>
void Range(const void* first, size_t size) {
  ++counts.ranges;
  counts.range_bytes += size;
  [[clang::musttail]] return (next->*kHook)(first, size);
}
template <auto kHook>
void Rows(const void* first, size_t size, size_t rows, ptrdiff_t distance) {
  ++counts.ranges;
  counts.range_bytes += size * rows;
  [[clang::musttail]] return (next->*kHook)(first, size, rows, distance);
}
template <auto kHook>
void Parts(const void* first, size_t size, size_t rows, ptrdiff_t distance,
           __taskrace_parts parts) {
  ++counts.ranges;
  counts.range_bytes += size * rows;
  [[clang::musttail]] return (next->*kHook)(first, size, rows, distance, parts);
}
template <auto kHook>
void Atomic(const void* address, size_t size) {
  ++counts.atomics;
  [[clang::musttail]] return (next->*kHook)(address, size);
}

constexpr AccessHooks kCounting = {
    .read = {Read<0>, Read<1>, Read<2>, Read<3>, Read<4>},
    .write = {Write<0>, Write<1>, Write<2>, Write<3>, Write<4>},
    .read_range = Range<&AccessHooks::read_range>,
    .write_range = Range<&AccessHooks::write_range>,
    .read_rows = Rows<&AccessHooks::read_rows>,
    .write_rows = Rows<&AccessHooks::write_rows>,
    .read_parts = Parts<&AccessHooks::read_parts>,
    .write_parts = Parts<&AccessHooks::write_parts>,
    .atomic_read = Atomic<&AccessHooks::atomic_read>,
    .atomic_write = Atomic<&AccessHooks::atomic_write>,
};

}  // namespace

const AccessHooks& CountingHooks(const AccessHooks& checking) {
  next = &checking;
  return kCounting;
}

const AccessCounts& Counts() { return counts; }

}  // namespace taskrace
