// What a report says about a piece of memory, in words.
//
// Thread rule: pure functions. Cost: linear in the names.
#pragma once

#include <string>

#include "report/report.h"

namespace taskrace::report {

// "8 bytes".
std::string Bytes(uint64_t size);
// "file:line:column", as far as it is known.
std::string Place(const std::string& file, uint64_t line, uint64_t column = 0);
// Where a frame is: its line, else its module and offset.
std::string FramePlace(const Frame& frame);
// What a race is on, in a few words for the headline.
std::string Subject(const ReportedLocation& location);
// Where the racy bytes are, in a sentence.
std::string LocationSentence(const ReportedRace& race);
// "'guard', declared at a.cpp:3": which lock it is.
std::string LockText(const ReportedLock& lock);

}  // namespace taskrace::report
