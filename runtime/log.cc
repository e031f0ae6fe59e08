// The log as a mapped file. Create, Extend and GiveAway run in the separate process of apart.h, which has
// descriptors of its own: so they close all, open what they need, and leave the mapping behind.
#include "runtime/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "report/log_format.h"
#include "runtime/apart.h"

namespace taskrace {

int Log::Create(void* argument) {
  Work& work = *static_cast<Work*>(argument);
  Log& log = work.log;
  CloseDescriptors();
  int descriptor = -1;
  for (int attempt = 0; attempt < 100 && descriptor < 0; ++attempt) {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(log.path_, sizeof(log.path_), "%s/taskrace.%d.%lx.log", work.directory,
             static_cast<int>(work.process), static_cast<unsigned long>(now.tv_nsec + attempt));
    descriptor = open(log.path_, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor < 0 && errno != EEXIST) break;
  }
  struct stat status;
  if (descriptor < 0 || fstat(descriptor, &status) != 0) {
    work.problem = errno;
    return 0;
  }
  log.device_ = status.st_dev;
  log.file_ = status.st_ino;
  work.problem = log.MapFile(descriptor, work.bytes);
  if (work.problem != 0) unlink(log.path_);
  return 0;
}

int Log::Extend(void* argument) {
  Work& work = *static_cast<Work*>(argument);
  CloseDescriptors();
  int descriptor;
  work.problem = work.log.OpenAgain(descriptor);
  if (work.problem == 0) work.problem = work.log.MapFile(descriptor, work.bytes);
  return 0;
}

int Log::GiveAway(void* argument) {
  Work& work = *static_cast<Work*>(argument);
  CloseDescriptors();
  int descriptor;
  work.problem = work.log.OpenAgain(descriptor);
  if (work.problem == 0 && fchown(descriptor, getuid(), getgid()) != 0) work.problem = errno;
  return 0;
}

// Checks device and inode: the program may have removed the file, or put another one at its path.
int Log::OpenAgain(int& descriptor) const {
  descriptor = open(path_, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  struct stat status;
  if (descriptor < 0 || fstat(descriptor, &status) != 0) return errno;
  return status.st_dev == device_ && status.st_ino == file_ ? 0 : ENOENT;
}

int Log::MapFile(int descriptor, size_t bytes) {
  // Allocated, not only extended: a full disk fails here, and not with SIGBUS at a later store.
  if (const int problem = posix_fallocate(descriptor, 0, static_cast<off_t>(bytes))) return problem;
  const long mapped = text_ == nullptr ? syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE,
                                                 MAP_SHARED, descriptor, 0L)
                                       : syscall(SYS_mremap, text_, bytes_, bytes, MREMAP_MAYMOVE);
  if (mapped == -1) return errno;
  text_ = reinterpret_cast<char*>(mapped);
  bytes_ = bytes;
  return 0;
}

int Log::RunWork(int (*work)(void*), Work& argument) {
  argument.problem = ECANCELED;  // stays if the process is killed
  const int problem = RunApart(work, &argument);
  return problem != 0 ? problem : argument.problem;
}

int Log::Open(const char* directory) {
  Work work{*this, directory, getpid(), kFirstBytes, 0};
  return RunWork(Create, work);
}

int Log::HandOver() {
  Work work{*this, nullptr, 0, 0, 0};
  return RunWork(GiveAway, work);
}

void Log::Abandon() {
  if (text_ != nullptr) Unmap(text_, bytes_);
  text_ = nullptr;
  bytes_ = used_ = 0;
  kept_ = kKeptForLastLines;
  problem_ = 0;
  line_.Truncate(0);
}

Log::Verdict Log::ReadVerdict() const {
  constexpr size_t kPrefix = sizeof(kVerdictPrefix) - 1;
  const char* at = text_ + used_;
  if (memcmp(at, kVerdictPrefix, kPrefix) != 0) return {};
  Verdict verdict{true, 0, false};
  for (at += kPrefix; *at >= '0' && *at <= '9'; ++at) {
    verdict.reports = verdict.reports * 10 + static_cast<uint64_t>(*at - '0');
  }
  verdict.is_complete = memcmp(at, kVerdictComplete, sizeof(kVerdictComplete) - 1) == 0;
  return verdict;
}

void Log::RemoveVerdict() { memset(text_ + used_, 0, kKeptForVerdict); }

void Log::BeginLine(const char* type) {
  line_.Truncate(0);
  needs_comma_ = false;
  Append("{", 1);
  Field("t", type);
}

bool Log::HasRoom(size_t bytes) {
  const bool are_last = kept_ == kKeptForVerdict;
  if (!is_open() || (problem_ != 0 && !are_last)) return false;
  const size_t needed = used_ + bytes + kept_;
  if (needed > bytes_ && problem_ == 0) {
    Work work{*this, nullptr, 0, std::max(2 * bytes_, RoundUpToMapping(needed)), 0};
    problem_ = RunWork(Extend, work);
  }
  return needed <= bytes_;
}

// The first byte is stored last: a reader that stops at the first zero sees the whole line or none.
void Log::EndLine() {
  Append("}\n", 2);
  const size_t size = line_.Size();
  if (!HasRoom(size)) return;
  char* at = text_ + used_;
  memcpy(at + 1, &line_[1], size - 1);
  std::atomic_ref<char>(*at).store(line_[0], std::memory_order_release);
  used_ += size;
}

void Log::Field(const char* key, const char* text) {
  Key(key);
  AppendString(text);
}

void Log::SignedField(const char* key, int64_t number) {
  Key(key);
  AppendNumber(number);
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
