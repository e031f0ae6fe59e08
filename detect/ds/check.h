// CHECK(condition, "sentence") ends the program if a premise of Taskrace itself is broken; always
// on. DCHECK is the same for hot paths: on in debug builds and with TASKRACE_CHECKED, else not
// evaluated. Not for a user's mistakes, which are values or messages of the runtime.
//
// Thread rule: any thread. Cost: one predicted branch. Needs libc only, allocates nothing.
#pragma once

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cstdint>

namespace taskrace {

#if defined(TASKRACE_CHECKED) || !defined(NDEBUG)
inline constexpr bool kChecked = true;
#else
inline constexpr bool kChecked = false;
#endif

// One line of text in a fixed buffer; what does not fit is cut off.
class FixedLine {
 public:
  FixedLine& operator<<(const char* text) {
    size_t length = strlen(text);
    if (length > sizeof(text_) - 1 - size_) length = sizeof(text_) - 1 - size_;
    memcpy(text_ + size_, text, length);
    size_ += length;
    return *this;
  }
  FixedLine& operator<<(uint64_t number) {
    char digits[21] = {};
    char* first = digits + sizeof(digits) - 1;
    do {
      *--first = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    return *this << first;
  }
  const char* Text() const { return text_; }
  // Writes the line to standard error. Nothing can be done if that fails.
  void Print() {
    text_[size_] = '\n';
    if (write(STDERR_FILENO, text_, size_ + 1) < 0) return;
  }

 private:
  char text_[512] = {};
  size_t size_ = 0;
};

[[noreturn, gnu::noinline, gnu::cold]] inline void CheckFailed(const char* sentence,
                                                               const char* condition,
                                                               const char* file, int line) {
  FixedLine message;
  message << "taskrace: internal error at " << file << ":" << static_cast<uint64_t>(line) << ": "
          << sentence << " (" << condition << " is false); please report this as a bug of Taskrace";
  message.Print();
  abort();
}

}  // namespace taskrace

#define CHECK(condition, sentence)    \
  ((condition) ? static_cast<void>(0) \
               : ::taskrace::CheckFailed(sentence, #condition, __FILE_NAME__, __LINE__))
#define DCHECK(condition, sentence) \
  (::taskrace::kChecked ? CHECK(condition, sentence) : static_cast<void>(0))
