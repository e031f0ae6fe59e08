// Stack variables whose address has left their function, as far as they are alive:
// their names for reports.
//
// Variables that a throw or a longjmp has skipped lie below the stack pointer; they go when
// the next one on their stack comes. Thread rule: the worker; any thread may call Containing(), which finds
// what does not change meanwhile. Cost: a few instructions per variable; 32 bytes for each live one.
// Containing() looks at all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "detect/ds/intern_table.h"
#include "detect/ds/mapped_array.h"
#include "detect/ds/shared_table.h"
#include "taskrace/hooks.h"

namespace taskrace {

class Variables {
 public:
  struct Live {
    uintptr_t first;
    size_t size;
    const __taskrace_variable* variable;
  };

  // Requires: [stack_low, stack_pointer) is the free part of the stack that the variable is on.
  void Begin(uintptr_t first, size_t size, const __taskrace_variable* variable, uintptr_t stack_low,
             uintptr_t stack_pointer) {
    uint32_t& youngest = YoungestOn(stack_low);
    while (youngest != kNone && nodes_[youngest].live.first >= stack_low &&
           nodes_[youngest].live.first < stack_pointer) {
      Free(youngest);
    }
    if (free_ == kNone) free_ = nodes_.Add(cursor_);
    const uint32_t made = free_;
    free_ = nodes_[made].next;
    nodes_[made] = {{first, size, variable}, youngest};
    youngest = made;
  }

  // Requires: stack_low is that of the stack that the variable is on.
  void End(uintptr_t first, uintptr_t stack_low) {
    for (uint32_t* at = &YoungestOn(stack_low); *at != kNone; at = &nodes_[*at].next) {
      if (nodes_[*at].live.first == first) return Free(*at);
    }
  }

  // A variable around the address.
  std::optional<Live> Containing(uintptr_t address) const {
    for (uint32_t i = nodes_.Size(); i-- > 0;) {
      const Node* node = nodes_.Find(i);
      if (node == nullptr) continue;
      const Live live = node->live;
      if (address - live.first < live.size) return live;
    }
    return std::nullopt;
  }

 private:
  static constexpr uint32_t kNone = 0;

  struct Node {
    Live live;      // of size 0: the node is free
    uint32_t next;  // older on the same stack; of a free one, free
  };
  struct Stack {
    uintptr_t low;
    uint64_t Hash() const { return Mix(low); }
    bool operator==(const Stack&) const = default;
  };

  uint32_t& YoungestOn(uintptr_t stack_low) {
    if (stack_low != last_low_) {
      last_low_ = stack_low;
      last_stack_ = stacks_.Intern({stack_low});
      if (youngest_.Size() <= last_stack_) youngest_.Resize(last_stack_ + 1);
    }
    return youngest_[last_stack_];
  }

  // The link leads to the next node instead.
  void Free(uint32_t& link) {
    const uint32_t freed = link;
    link = nodes_[freed].next;
    nodes_[freed] = {{}, free_};
    free_ = freed;
  }

  // Never moved: others may look at them.
  SharedTable<Node> nodes_{"the table of stack variables"};
  SharedTable<Node>::Cursor cursor_;
  InternTable<Stack> stacks_;
  MappedArray<uint32_t> youngest_{"the table of stack variables"};  // of each stack
  uintptr_t last_low_ = 0;
  uint32_t last_stack_ = 0;
  uint32_t free_ = kNone;
};

}  // namespace taskrace
