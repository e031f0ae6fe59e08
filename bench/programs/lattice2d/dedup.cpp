// dedup: compression of a stream without repetitions, as a linear pipeline.
// From:   the pipelines of Dimitrov, Vechev and Sarkar, who measure no program. Sizes are those of
//         FutureRD's dedup, after PARSEC.
// Tasks:  the pipeline's: a chunk's hash and its compression go in parallel with those of others,
//         in between it is told whether the chunk is new, at the end it is written, both in order.
#include "../kernels/dedup.h"

#include <taskrace/tasks.hpp>
#include <utility>

using bench::Bytes;
using bench::ByteView;

struct Hashed {
  ByteView chunk;
  bench::Digest digest;
};
struct Known {
  ByteView chunk;
  long first;
  bool is_new;
};
struct Packed {
  long first;
  std::size_t size;
  Bytes bytes;
};

bench::Archive Deduplicate(ByteView stream) {
  bench::Chunker chunker(stream);
  bench::ChunkTable table;
  bench::Archive archive;
  taskrace::pipeline(
      [&] { return chunker.Next(); },
      taskrace::parallel([](ByteView chunk) { return Hashed{chunk, bench::Sha1(chunk)}; }),
      taskrace::serial([&, next = 0L](const Hashed& hashed) mutable {
        const long first = table.Add(hashed.digest);
        return Known{hashed.chunk, first, first == next++};
      }),
      taskrace::parallel([](const Known& known) {
        return Packed{known.first, known.chunk.size(),
                      known.is_new ? bench::Pack(known.chunk) : Bytes()};
      }),
      taskrace::serial(
          [&](const Packed& packed) { archive.Append(packed.first, packed.size, packed.bytes); }));
  return archive;
}

int main(int argc, char** argv) {
  const bench::Run<1> run("dedup", bench::kDedupSizes, argc, argv);
  const auto [kilobytes] = run.arguments();
  const Bytes stream = bench::MakeStream(1000 * kilobytes);
  bench::Archive archive;
  run.Kernel([&] { archive = Deduplicate(stream); });
  return run.Result(archive.Holds(stream), static_cast<double>(archive.Size()));
}
