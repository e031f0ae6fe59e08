#include "trace.h"

#include <cstdio>
#include <cstdlib>
#include <tuple>

#include "taskrace/hooks.h"

namespace trace {

std::array<unsigned char, kArena> arena;

namespace {

std::vector<Segment> segments;
std::size_t now;   // the segment in which the program is
std::size_t loop;  // the segment of iteration 0 of the running parallel loop
std::size_t iterations;

void BeginSegment() {
  now = segments.size();
  segments.emplace_back();
}

}  // namespace

void Reset() {
  segments.clear();
  loop = iterations = 0;
  BeginSegment();
  std::uint32_t random = 12345;
  for (unsigned char& byte : arena) {
    random = random * 1664525 + 1013904223;
    byte = static_cast<unsigned char>(random >> 24);
  }
}

void Mark(std::uint8_t what, const void* first, std::size_t size, std::size_t rows,
          std::ptrdiff_t distance) {
  if (size == 0) return;
  // Modulo 2^64, as the addresses of the program.
  auto offset =
      reinterpret_cast<std::uintptr_t>(first) - reinterpret_cast<std::uintptr_t>(arena.data());
  // No nest touches as much: the number is wrong, and so is then every byte.
  if (rows > kArena || (rows > 0 && size > kArena))
    std::tie(offset, size, rows) = std::tuple(0, kArena, 1);
  for (std::size_t row = 0; row < rows; ++row, offset += static_cast<std::uintptr_t>(distance)) {
    for (std::size_t byte = 0; byte < size; ++byte) {
      if (offset + byte < kArena) segments[now][offset + byte] |= what;
    }
  }
}

// As the rows say and, which must be the same, as the parts of each row say.
static void MarkParts(std::uint8_t what, const void* first, std::size_t size, std::size_t rows,
                      std::ptrdiff_t distance, __taskrace_parts parts) {
  struct Parts {
    const char* row;
    std::vector<bool> is_part;
    static void Visit(void* visitor, const void* first, std::size_t size) {
      auto& [row, is_part] = *static_cast<Parts*>(visitor);
      const std::size_t offset = static_cast<std::size_t>(static_cast<const char*>(first) - row);
      for (std::size_t byte = offset; byte < offset + size; ++byte) is_part.at(byte) = true;
    }
  } listed{static_cast<const char*>(first), std::vector<bool>(size)};
  if (size > 0) parts(first, &listed, Parts::Visit);
  if (listed.is_part != std::vector<bool>(size, true)) {
    std::printf("the parts of a row are not the row\n");
    std::abort();
  }
  Mark(what, first, size, rows, distance);
}

// Runs a loop in several parts. What they touch outside of iterations gets a segment of its own.
static void RunLoop(std::size_t count, void (*range)(void*, std::size_t, std::size_t),
                    void* closure) {
  const std::size_t outer = loop, outer_iterations = iterations;
  loop = segments.size();
  iterations = count;
  segments.resize(loop + count + 1);
  const std::size_t ends[] = {0, count < 1 ? count : 1, count / 2 + 1, count};
  for (unsigned part = 0; part < 3; ++part) {
    const std::size_t end = ends[part + 1] < count ? ends[part + 1] : count;
    now = loop + count;
    if (ends[part] < end) range(closure, ends[part], end);
  }
  loop = outer;
  iterations = outer_iterations;
  BeginSegment();
}

void BeginUnits(std::size_t count) {
  loop = segments.size();
  iterations = count;
  segments.resize(loop + count + 1);
  now = loop + count;
}
void EndUnits() {
  loop = iterations = 0;
  BeginSegment();
}
void Share(const void* variable) { asm volatile("" ::"r"(variable) : "memory"); }

static void BeginIteration(std::size_t k) { now = loop + k; }

static void MarkIterations(std::uint8_t what, const void* first, std::size_t size, std::size_t rows,
                           std::ptrdiff_t distance, __taskrace_parts parts, std::ptrdiff_t step,
                           std::size_t k, std::size_t count) {
  if (count > 0 && (k >= iterations || count > iterations - k)) {
    std::printf("a check is about iterations that do not exist\n");
    std::abort();
  }
  const std::size_t before = now;
  for (std::size_t i = 0; i < count; ++i) {
    now = loop + k + i;
    const void* address = reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(first) +
                                                        i * static_cast<std::uintptr_t>(step));
    if (parts != nullptr) {
      MarkParts(what, address, size, rows, distance, parts);
    } else {
      Mark(what, address, size, rows, distance);
    }
  }
  now = before;
}

std::vector<Segment> Take() { return std::move(segments); }

