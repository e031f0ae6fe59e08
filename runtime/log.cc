#include "runtime/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

namespace taskrace {

bool Log::Open(const char* directory) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(path_, sizeof(path_), "%s/taskrace.%d.%lx.log", directory, static_cast<int>(getpid()),
             static_cast<unsigned long>(now.tv_nsec + attempt));
    const int opened =
        open(path_, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (opened < 0 && errno == EEXIST) continue;
    if (opened < 0) return false;
    // Out of the way of programs that count on small descriptors being free.
    const int high = fcntl(opened, F_DUPFD_CLOEXEC, 512);
    descriptor_ = high < 0 ? opened : high;
    if (high >= 0) close(opened);
    return true;
  }
  return false;
}

void Log::Abandon() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
  line_.Truncate(0);
}

void Log::BeginLine(const char* type) {
  line_.Truncate(0);
  needs_comma_ = false;
  Append("{", 1);
  Field("t", type);
}

void Log::EndLine() {
  Append("}\n", 2);
  const char* at = &line_[0];
  for (size_t left = line_.Size(); left > 0 && descriptor_ >= 0;) {
    const ssize_t written = write(descriptor_, at, left);
    if (written < 0 && errno != EINTR) break;
    if (written > 0) {
      at += written;
      left -= written;
    }
  }
}

void Log::Field(const char* key, const char* text) {
  Key(key);
  AppendString(text);
}

void Log::Field(const char* key, uint64_t number) {
  Key(key);
  AppendNumber(static_cast<int64_t>(number));
}

void Log::Bool(const char* key, bool value) {
  Key(key);
  value ? Append("true", 4) : Append("false", 5);
}

void Log::BeginObject(const char* key) {
  Key(key);
  Append("{", 1);
  needs_comma_ = false;
}

void Log::EndObject() {
  Append("}", 1);
  needs_comma_ = true;
}

void Log::BeginArray(const char* key) {
  Key(key);
  Append("[", 1);
  needs_comma_ = false;
}

void Log::EndArray() {
  Append("]", 1);
  needs_comma_ = true;
}

void Log::Number(int64_t number) {
  Key(nullptr);
  AppendNumber(number);
}

void Log::Key(const char* key) {
  if (needs_comma_) Append(",", 1);
  needs_comma_ = true;
  if (key == nullptr) return;
  AppendString(key);
  Append(":", 1);
}

void Log::Append(const char* text, size_t size) {
  const size_t at = line_.Size();
  line_.Resize(at + size);
  memcpy(&line_[at], text, size);
}

// Bytes beyond ASCII are written as they are: a path may be anything, and the reader knows.
void Log::AppendString(const char* text) {
  Append("\"", 1);
  for (; *text != '\0'; ++text) {
    const unsigned char c = *text;
    if (c == '"' || c == '\\') {
      const char escaped[] = {'\\', static_cast<char>(c)};
      Append(escaped, 2);
    } else if (c < 0x20 || c == 0x7F) {
      static constexpr char kHex[] = "0123456789abcdef";
      const char escaped[] = {'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15]};
      Append(escaped, 6);
    } else {
      Append(text, 1);
    }
  }
  Append("\"", 1);
}

void Log::AppendNumber(int64_t number) {
  char digits[24];
  char* at = digits + sizeof(digits);
  uint64_t rest = number < 0 ? -static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
  do {
    *--at = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  if (number < 0) *--at = '-';
  Append(at, digits + sizeof(digits) - at);
}

}  // namespace taskrace
