// Calling contexts of a parallel run: one tree and one table of places for all workers, so that equal
// places have equal numbers; and what a worker keeps in front of them.
//
// As detect/contexts.h: frames of the shadow call stack become nodes when somebody asks, and each frame
// keeps its node, and recursion is folded. A frame belongs to the thread whose call it is, so nothing of
// that is shared.
//
// Thread rule: SharedContexts any thread, WorkerContexts one worker.
// Cost:       as contexts.h; the shared tables are asked once for each frame and once for each place
//             that is not among the worker's 1 024.
// Tested by:  test/detect/parallel_hooks_test.cc
#pragma once

#include "detect/contexts.h"
#include "detect/ds/shared_intern_table.h"

namespace taskrace {

class SharedContexts {
 public:
  // Who was called, and from where.
  struct Node {
    uintptr_t return_address;
    uint32_t parent;
    uint64_t Hash() const { return Mix(return_address ^ (uint64_t{parent} << 40)); }
    bool operator==(const Node&) const = default;
  };
  static constexpr uint32_t kBase = Contexts::kBase;

  constexpr SharedContexts() = default;

  const Contexts::Site& operator[](Where where) const {
    return sites[static_cast<uint32_t>(where)];
  }
  // Calls visit(return address) from the innermost frame outward.
  template <class Visit>
  void ForEachFrame(ContextId context, Visit visit) const {
    for (uint32_t id = Index(context); id > kBase; id = nodes[id - kBase].parent) {
      visit(nodes[id - kBase].return_address);
    }
  }
  size_t BytesUsed() const { return nodes.BytesUsed() + sites.BytesUsed(); }

  SharedInternTable<Node> nodes;
  SharedInternTable<Contexts::Site> sites;
};

class WorkerContexts {
 public:
  explicit constexpr WorkerContexts(SharedContexts& shared) : shared_(shared) {}

  // The number for an access by the function whose frame is `top`.
  Where Intern(__taskrace_frame* top, uintptr_t pc, size_t size, Operation operation) {
    return Intern(Contexts::Site(pc, ContextOf(top), size, operation));
  }
  Where Intern(const Contexts::Site& site) {
    Known& known = known_[(site.pc ^ Index(site.context) * 0x9E3779B9u ^ site.what) % kKnown];
    if (!(known.site == site)) [[unlikely]]
      known = {site, shared_.sites.Intern(sites_, site)};
    return Where{known.where};
  }

  // The context of a frame; walks up to the nearest frame that knows its own, then back down.
  ContextId ContextOf(__taskrace_frame* frame) {
    if (frame->context != 0) [[likely]]
      return ContextId{frame->context};
    __taskrace_frame* known = frame - 1;
    while (known->context == 0) --known;
    for (; known != frame; ++known) {
      known[1].context =
          Called(reinterpret_cast<uintptr_t>(known[1].return_address), known->context);
    }
    return ContextId{frame->context};
  }

 private:
  uint32_t Called(uintptr_t return_address, uint32_t context) {
    KnownCall& known = known_calls_[(return_address ^ context * 0x9E3779B9u) % kKnown];
    if (known.return_address != return_address || known.context != context) [[unlikely]] {
      const uint32_t folded = Contexts::Folded(shared_.nodes, return_address, context);
      known = {return_address, context,
               folded != 0 ? folded
                           : SharedContexts::kBase +
                                 shared_.nodes.Intern(nodes_, {return_address, context})};
    }
    return known.called;
  }

  struct KnownCall {
    uintptr_t return_address;  // 0: none
    uint32_t context;
    uint32_t called;
  };
  struct Known {
    Contexts::Site site;  // no site has pc 0
    uint32_t where;
  };
  static constexpr size_t kKnown = 1024;

  SharedContexts& shared_;
  SharedInternTable<SharedContexts::Node>::Cursor nodes_;
  SharedInternTable<Contexts::Site>::Cursor sites_;
  Known known_[kKnown] = {};
  KnownCall known_calls_[kKnown] = {};
};

}  // namespace taskrace