std::string Difference(const std::vector<Segment>& reference, const std::vector<Segment>& checked) {
  if (reference.size() != checked.size()) return "the numbers of boundaries differ";
  for (std::size_t segment = 0; segment < reference.size(); ++segment) {
    for (std::size_t byte = 0; byte < kArena; ++byte) {
      const unsigned expected = reference[segment][byte];
      unsigned got = checked[segment][byte];
      if (expected == 3 && got == 2) got = 3;
      if (got == expected) continue;
      static constexpr const char* kWords[] = {"untouched", "read", "written", "read and written"};
      char text[160];
      std::snprintf(text, sizeof(text),
                    "segment %zu, byte %td of the arena's middle: %s, checked: %s", segment,
                    static_cast<std::ptrdiff_t>(byte) - static_cast<std::ptrdiff_t>(kArena / 2),
                    kWords[expected], kWords[got]);
      return text;
    }
  }
  return "";
}

}  // namespace trace

Table table;

void Boundary() { trace::BeginSegment(); }

// The hooks that instrumented nests call.
extern "C" {

static struct __taskrace_frame frames[1000];
__thread struct __taskrace_frame* __taskrace_top = frames;

#define SIZED(bytes)                                                                            \
  void __taskrace_read##bytes(const void* address) noexcept { trace::Mark(1, address, bytes); } \
  void __taskrace_write##bytes(const void* address) noexcept { trace::Mark(2, address, bytes); }
SIZED(1)
SIZED(2)
SIZED(4)
SIZED(8)
SIZED(16)

void __taskrace_read_range(const void* first, size_t size) noexcept { trace::Mark(1, first, size); }
void __taskrace_write_range(const void* first, size_t size) noexcept {
  trace::Mark(2, first, size);
}
void __taskrace_read_rows(const void* first, size_t size, size_t rows,
                          ptrdiff_t distance) noexcept {
  trace::Mark(1, first, size, rows, distance);
}
void __taskrace_write_rows(const void* first, size_t size, size_t rows,
                           ptrdiff_t distance) noexcept {
  trace::Mark(2, first, size, rows, distance);
}
void __taskrace_read_parts(const void* first, size_t size, size_t rows, ptrdiff_t distance,
                           __taskrace_parts parts) noexcept {
  trace::MarkParts(1, first, size, rows, distance, parts);
}
void __taskrace_write_parts(const void* first, size_t size, size_t rows, ptrdiff_t distance,
                            __taskrace_parts parts) noexcept {
  trace::MarkParts(2, first, size, rows, distance, parts);
}
void __taskrace_loop(size_t count, int64_t, void (*range)(void*, size_t, size_t),
                     void* closure) noexcept {
  trace::RunLoop(count, range, closure);
}
int __taskrace_iteration(size_t k) noexcept {
  trace::BeginIteration(k);
  return 1;
}
void __taskrace_unit(std::uint64_t k, int) noexcept { trace::BeginIteration(k); }
void __taskrace_units_begin(std::uint64_t first, std::uint64_t count) noexcept {
  if (first != 0 || count != trace::iterations) {
    std::printf("other units are announced than run\n");
    std::abort();
  }
}
void __taskrace_loop_read(const void* first, size_t size, size_t rows, ptrdiff_t distance,
                          __taskrace_parts parts, ptrdiff_t step, size_t k, size_t count) noexcept {
  trace::MarkIterations(1, first, size, rows, distance, parts, step, k, count);
}
void __taskrace_loop_write(const void* first, size_t size, size_t rows, ptrdiff_t distance,
                           __taskrace_parts parts, ptrdiff_t step, size_t k,
                           size_t count) noexcept {
  trace::MarkIterations(2, first, size, rows, distance, parts, step, k, count);
}
// Every access that stays in a loop is checked, so that all of them are seen.
void __taskrace_loop_may_read(const void*, size_t, size_t, ptrdiff_t, ptrdiff_t, size_t,
                              size_t) noexcept {}
void __taskrace_loop_may_write(const void*, size_t, size_t, ptrdiff_t, ptrdiff_t, size_t,
                               size_t) noexcept {}
__taskrace_zone __taskrace_loop_zone(unsigned) noexcept { return {0, UINTPTR_MAX}; }
void __taskrace_lifetime_start(const void*, size_t, const struct __taskrace_variable*) noexcept {}
void __taskrace_lifetime_end(const void*, size_t) noexcept {}
void __taskrace_module(const struct __taskrace_object*, const struct __taskrace_object*) noexcept {}
void __taskrace_main_end() noexcept {}
}
