// What reports say about an access and the task that made it, in words.
//
// Thread rule: pure functions.
#pragma once

#include <map>
#include <string>

#include "report/report.h"

namespace taskrace::report {

// "the main task", "task 3".
std::string TaskText(uint64_t task);
// "write of 8 bytes", "free of a block of 16 bytes".
std::string Operation(const ReportedAccess& access);
// "task 3 (strand 7)", "iteration 17", "thread 1 of 4", "thread 1": who made the access.
std::string Who(const ReportedAccess& access);
// "task 3", "thread 1": who waits.
std::string Who(const ReportedWait& wait);
// "iteration 17", if the one at this level of the access's chain of creations is one; else empty.
std::string IterationAt(const ReportedAccess& access, size_t level);
// "task 3 created at ", "iteration 17 of the loop at ": the beginning of a sentence about the one at this level of a
// chain of creations. `task`: what to call it if it is a task.
std::string CreatedText(const std::map<size_t, int64_t>& iterations,
                        const std::map<size_t, ThreadOfTeam>& threads, size_t level,
                        const std::string& task);
// The same for a level of an access's chain.
std::string CreatedText(const ReportedAccess& access, size_t level);
// "write-read on 'total'", with what is special about it before: "known race: ".
std::string Headline(const ReportedRace& race);

}  // namespace taskrace::report
