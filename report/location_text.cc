#include "report/location_text.h"

#include <fmt/format.h>

#include "report/bytes.h"
#include "report/counted.h"
#include "report/function_name.h"

namespace taskrace::report {

std::string Bytes(uint64_t size) { return Counted(size, "byte"); }

std::string Place(const std::string& file, uint64_t line, uint64_t column) {
  std::string place = Printable(ShownPath(file));
  if (line > 0) place += fmt::format(":{}", line);
  if (line > 0 && column > 0) place += fmt::format(":{}", column);
  return place;
}

std::string FramePlace(const Frame& frame) {
  if (!frame.file.empty()) return Place(frame.file, frame.line, frame.column);
  if (frame.module.empty()) return fmt::format("({:#x})", frame.offset);
  return fmt::format("({}+{:#x})", Printable(ShownPath(frame.module)), frame.offset);
}

std::string Subject(const ReportedLocation& location) {
  if (!location.name.empty()) return fmt::format("'{}'", Printable(ShortName(location.name, 60)));
  if (location.what == "heap") return fmt::format("a heap block of {}", Bytes(location.size));
  if (location.IsValue()) return fmt::format("the value of a {}", location.what);
  if (location.what == "stack") return "a stack variable";
  if (location.what == "global") return "a global variable";
  if (location.what == "tls") return "a thread_local variable";
  return "memory";
}

namespace {

std::string Declared(const ReportedLocation& location) {
  return location.file.empty()
             ? ""
             : fmt::format(", declared at {}", Place(location.file, location.line));
}

std::string HeapBlock(const ReportedLocation& location) {
  const Frame* frame = UserFrame(location.allocated_at);
  return fmt::format("a heap block of {}{}", Bytes(location.size),
                     frame == nullptr ? "" : " allocated at " + FramePlace(*frame));
}

}  // namespace

std::string LocationSentence(const ReportedRace& race) {
  const ReportedLocation& location = race.location;
  const auto part = [&] {
    if (location.size == 0 || (location.offset == 0 && race.size >= location.size))
      return std::string();
    const std::string member =
        location.member.empty() ? "" : ", that is " + Printable(location.name + location.member);
    if (race.size <= 1) return fmt::format("; byte {} of it{}", location.offset, member);
    return fmt::format("; bytes {} to {} of it{}", location.offset, location.offset + race.size - 1,
                       member);
  };
  const std::string name = Printable(ShortName(location.name, 60));
  const std::string declared = Declared(location);
  if (location.what == "global") {
    if (name.empty())
      return fmt::format("a global variable without a symbol, at {:#x}", race.address);
    return fmt::format("global variable '{}' ({}){}{}", name, Bytes(location.size), declared,
                       part());
  }
  if (location.what == "heap") {
    return HeapBlock(location).substr(2) + part();
  }
  if (location.IsValue()) {
    const Frame* frame = UserFrame(location.allocated_at);
    return fmt::format("the value of a {}{}", location.what,
                       frame == nullptr ? "" : " made at " + FramePlace(*frame));
  }
  if (location.what == "stack") {
    if (name.empty() && location.function.empty()) {
      return fmt::format("a variable on the stack, at {:#x}", race.address);
    }
    return fmt::format(
        "stack variable '{}' ({}){}{}{}", name.empty() ? "(unnamed)" : name, Bytes(location.size),
        location.function.empty() ? ""
                                  : " of function " + Printable(ShortName(location.function, 50)),
        declared, part());
  }
  if (location.what == "tls") return fmt::format("a thread_local variable, at {:#x}", race.address);
  if (location.size == 0) {
    return fmt::format("memory at {:#x}, which is not inside any live block", race.address);
  }
  return fmt::format("memory at {:#x}, {} past the end of {}", race.address, Bytes(location.offset),
                     HeapBlock(location));
}

std::string LockText(const ReportedLock& lock) {
  const ReportedLocation& location = lock.location;
  if (!location.name.empty()) {
    return fmt::format("'{}'{}", Printable(ShortName(location.name, 60) + location.member),
                       Declared(location));
  }
  if (location.what == "heap") {
    return fmt::format("at byte {} of {}", location.offset, HeapBlock(location));
  }
  return fmt::format("{:#x}", lock.address);
}

}  // namespace taskrace::report
