#include "runtime/counting_hooks.h"

#include <atomic>
#include <new>

#include "detect/ds/mapping.h"

namespace taskrace {
namespace {

constinit const AccessHooks* next = nullptr;

// Of one thread, which alone changes it; others may read it meanwhile.
struct ThreadCounts {
  std::atomic<uint64_t> reads, writes, ranges, range_bytes, atomics;
  ThreadCounts* next;  // of all of them
};

constinit std::atomic<ThreadCounts*> all{nullptr};
constinit thread_local ThreadCounts* own __attribute__((tls_model("initial-exec"))) = nullptr;

[[gnu::noinline]] void MakeOwn() {
  own = new (Map(kMappingUnit, "counts")) ThreadCounts{};
  own->next = all.load();
  while (!all.compare_exchange_weak(own->next, own)) continue;
}
ThreadCounts& Mine() {
  if (own == nullptr) [[unlikely]]
    MakeOwn();
  return *own;
}
void Add(std::atomic<uint64_t>& count, uint64_t more) {
  count.store(count.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}
void AddRange(size_t bytes) {
  ThreadCounts& counts = Mine();
  Add(counts.ranges, 1);
  Add(counts.range_bytes, bytes);
}

template <unsigned kIndex>
void Read(const void* address) {
  Add(Mine().reads, 1);
  [[clang::musttail]] return next->read[kIndex](address);
}
template <unsigned kIndex>
void Write(const void* address) {
  Add(Mine().writes, 1);
  [[clang::musttail]] return next->write[kIndex](address);
}
template <auto kHook>
void Range(const void* first, size_t size) {
  AddRange(size);
  [[clang::musttail]] return (next->*kHook)(first, size);
}
template <auto kHook>
void Rows(const void* first, size_t size, size_t rows, ptrdiff_t distance) {
  AddRange(size * rows);
  [[clang::musttail]] return (next->*kHook)(first, size, rows, distance);
}
template <auto kHook>
void Parts(const void* first, size_t size, size_t rows, ptrdiff_t distance,
           __taskrace_parts parts) {
  AddRange(size * rows);
  [[clang::musttail]] return (next->*kHook)(first, size, rows, distance, parts);
}
template <auto kHook>
void Atomic(const void* address, size_t size) {
  Add(Mine().atomics, 1);
  [[clang::musttail]] return (next->*kHook)(address, size);
}

template <auto kHook>
void Loop(const void* first, size_t size, size_t rows, ptrdiff_t distance, __taskrace_parts parts,
          ptrdiff_t step, size_t k, size_t count) {
  AddRange(size * rows * count);
  [[clang::musttail]] return (next->*kHook)(first, size, rows, distance, parts, step, k, count);
}

template <auto kHook>
void Possible(const void* first, size_t size, size_t rows, ptrdiff_t distance, ptrdiff_t step,
              size_t k, size_t count) {
  [[clang::musttail]] return (next->*kHook)(first, size, rows, distance, step, k, count);
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
    .loop_read = Loop<&AccessHooks::loop_read>,
    .loop_write = Loop<&AccessHooks::loop_write>,
    .loop_may_read = Possible<&AccessHooks::loop_may_read>,
    .loop_may_write = Possible<&AccessHooks::loop_may_write>,
    .loop_zone = [](unsigned staying) { return next->loop_zone(staying); },
    .iteration = [](size_t k,
                    uintptr_t stack_pointer) { return next->iteration(k, stack_pointer); },
};

}  // namespace

const AccessHooks& CountingHooks(const AccessHooks& checking) {
  next = &checking;
  return kCounting;
}

AccessCounts Counts() {
  AccessCounts sum;
  for (const ThreadCounts* counts = all; counts != nullptr; counts = counts->next) {
    sum.reads += counts->reads;
    sum.writes += counts->writes;
    sum.ranges += counts->ranges;
    sum.range_bytes += counts->range_bytes;
    sum.atomics += counts->atomics;
  }
  return sum;
}

}  // namespace taskrace
