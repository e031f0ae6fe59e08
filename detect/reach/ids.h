// The numbers that name strands, tasks, groups and promises everywhere in the detector.
#pragma once

#include <cstdint>

namespace taskrace {

// A strand. 0: no strand. There are two kinds, each handed out in execution order and never reused: the strands
// of tasks, from 1, which engines know, and iterations of parallel loops (detect/loop_table.h).
enum class StrandId : uint32_t {};
inline constexpr StrandId kNoStrand{0};
inline constexpr StrandId kLastTaskStrand{0x7FFFFFFF};
inline constexpr StrandId kFirstIteration{0x80000000};
// Histories use the larger values for themselves.
inline constexpr StrandId kLastStrand{0xDFFFFFFF};

// A task, in order of creation; the root task is 0.
enum class TaskId : uint32_t {};
inline constexpr TaskId kRootTask{0};

// A scope or a finish, in order of creation, from 1. The root's implicit finish is 1.
enum class GroupId : uint32_t {};
inline constexpr GroupId kNoGroup{0};

// A promise, in order of creation, from 1.
enum class PromiseId : uint32_t {};
inline constexpr PromiseId kNoPromise{0};

constexpr uint32_t Index(StrandId id) { return static_cast<uint32_t>(id); }
constexpr bool IsIteration(StrandId id) { return id >= kFirstIteration; }
constexpr uint32_t Index(TaskId id) { return static_cast<uint32_t>(id); }
constexpr uint32_t Index(GroupId id) { return static_cast<uint32_t>(id); }
constexpr uint32_t Index(PromiseId id) { return static_cast<uint32_t>(id); }

}  // namespace taskrace
