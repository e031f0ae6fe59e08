#include "runtime/tracing.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <new>

#include "runtime/apart.h"
#include "runtime/runtime.h"
#include "runtime/trace_format.h"

namespace taskrace {
namespace {

// The file, with a buffer. Like the log (log.h), it keeps no descriptor in the program.
class Trace {
 public:
  bool Open(const char* path) {
    if (is_open_) return true;
    strcpy(path_, path);
    problem_ = ECANCELED;
    const int problem = RunApart(Create, this);
    is_open_ = problem == 0 && problem_ == 0;
    return is_open_;
  }
  void Stop() {
    is_open_ = false;
    used_ = 0;
  }

  template <class... Numbers>
  void Put(TraceRecord record, Numbers... numbers) {
    static_assert(sizeof...(numbers) <= kMostNumbers);
    if (used_ + kLongestRecord > sizeof(buffer_)) WriteOut();
    buffer_[used_++] = static_cast<uint8_t>(record);
    (PutNumber(static_cast<uint64_t>(numbers)), ...);
  }
  template <class... Numbers>
  void PutBytes(TraceRecord record, uintptr_t first, size_t size, Numbers... numbers) {
    Put(record, Signed(static_cast<int64_t>(first - last_first_)), size, numbers...);
    last_first_ = first;
  }
  // One more number of the record.
  void PutMore(uint64_t number) {
    if (used_ + kLongestNumber > sizeof(buffer_)) WriteOut();
    PutNumber(number);
  }
  static uint64_t Signed(int64_t number) {
    return static_cast<uint64_t>(number) << 1 ^ static_cast<uint64_t>(number >> 63);
  }

  void WriteOut() {
    if (!is_open_ || used_ == 0) return;
    problem_ = ECANCELED;
    if (const int problem = RunApart(Append, this)) problem_ = problem;
    used_ = 0;
    if (problem_ == 0) return;
    Stop();
    FixedLine line;
    line << "the trace could not be written: " << strerrordesc_np(problem_);
    Runtime::Get()->FailAt(line.Text(), 0);
  }

 private:
  static constexpr size_t kLongestNumber = 10, kMostNumbers = 7;
  static constexpr size_t kLongestRecord = 1 + kMostNumbers * kLongestNumber;

  // In the process apart.
  static int Create(void* trace) {
    Trace& self = *static_cast<Trace*>(trace);
    CloseDescriptors();
    const int file = open(self.path_, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0666);
    self.problem_ = file < 0 ? errno : 0;
    return 0;
  }
  static int Append(void* trace) {
    Trace& self = *static_cast<Trace*>(trace);
    CloseDescriptors();
    const int file = open(self.path_, O_WRONLY | O_APPEND | O_NOFOLLOW);
    self.problem_ = file < 0 ? errno : 0;
    for (size_t done = 0; done < self.used_ && self.problem_ == 0;) {
      const ssize_t written = write(file, self.buffer_ + done, self.used_ - done);
      if (written < 0) self.problem_ = errno;
      if (written > 0) done += static_cast<size_t>(written);
    }
    return 0;
  }

  void PutNumber(uint64_t number) {
    for (; number >= 0x80; number >>= 7) buffer_[used_++] = static_cast<uint8_t>(number | 0x80);
    buffer_[used_++] = static_cast<uint8_t>(number);
  }

  bool is_open_ = false;
  int problem_ = 0;
  char path_[Options::kTextSize] = "";
  size_t used_ = 0;
  uintptr_t last_first_ = 0;
  uint8_t buffer_[1 << 16] = {};
};

constinit Trace trace;

TraceRecord RecordOf(AccessKind kind) {
  return static_cast<TraceRecord>(static_cast<int>(TraceRecord::kRead) + static_cast<int>(kind));
}
static_assert(static_cast<int>(TraceRecord::kAtomicWrite) - static_cast<int>(TraceRecord::kRead) ==
              static_cast<int>(AccessKind::kAtomicWrite) - static_cast<int>(AccessKind::kRead));

class Tracing final : public Detection {
 public:
  explicit Tracing(Detection& traced)
      : Detection(traced.execution()), traced_(traced), next_(&traced.Hooks()) {
    active_ = this;
  }

