// The log of a run (report/log_format.h): JSON lines, each written out with one
// write(2) when complete.
//
// The file is created when its first line is due: a run with nothing to say leaves none.
// Thread rule: one thread at a time. Async-signal-safe. Cost: a system call a line.
#pragma once

#include <cstddef>
#include <cstdint>

#include "detect/ds/mapped_array.h"

namespace taskrace {

class Log {
 public:
  // Creates the file in `directory`, owned and read by this user only. False:
  // no file could be made.
  bool Open(const char* directory);
  bool is_open() const { return descriptor_ >= 0; }
  const char* path() const { return path_; }
  // Leaves the file alone and starts afresh, as a forked process must.
  void Abandon();

  // One line: BeginLine("race"), then fields, objects and arrays, then EndLine().
  void BeginLine(const char* type);
  void EndLine();
  void Field(const char* key, const char* text);
  void Field(const char* key, uint64_t number);
  void Bool(const char* key, bool value);
  void BeginObject(const char* key);  // key may be null inside an array
  void EndObject();
  void BeginArray(const char* key);
  void EndArray();
  void Number(int64_t number);  // an element of an array

 private:
  void Append(const char* text, size_t size);
  void AppendString(const char* text);
  void AppendNumber(int64_t number);
  void Key(const char* key);

  int descriptor_ = -1;
  bool needs_comma_ = false;
  MappedArray<char> line_;
  char path_[4096 + 64] = "";
};

}  // namespace taskrace
