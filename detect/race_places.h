// Where the two sides of a race were: what a log of accesses (access_log.h) says of a range of bytes,
// put together.
//
// Thread rule: pure functions; a function with parts is the program's. Cost: cold.
// Tested by:  test/detect/access_log_test.cc, test/runtime/
#pragma once

#include <dlfcn.h>

#include <algorithm>

#include "detect/access_log.h"
#include "detect/contexts.h"

namespace taskrace {

// Calls report(first, size, earlier, later) for each pair of accesses that bytes of [first, end) belong
// to. find_earlier(byte) and find_later(byte) know them.
template <class FindEarlier, class FindLater, class Report>
void ForEachPairOfAccesses(uintptr_t first, uintptr_t end, FindEarlier find_earlier,
                           FindLater find_later, Report report) {
  AccessLog::Found earlier{}, later{};
  uintptr_t from = first;
  for (uintptr_t at = first; at < end;) {
    const AccessLog::Found next_earlier = find_earlier(at), next_later = find_later(at);
    if (at != first && (!earlier.IsSameAccess(next_earlier) || !later.IsSameAccess(next_later))) {
      report(from, at - from, earlier, later);
      from = at;
    }
    earlier = next_earlier;
    later = next_later;
    at = std::min({end, earlier.end, later.end});
  }
  report(from, end - from, earlier, later);
}

// The part of an access of several lines that touches the byte: narrows `found` to it, and returns its
// program counter. Requires: the site is one of parts.
inline uintptr_t FindPart(const Contexts::Site& site, uintptr_t byte, AccessLog::Found& found) {
  const auto parts = reinterpret_cast<__taskrace_parts>(site.pc);
  struct Search {
    uintptr_t byte;
    uintptr_t pc;
    AccessLog::Found& found;
    static void Visit(void* visitor, const void* address, size_t size) {
      auto& [byte, pc, found] = *static_cast<Search*>(visitor);
      const uintptr_t first = reinterpret_cast<uintptr_t>(address);
      if (byte < first || byte - first >= size) return;
      pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
      found.first = first;
      found.size = size;
      found.end = std::min(found.end, first + size);
    }
  } search{byte, site.pc, found};
  // The library that has it may have been unloaded.
  if (Dl_info library; dladdr(reinterpret_cast<void*>(parts), &library) != 0) {
    parts(reinterpret_cast<const void*>(found.first), &search, Search::Visit);
  }
  return search.pc;
}

}  // namespace taskrace