  void OnStart(TaskId task, GroupId finish, StrandId strand) override {
    trace.Put(TraceRecord::kStart, task, finish, strand);
    traced_.OnStart(task, finish, strand);
  }
  OutsideClass OnCreate(TaskId task, TaskId child, How how, GroupId group,
                        StrandId strand) override {
    trace.Put(TraceRecord::kCreate, task, child, how, group, strand);
    return traced_.OnCreate(task, child, how, group, strand);
  }
  OutsideClass OnEnd(TaskId task) override {
    trace.Put(TraceRecord::kEnd, task);
    return traced_.OnEnd(task);
  }
  void OnProceed(TaskId task, StrandId strand) override {
    trace.Put(TraceRecord::kProceed, task, strand);
    traced_.OnProceed(task, strand);
  }
  OutsideClass OnOpen(TaskId task, GroupId finish, StrandId strand) override {
    trace.Put(TraceRecord::kOpen, task, finish, strand);
    return traced_.OnOpen(task, finish, strand);
  }
  OutsideClass OnJoin(TaskId task, GroupId group, How how, std::span<const TaskId> singles,
                      StrandId strand) override {
    trace.Put(TraceRecord::kJoin, task, group, how, strand, singles.size());
    for (const TaskId single : singles) trace.PutMore(Index(single));
    return traced_.OnJoin(task, group, how, singles, strand);
  }
  OutsideClass OnGet(TaskId task, TaskId child, How how, StrandId strand) override {
    trace.Put(TraceRecord::kGet, task, child, how, strand);
    return traced_.OnGet(task, child, how, strand);
  }
  OutsideClass OnBlock(TaskId task) override {
    trace.Put(TraceRecord::kBlock, task);
    return traced_.OnBlock(task);
  }
  OutsideClass OnSet(TaskId task, PromiseId promise) override {
    trace.Put(TraceRecord::kSet, task, promise);
    return traced_.OnSet(task, promise);
  }
  OutsideClass OnGetPromise(TaskId task, PromiseId promise, StrandId strand) override {
    trace.Put(TraceRecord::kGetPromise, task, promise, strand);
    return traced_.OnGetPromise(task, promise, strand);
  }
  void OnOver(PromiseId promise) override { traced_.OnOver(promise); }
  void OnLoop() override { traced_.OnLoop(); }
  void OnPart(TaskId creator, GroupId group) override {
    trace.Put(TraceRecord::kPart, creator, group);
    traced_.OnPart(creator, group);
  }
  void OnRun(bool are_iterations) override { traced_.OnRun(are_iterations); }
  void OnIteration(uint64_t k) override {
    trace.Put(TraceRecord::kIteration, k);
    traced_.OnIteration(k);
  }
  void OnPartEnd(GroupId group) override {
    trace.Put(TraceRecord::kPartEnd, group);
    traced_.OnPartEnd(group);
  }

  void Access(AccessKind kind, uintptr_t first, size_t size, uintptr_t pc,
              Operation operation) override {
    Note(RecordOf(kind), first, size);
    traced_.Access(kind, first, size, pc, operation);
  }
  void Retire(uintptr_t first, size_t size, uintptr_t pc, Operation operation) override {
    Note(TraceRecord::kRetire, first, size);
    traced_.Retire(first, size, pc, operation);
  }
  void Clear(uintptr_t first, size_t size) override {
    trace.PutBytes(TraceRecord::kClear, first, size);
    traced_.Clear(first, size);
  }
  void Flush() override {
    trace.WriteOut();
    traced_.Flush();
  }

  const AccessHooks& Hooks() const override { return kHooks; }
  bool Precedes(StrandId strand) override { return traced_.Precedes(strand); }
  bool Switches() const override { return traced_.Switches(); }
  const char* EngineName() const override { return traced_.EngineName(); }
  OutsideClass Left() const override { return traced_.Left(); }
  const char* HistoryName() const override { return traced_.HistoryName(); }
  Statistics GetStatistics() const override { return traced_.GetStatistics(); }

 private:
  template <class... Numbers>
  void Note(TraceRecord record, uintptr_t first, size_t size, Numbers... numbers) {
    if (execution_.locks != locks_) NoteLocks();
    trace.PutBytes(record, first, size, numbers...);
  }
  void NoteLocks() {
    locks_ = execution_.locks;
    size_t count = 0;
    execution_.lock_sets.ForEach(locks_, [&](uintptr_t, bool) { ++count; });
    trace.Put(TraceRecord::kLocks, count);
    execution_.lock_sets.ForEach(
        locks_, [](uintptr_t lock, bool shared) { trace.PutMore(lock << 1 | (shared ? 1 : 0)); });
  }

