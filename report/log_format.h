// The log: what the runtime writes while the program runs, and the reporter reads afterwards.
//
// One JSON object a line, there as a whole the moment it is known, so that a program that is killed
// loses nothing but the line it was in. The text ends at the first zero byte or at the end of the file;
// a reader ignores an incomplete last line. Key "t" says what a line is:
//
//   start    {"t":"start","version":"0.1","pid":7,"program":"./a.out","engine":"spbags",
//             "why":"...","history":"shadow","options":{every option of options.def by name},
//             "forked":false}           first line of every log; numbers are numbers
//   module   {"t":"module","id":0,"path":"/dir/a.out","instrumented":true}   before its first use,
//             and again when it turns out to be instrumented
//   race     {"t":"race","id":1,"class":"race" or "lock-order","address":N,"size":4,
//             "accesses":[A,A],"location":L}        A, L below; first access: the earlier one,
//             with exec=parallel either
//   count    {"t":"count","id":1,"n":12}            how often race 1 was seen; the last one counts
//   joined   {"t":"joined","id":1,"task":0,"strand":9,"stack":S}    of race 1: where both accesses are joined. The
//             strand is the first that begins with a join and that both accesses precede
//   deadlock {"t":"deadlock","count":2,"waiting":[{"task":3,"for":"a promise","stack":S,"made":S,
//             "created":[S, ...],"ancestors":[1, 0]}, ...]}   the first thousand; "made":
//             what is waited for, if known
//   message  {"t":"message","severity":"error" or "warning","text":"...",
//             "stacks":[{"label":"made here","stack":S}, ...]}
//   stats    {"t":"stats","tasks":8,"strands":25, ...}    counters, all numbers
//   engine   {"t":"engine","engine":"donesets","why":"..."}     instead of the one so far
//   end      {"t":"end","how":"exit","code":0} or {"t":"end","how":"signal","code":11},
//             or "how":"stop": the runtime ended the program, and the code stands
//
//   verdict  {"t":"verdict","reports":2,"complete":true}    what the reporter adds when it has done:
//             how many races it reported; whether all that was asked for could be written
//
//   S  a stack: [[module id, offset in its file's address space], ...], innermost frame first.
//      Entries are return addresses. Module id -1: no module is known, the offset is the address.
//   A  {"op":"read|write|atomic-read|atomic-write|free|scope-end","size":4,"task":3,"strand":7,
//       "locks":[address, ...],"lock_locations":[L, ...],"stack":S,"created":[S, ...]}
//      "created": where the task was created, where the creator of that task was, ... out to main.
//      May have "iterations":[level, number, ...]: of the task (level 0) and its ancestors (from 1 on) those
//      that are iterations of a parallel loop, created where that is; "loop":true: all of them.
//      May have "threads":[level, number, size, ...]: which of them are threads of teams of so many; size 0: a thread that the
//      program has started.
//      May have "ancestors":[1, ..., 0], the creators' numbers in the same order; if the last one
//      is not 0, the chain was cut.
//   L  {"what":"heap","start":N,"size":N,"stack":S}
//      {"what":"stack","start":N,"size":N,"name":"x","function":"f","file":"f.cc","line":3}
//      {"what":"future" or "promise","stack":S}     the value of one; where it was made
//      {"what":"global","module":0,"offset":N}
//      {"what":"worker","name":"this_worker() == 3"}      of a lock: what stands for a worker's number
//      {"what":"tls"}
//      {"what":"unknown","start":N,"size":N,"stack":S}    the heap block that ends before, if one is near
#pragma once

namespace taskrace {

inline constexpr char kVersion[] = "0.1";

// Exit codes of the reporter: 0 nothing to report, kReported races were reported, 2 it failed. The
// runtime does not use them: anybody may wait for a child, and it may be killed.
inline constexpr int kReported = 1;

// The verdict, exactly: the prefix, a number, and one of the two ends.
inline constexpr char kVerdictPrefix[] = R"({"t":"verdict","reports":)";
inline constexpr char kVerdictComplete[] = R"(,"complete":true})";
inline constexpr char kVerdictIncomplete[] = R"(,"complete":false})";

// What a program exits with when all of its tasks wait for each other.
inline constexpr int kDeadlock = 67;

}  // namespace taskrace
