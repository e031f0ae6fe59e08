// Calling contexts: who called whom, as numbers that cost nothing until somebody asks.
//
// Instrumented functions push their return address on the shadow call stack (hooks.h) and no more. When
// an access must be remembered, the frames above are turned into a node of the calling-context tree, one
// per distinct chain of return addresses; each frame keeps its node, so the next access of the same call
// finds it there. A Where is such a node, the program counter of an access, its size and what it did.
//
// Contexts begin at the task's body: who created the task is in the task table, not here.
// Thread rule: one thread. Cost: O(1) per frame and call in which anything is remembered; 16 bytes a
// node and 24 a Where, bounded by the distinct stacks of the program.
#pragma once

#include <cstdint>

#include "detect/ds/intern_table.h"
#include "report/race.h"
#include "taskrace/hooks.h"

namespace taskrace {

enum class ContextId : uint32_t {};

// What an access was, beyond reading or writing: the words of reports.
enum class Operation : uint8_t { kPlain, kFree, kScopeEnd };

class Contexts {
 public:
  struct Site {
    uintptr_t pc;
    ContextId context;
    uint32_t size;
    Operation operation;
    uint64_t Hash() const {
      return Mix(pc ^ Mix((uint64_t{static_cast<uint32_t>(context)} << 32) | size) ^
                     static_cast<uint64_t>(operation));
    }
    bool operator==(const Site&) const = default;
  };

  // Where `frame` marks the body of a task: nothing is above it.
  static void InitBase(__taskrace_frame* frame) {
    frame->return_address = nullptr;
    frame->context = kBase;
  }

  // The number for an access by the function whose frame is `top`.
  Where Intern(__taskrace_frame* top, uintptr_t pc, size_t size, Operation operation) {
    const uint32_t stored = size > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(size);
    const Site site{pc, ContextOf(top), stored, operation};
    CacheEntry& cached = cache_[SlotOf(site)];
    if (cached.where == 0 || !(cached.site == site)) [[unlikely]] {
      cached = {site, sites_.Intern(site)};
    }
    return Where{cached.where};
  }

  const Site& operator[](Where where) const { return sites_[static_cast<uint32_t>(where)]; }

  // Calls visit(return address) from the innermost frame outward.
  template <class Visit>
  void ForEachFrame(ContextId context, Visit visit) const {
    for (uint32_t id = static_cast<uint32_t>(context); id > kBase;) {
      const Node& node = nodes_[id - kBase];
      visit(node.return_address);
      id = node.parent;
    }
  }

  size_t BytesUsed() const { return nodes_.BytesUsed() + sites_.BytesUsed() + sizeof(*this); }

 private:
  static constexpr uint32_t kBase = 1;  // the context of a task's body; nodes follow
  static constexpr unsigned kCacheBits = 12;
  // A program with more distinct stacks than this gets shortened ones: new callers are left out.
  static constexpr size_t kMostNodes = size_t{1} << 26;

  struct Node {
    uintptr_t return_address;
    uint32_t parent;
    uint64_t Hash() const { return Mix(return_address ^ (uint64_t{parent} << 40)); }
    bool operator==(const Node&) const = default;
  };
  struct CacheEntry {
    Site site;
    uint32_t where;
  };

  // One multiplication: this is on the way of every access that is remembered.
  static size_t SlotOf(const Site& site) {
    const uint64_t key = site.pc ^ uint64_t{static_cast<uint32_t>(site.context)} << 24 ^
                         uint64_t{site.size} << 4 ^ static_cast<uint64_t>(site.operation);
    return key * 0x9E3779B97F4A7C15 >> (64 - kCacheBits);
  }

  // The context of a frame; walks up to the nearest frame that knows its own, then back down.
  ContextId ContextOf(__taskrace_frame* frame) {
    if (frame->context != 0) [[likely]] return ContextId{frame->context};
    __taskrace_frame* known = frame - 1;
    while (known->context == 0) --known;
    for (; known != frame; ++known) {
      __taskrace_frame* next = known + 1;
      if (nodes_.Size() >= kMostNodes) {
        next->context = known->context;
      } else {
        const Node node{reinterpret_cast<uintptr_t>(next->return_address), known->context};
        next->context = kBase + nodes_.Intern(node);
      }
    }
    return ContextId{frame->context};
  }

  InternTable<Node> nodes_;
  InternTable<Site> sites_;
  CacheEntry cache_[size_t{1} << kCacheBits] = {};
};

}  // namespace taskrace