  // The hooks. They are jumped to, and jump on: the detector finds the access as its caller.
  template <unsigned kIndex>
  static void Read(const void* address) {
    active_->Note(TraceRecord::kRead, reinterpret_cast<uintptr_t>(address), size_t{1} << kIndex);
    [[clang::musttail]] return active_->next_->read[kIndex](address);
  }
  template <unsigned kIndex>
  static void Write(const void* address) {
    active_->Note(TraceRecord::kWrite, reinterpret_cast<uintptr_t>(address), size_t{1} << kIndex);
    [[clang::musttail]] return active_->next_->write[kIndex](address);
  }
  template <TraceRecord kRecord, auto kHook>
  static void Range(const void* address, size_t size) {
    active_->Note(kRecord, reinterpret_cast<uintptr_t>(address), size);
    [[clang::musttail]] return (active_->next_->*kHook)(address, size);
  }
  template <TraceRecord kRecord, auto kHook>
  static void Rows(const void* address, size_t size, size_t rows, ptrdiff_t distance) {
    active_->Note(kRecord, reinterpret_cast<uintptr_t>(address), size, rows,
                  Trace::Signed(distance));
    [[clang::musttail]] return (active_->next_->*kHook)(address, size, rows, distance);
  }

  template <TraceRecord kRecord, auto kHook>
  static void Parts(const void* address, size_t size, size_t rows, ptrdiff_t distance,
                    __taskrace_parts parts) {
    active_->Note(kRecord, reinterpret_cast<uintptr_t>(address), size, rows,
                  Trace::Signed(distance));
    [[clang::musttail]] return (active_->next_->*kHook)(address, size, rows, distance, parts);
  }

  template <TraceRecord kRecord, auto kHook>
  static void Loop(const void* address, size_t size, size_t rows, ptrdiff_t distance,
                   __taskrace_parts parts, ptrdiff_t step, size_t k, size_t count) {
    active_->Note(kRecord, reinterpret_cast<uintptr_t>(address), size, rows,
                  Trace::Signed(distance), Trace::Signed(step), k, count);
    [[clang::musttail]] return (active_->next_->*kHook)(address, size, rows, distance, parts, step,
                                                        k, count);
  }

  static constexpr AccessHooks kHooks = {
      .read = {Read<0>, Read<1>, Read<2>, Read<3>, Read<4>},
      .write = {Write<0>, Write<1>, Write<2>, Write<3>, Write<4>},
      .read_range = Range<TraceRecord::kRead, &AccessHooks::read_range>,
      .write_range = Range<TraceRecord::kWrite, &AccessHooks::write_range>,
      .read_rows = Rows<TraceRecord::kReadRows, &AccessHooks::read_rows>,
      .write_rows = Rows<TraceRecord::kWriteRows, &AccessHooks::write_rows>,
      .read_parts = Parts<TraceRecord::kReadRows, &AccessHooks::read_parts>,
      .write_parts = Parts<TraceRecord::kWriteRows, &AccessHooks::write_parts>,
      .atomic_read = Range<TraceRecord::kAtomicRead, &AccessHooks::atomic_read>,
      .atomic_write = Range<TraceRecord::kAtomicWrite, &AccessHooks::atomic_write>,
      .loop_read = Loop<TraceRecord::kLoopRead, &AccessHooks::loop_read>,
      .loop_write = Loop<TraceRecord::kLoopWrite, &AccessHooks::loop_write>,
      .iteration = [](size_t, uintptr_t) { return false; },
  };

  static inline constinit Tracing* active_ = nullptr;

  Detection& traced_;
  const AccessHooks* next_;
  LockSet locks_ = kNoLocks;  // as the trace has them
};

}  // namespace

Detection* MakeTracing(const char* path, Detection& traced) {
  if (!trace.Open(path)) return nullptr;
  return new (Map(RoundUpToMapping(sizeof(Tracing)), "the trace")) Tracing(traced);
}

void StopTracing() { trace.Stop(); }

}  // namespace taskrace
