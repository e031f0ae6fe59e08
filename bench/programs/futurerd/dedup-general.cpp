// dedup: compression of a stream without repetitions, as a pipeline of general futures.
// From:   FutureRD's dedup («large»), after PARSEC. The paper has no general variant; this one
//         shows what k future operations cost when k is large: eleven a chunk.
// Tasks:  four futures a chunk: one hashes it; one tells old from new, in the order of the chunks,
//         for it gets what was told of the chunk before; one compresses it if it is new; one
//         writes, after the chunk before. Tellings and writings are got several times. Main
//         cuts the stream, and gets the writing of the chunk that is 64 behind.
#include <deque>
#include <taskrace/tasks.hpp>
#include <utility>

#include "../kernels/dedup.h"

using bench::Bytes;
using bench::ByteView;

class Deduplication {
 public:
  explicit Deduplication(ByteView stream) : chunker_(stream) {}

  bench::Archive Run() {
    while (const auto chunk = chunker_.Next()) {
      Start(*chunk);
      if (in_flight_.size() > kBehind) Wait();
    }
    while (!in_flight_.empty()) Wait();
    return std::move(archive_);
  }

 private:
  static constexpr std::size_t kBehind = 64;

  struct Told {
    long number;
    long first;  // the number of the first chunk that is equal
    bool IsNew() const { return first == number; }
  };

  void Start(ByteView chunk) {
    auto digest = taskrace::make_future([=] { return bench::Sha1(chunk); });
    told_ = taskrace::make_future([this, before = told_, digest = std::move(digest)]() mutable {
      const long number = before.valid() ? before.get().number + 1 : 0;
      const long first = table_.Add(digest.get());
      return Told{number, first};
    });
    auto packed = taskrace::make_future(
        [chunk, told = told_] { return told.get().IsNew() ? bench::Pack(chunk) : Bytes(); });
    written_ = taskrace::make_future([this, size = chunk.size(), before = written_, told = told_,
                                      packed = std::move(packed)]() mutable {
      if (before.valid()) before.get();
      archive_.Append(told.get().first, size, packed.get());
    });
    in_flight_.push_back(written_);
  }

  void Wait() {
    in_flight_.front().get();
    in_flight_.pop_front();
  }

  bench::Chunker chunker_;
  bench::ChunkTable table_;  // of whoever tells
  taskrace::shared_future<Told> told_;
  taskrace::shared_future<void> written_;
  std::deque<taskrace::shared_future<void>> in_flight_;
  bench::Archive archive_;  // of whoever writes
};

int main(int argc, char** argv) {
  const bench::Run<1> run("dedup-general", bench::kDedupSizes, argc, argv);
  const auto [kilobytes] = run.arguments();
  const Bytes stream = bench::MakeStream(1000 * kilobytes);
  bench::Archive archive;
  run.Kernel([&] { archive = Deduplication(stream).Run(); });
  return run.Result(archive.Holds(stream), static_cast<double>(archive.Size()));
}
