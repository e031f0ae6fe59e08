// The log of a run (report/log_format.h): JSON lines in a file that is mapped, each there as a whole
// or not at all.
//
// It uses no descriptor, which the program could close, use up or reuse: the file is
// made and extended apart (apart.h). Room is allocated before it is mapped, and a line is written
// only into such room: no write can fail later, and what is written is there when the program is killed.
// The file is made when its first line is due: a run with nothing to say leaves none.
//
// Invariants: 1. Behind the lines there are zeros up to the end of the file.
//             2. After a line that did not fit, none follows but the last ones of a log, for which
//                room was kept: what is missing is missing at the end.
// Thread rule: one thread at a time. Async-signal-safe. Cost: a copy of the line; a clone(2) whenever
// the size has doubled.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "detect/ds/mapped_array.h"

namespace taskrace {

class Log {
 public:
  // Maps what a line needs, so that there is some when memory runs out.
  void SetUp() { line_.Resize(1); }
  // Creates the file in `directory`, owned and read by this user only. Returns 0 or the errno.
  int Open(const char* directory);
  bool is_open() const { return text_ != nullptr; }
  const char* path() const { return path_; }
  // The errno for which lines are missing, or 0.
  int problem() const { return problem_; }
  // Leaves the file alone and starts afresh, as a forked process must.
  void Abandon();
  // The lines from now on are the last ones and may use the room that was kept for them.
  void BeginLastLines() { kept_ = kKeptForVerdict; }
  // Changes the owner of the file to the user who started the program, so that a reporter without other rights can read it.
  int HandOver();

  // What the reporter has written behind the last line.
  struct Verdict {
    bool is_there;
    uint64_t reports;
    bool is_complete;
  };
  Verdict ReadVerdict() const;
  // To be called before more lines are written.
  void RemoveVerdict();

  // One line: BeginLine("race"), then fields, objects and arrays, then EndLine().
  void BeginLine(const char* type);
  void EndLine();
  void Field(const char* key, const char* text);
  void Field(const char* key, uint64_t number);
  void SignedField(const char* key, int64_t number);
  void Bool(const char* key, bool value);
  void BeginObject(const char* key);  // key may be null inside an array
  void EndObject();
  void BeginArray(const char* key);
  void EndArray();
  void Number(int64_t number);  // an element of an array

 private:
  static constexpr size_t kFirstBytes = 4 * kMappingUnit;
  static constexpr size_t kKeptForVerdict = 128;
  static constexpr size_t kKeptForLastLines = kMappingUnit;

  struct Work {
    Log& log;
    const char* directory;
    pid_t process;
    size_t bytes;
    int problem;
  };
  // In the process apart.
  static int Create(void* work);
  static int Extend(void* work);
  static int GiveAway(void* work);
  int OpenAgain(int& descriptor) const;
  // Allocates the file up to `bytes` and maps it.
  int MapFile(int descriptor, size_t bytes);

  int RunWork(int (*work)(void*), Work& argument);
  // True if a line of this size can be written.
  bool HasRoom(size_t bytes);
  void Append(const char* text, size_t size);
  void AppendString(const char* text);
  void AppendNumber(int64_t number);
  void Key(const char* key);

  char* text_ = nullptr;  // the file, mapped
  size_t bytes_ = 0;      // of it
  size_t used_ = 0;       // by lines
  size_t kept_ = kKeptForLastLines;
  int problem_ = 0;
  dev_t device_ = 0;
  ino_t file_ = 0;
  bool needs_comma_ = false;
  MappedArray<char> line_;
  char path_[4096 + 64] = "";
};

}  // namespace taskrace
