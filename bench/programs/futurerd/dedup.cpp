// dedup: compression of a stream without repetitions, with structured futures.
// From:   FutureRD («large»), after PARSEC. The paper has no general variant.
// Tasks:  a future a chunk for its hash and, if the chunk is new, one that compresses it. Main cuts
//         the stream, tells old from new and writes, in order, always some chunks behind; each
//         future is got once.
#include "../kernels/dedup.h"

#include <deque>
#include <taskrace/tasks.hpp>
#include <utility>

using bench::Bytes;
using bench::ByteView;

class Deduplication {
 public:
  explicit Deduplication(ByteView stream) : chunker_(stream) {}

  bench::Archive Run() {
    while (const auto chunk = chunker_.Next()) {
      hashing_.push_back({*chunk, taskrace::make_future([=] { return bench::Sha1(*chunk); })});
      if (hashing_.size() > kBehind) TellApart();
      if (packing_.size() > kBehind) Write();
    }
    while (!hashing_.empty()) TellApart();
    while (!packing_.empty()) Write();
    return std::move(archive_);
  }

 private:
  static constexpr std::size_t kBehind = 64;

  struct Hashing {
    ByteView chunk;
    taskrace::future<bench::Digest> digest;
  };
  struct Packing {
    long first;
    std::size_t size;
    taskrace::future<Bytes> packed;  // not valid if the chunk is an old one
  };

  void TellApart() {
    const ByteView chunk = hashing_.front().chunk;
    const long first = table_.Add(hashing_.front().digest.get());
    hashing_.pop_front();
    packing_.push_back({first, chunk.size(), {}});
    if (first == next_++) {
      packing_.back().packed = taskrace::make_future([=] { return bench::Pack(chunk); });
    }
  }

  void Write() {
    Packing& packing = packing_.front();
    const Bytes packed = packing.packed.valid() ? packing.packed.get() : Bytes();
    archive_.Append(packing.first, packing.size, packed);
    packing_.pop_front();
  }

  bench::Chunker chunker_;
  std::deque<Hashing> hashing_;
  bench::ChunkTable table_;
  long next_ = 0;  // the number of the chunk that is told apart next
  std::deque<Packing> packing_;
  bench::Archive archive_;
};

int main(int argc, char** argv) {
  const bench::Run<1> run("dedup", bench::kDedupSizes, argc, argv);
  const auto [kilobytes] = run.arguments();
  const Bytes stream = bench::MakeStream(1000 * kilobytes);
  bench::Archive archive;
  run.Kernel([&] { archive = Deduplication(stream).Run(); });
  return run.Result(archive.Holds(stream), static_cast<double>(archive.Size()));
}
