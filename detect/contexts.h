// Calling contexts: chains of calls as numbers, computed only when an access must be remembered.
//
// Instrumented functions push their return address on the shadow call stack (hooks.h) and no more.
// When an access must be remembered, the frames above are turned into a node of the calling-context
// tree, one per distinct chain of return addresses; each frame keeps its node, so the next access
// of the same call finds it there. A Where is such a node, the program counter of an access, its
// size and what it did.
//
// Contexts begin at the task's body: the creator of the task is in the task table, not here.
//
// Recursion within a task is folded: a return address that is four times among the callers already
// leads back to the innermost of those. A tree of calls has as many nodes as it has calls else,
// and they would be all that such a program does.
//
// Thread rule: one thread. Cost: O(1) per frame and call in which anything is remembered; 16 bytes
// a node and 16 a Where, bounded by the distinct stacks of the program.
#pragma once

#include <cstdint>
#include <span>

#include "detect/ds/intern_table.h"
#include "report/race.h"
#include "taskrace/hooks.h"

namespace taskrace {

enum class ContextId : uint32_t {};
constexpr uint32_t Index(ContextId id) { return static_cast<uint32_t>(id); }

// What an access was, beyond reading or writing: the words of reports. kParts: plain ones of several
// lines, of which only the function in place of the program counter knows which is whose (hooks.h).
enum class Operation : uint8_t { kPlain, kFree, kScopeEnd, kParts };

class Contexts {
 public:
  // One access of one function, called from one place.
  struct Site {
    uintptr_t pc;
    ContextId context;
    uint32_t what;  // size and operation

    Site() = default;
    Site(uintptr_t pc, ContextId context, size_t size, Operation operation)
        : pc(pc),
          context(context),
          what(static_cast<uint32_t>(size < kMostSize ? size : kMostSize) << 2 |
               static_cast<uint32_t>(operation)) {}

    uint32_t size() const { return what >> 2; }
    Operation operation() const { return static_cast<Operation>(what & 3); }
    uint64_t Hash() const { return Mix(pc ^ Mix(uint64_t{Index(context)} << 32 | what)); }
    bool operator==(const Site&) const = default;

   private:
    static constexpr size_t kMostSize = (size_t{1} << 30) - 1;
  };
  static_assert(sizeof(Site) == 16);

  static constexpr uint32_t kBase = 1;  // the context of a task's body; nodes follow

  // The context that a call is folded into, which returns there; 0: none. Of `nodes` of any kind.
  template <class Nodes>
  static uint32_t Folded(const Nodes& nodes, uintptr_t return_address, uint32_t context) {
    constexpr int kDeepest = 4;  // how often a return address is in a context
    int seen = 0;
    uint32_t innermost = 0;
    for (; context > kBase; context = nodes[context - kBase].parent) {
      if (nodes[context - kBase].return_address != return_address) continue;
      if (innermost == 0) innermost = context;
      if (++seen == kDeepest) return innermost;
    }
    return 0;
  }

  // Where `frame` marks the body of a task: nothing is above it.
  static void InitBase(__taskrace_frame* frame) {
    frame->return_address = nullptr;
    frame->context = kBase;
  }

  // The number for an access by the function whose frame is `top`.
  [[gnu::always_inline]] Where Intern(__taskrace_frame* top, uintptr_t pc, size_t size,
                                      Operation operation) {
    return Intern(Site(pc, ContextOf(top), size, operation));
  }
  [[gnu::always_inline]] Where Intern(const Site& site) {
    const CacheEntry& cached = cache_[SlotOf(site)];
    return cached.site == site ? cached.where : InternUncached(site);
  }

  // The context of a frame; walks up to the nearest frame that knows its own, then back down.
  [[gnu::always_inline]] ContextId ContextOf(__taskrace_frame* frame) {
    return frame->context != 0 ? ContextId{frame->context} : FindContext(frame);
  }

  const Site& operator[](Where where) const { return sites_[static_cast<uint32_t>(where)]; }

  // Calls visit(return address) from the innermost frame outward.
  template <class Visit>
  void ForEachFrame(ContextId context, Visit visit) const {
    for (uint32_t id = Index(context); id > kBase;) {
      const Node& node = nodes_[id - kBase];
      visit(node.return_address);
      id = node.parent;
    }
  }

  size_t BytesUsed() const { return nodes_.BytesUsed() + sites_.BytesUsed() + sizeof(*this); }

 private:
  static constexpr size_t kCacheSize = 4096;
  // A program with more distinct stacks than this gets shortened ones: new callers are left out.
  static constexpr size_t kMostNodes = size_t{1} << 26;

  struct Node {
    uintptr_t return_address;
    uint32_t parent;
    uint32_t folded = 0;  // the context that it is in place of one of its own; 0: none
    uint64_t Hash() const { return Mix(return_address ^ (uint64_t{parent} << 40)); }
    bool operator==(const Node& other) const {
      return return_address == other.return_address && parent == other.parent;
    }
  };
  static_assert(sizeof(Node) == 16);
  struct CacheEntry {
    Site site;  // no site has pc 0
    Where where;
  };
  struct Called {
    Node call;  // none returns to 0
    uint32_t context;
  };

  [[gnu::noinline]] ContextId FindContext(__taskrace_frame* frame) {
    __taskrace_frame* known = frame - 1;
    while (known->context == 0) --known;
    for (; known != frame; ++known) {
      __taskrace_frame* next = known + 1;
      if (nodes_.Size() >= kMostNodes) {
        next->context = known->context;
      } else {
        next->context =
            CalledFrom({reinterpret_cast<uintptr_t>(next->return_address), known->context});
      }
    }
    return ContextId{frame->context};
  }
  [[gnu::noinline]] Where InternUncached(Site site) {
    const Where where{sites_.Intern(site)};
    cache_[SlotOf(site)] = {site, where};
    return where;
  }

  // The context of a call.
  uint32_t CalledFrom(const Node& call) {
    Called& called = called_[(call.return_address ^ call.parent * 0x9E3779B9u) % kCacheSize];
    if (called.call != call) called = {call, InternCall(call)};
    return called.context;
  }
  [[gnu::noinline]] uint32_t InternCall(const Node& call) {
    const size_t before = nodes_.Size();
    const uint32_t number = nodes_.Intern(call);
    if (nodes_.Size() != before) [[unlikely]]
      nodes_.At(number).folded = Folded(nodes_, call.return_address, call.parent);
    const uint32_t folded = nodes_[number].folded;
    return folded != 0 ? folded : kBase + number;
  }
  // Cheap: this is on the way of every access that is remembered.
  static size_t SlotOf(const Site& site) {
    return (site.pc ^ Index(site.context) * 0x9E3779B9u ^ site.what) % kCacheSize;
  }

  InternTable<Node> nodes_;
  InternTable<Site> sites_;
  CacheEntry cache_[kCacheSize] = {};
  Called called_[kCacheSize] = {};
};

// Writes the place, then its callers from the innermost outward, as far as there is room; returns how
// many. Of `contexts` of any kind.
template <class AnyContexts>
size_t WriteStack(const AnyContexts& contexts, Where where, std::span<uintptr_t> frames) {
  const Contexts::Site site = contexts[where];
  size_t count = 0;
  const auto add = [&](uintptr_t address) {
    if (count < frames.size()) frames[count++] = address;
  };
  add(site.pc);
  contexts.ForEachFrame(site.context, add);
  return count;
}

}  // namespace taskrace
