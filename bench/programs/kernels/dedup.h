// Compression without repetitions, but for its tasks: a stream is cut in chunks where a rolling
// hash of its content says so, chunks are told apart by their SHA-1, and each is compressed (zlib)
// where it comes first; later ones refer to it.
//
// The steps of a chunk: Chunker::Next, Sha1, ChunkTable::Add, Pack if it is new, Archive::Append.
// Thread rule: Sha1 and Pack are for any task; the others have a state, and go chunk by chunk.
// Cost: linear in the bytes. The stream is in memory.
#ifndef TASKRACE_BENCH_PROGRAMS_KERNELS_DEDUP_H
#define TASKRACE_BENCH_PROGRAMS_KERNELS_DEDUP_H

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../common.h"

namespace bench {

// PARSEC's «large» has 184 MB; chunks of 1.5 kB make about as many tasks as the paper counts.
inline constexpr Sizes<1> kDedupSizes = {
    .parameters = {"kilobytes"}, .test = {200}, .small = {20'000}, .paper = {184'000}};

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

// Text of few words; about half of it has been there before.
inline Bytes MakeStream(long size) {
  constexpr long kSegment = 24'000, kWords = 4096, kMaxWord = 11;
  Random random(1);
  std::array<std::array<std::uint8_t, kMaxWord>, kWords> words;
  for (auto& word : words) {
    for (std::uint8_t& letter : word) letter = static_cast<std::uint8_t>('a' + random.Below(26));
  }
  Bytes stream(static_cast<std::size_t>(size));
  long at = 0;
  while (at < size) {
    const long end = std::min(size, at + kSegment);
    if (at > kSegment && random.Below(2) == 0) {
      const long from = random.Below(at - kSegment);
      std::copy_n(stream.begin() + from, end - at, stream.begin() + at);
      at = end;
    }
    while (at < end) {
      const auto& word = words[random.Below(kWords)];
      const long length = std::min(2 + random.Below(kMaxWord - 2), end - at - 1);
      std::copy_n(word.begin(), length, stream.begin() + at);
      at += length;
      stream[at++] = ' ';
    }
  }
  return stream;
}

// Cuts a stream where its last bytes look as one place in 1024 does.
class Chunker {
 public:
  explicit Chunker(ByteView stream) : rest_(stream) {
    Random random(2);
    for (std::uint64_t& turn : turns_) turn = random.Next();
  }

  // The next chunk, nothing at the end.
  std::optional<ByteView> Next() {
    if (rest_.empty()) return std::nullopt;
    const std::size_t most = std::min(rest_.size(), kMost);
    std::uint64_t hash = 0;
    std::size_t size = std::min(rest_.size(), kLeast);
    // A byte is shifted out of the hash by the 64 after it.
    for (std::size_t i = size - std::min(size, std::size_t{64}); i < size; ++i) Roll(hash, i);
    while (size < most && (hash >> 54) != 0) Roll(hash, size++);
    const ByteView chunk = rest_.first(size);
    rest_ = rest_.subspan(size);
    return chunk;
  }

 private:
  static constexpr std::size_t kLeast = 512, kMost = 16'384;

  void Roll(std::uint64_t& hash, std::size_t i) const { hash = (hash << 1) + turns_[rest_[i]]; }

  ByteView rest_;
  std::array<std::uint64_t, 256> turns_;
};

using Digest = std::array<std::uint32_t, 5>;

// FIPS 180-4, section 6.1.
class Sha1Hasher {
 public:
  // All of a message.
  Digest Hash(ByteView message) {
    const std::uint64_t bits = 8 * std::uint64_t{message.size()};
    for (; message.size() >= kBlock; message = message.subspan(kBlock)) Add(message.data());
    std::array<std::uint8_t, 2 * kBlock> tail = {};
    std::copy(message.begin(), message.end(), tail.begin());
    tail[message.size()] = 0x80;
    const std::size_t length = message.size() + 9 <= kBlock ? kBlock : 2 * kBlock;
    for (std::size_t i = 0; i < 8; ++i) {
      tail[length - 1 - i] = static_cast<std::uint8_t>(bits >> (8 * i));
    }
    for (std::size_t i = 0; i < length; i += kBlock) Add(tail.data() + i);
    return state_;
  }

 private:
  static constexpr std::size_t kBlock = 64;

  void Add(const std::uint8_t* block) {
    std::array<std::uint32_t, 80> w;
    for (std::size_t i = 0; i < 16; ++i) {
      w[i] = std::uint32_t{block[4 * i]} << 24 | std::uint32_t{block[4 * i + 1]} << 16 |
             std::uint32_t{block[4 * i + 2]} << 8 | std::uint32_t{block[4 * i + 3]};
    }
    for (std::size_t i = 16; i < 80; ++i) {
      w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    }
    auto [a, b, c, d, e] = state_;
    for (std::size_t i = 0; i < 80; ++i) {
      const auto [mixed, constant] = i < 20   ? std::pair((b & c) | (~b & d), 0x5a827999u)
                                     : i < 40 ? std::pair(b ^ c ^ d, 0x6ed9eba1u)
                                     : i < 60 ? std::pair((b & c) | (b & d) | (c & d), 0x8f1bbcdcu)
                                              : std::pair(b ^ c ^ d, 0xca62c1d6u);
      const std::uint32_t sum = std::rotl(a, 5) + mixed + e + constant + w[i];
      e = std::exchange(d,
                        std::exchange(c, std::rotl(std::exchange(b, std::exchange(a, sum)), 30)));
    }
    state_[0] += a;
    state_[1] += b;
    state_[2] += c;
    state_[3] += d;
    state_[4] += e;
  }

  Digest state_ = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
};

inline Digest Sha1(ByteView message) { return Sha1Hasher().Hash(message); }

// Which chunk was the first with its digest.
class ChunkTable {
 public:
  // Gives the chunk the next number; returns the number of the first one that is equal, which may
  // be this one.
  long Add(const Digest& digest) { return first_.try_emplace(digest, count_++).first->second; }

 private:
  struct Start {
    std::size_t operator()(const Digest& digest) const { return digest[0]; }
  };

  long count_ = 0;
  std::unordered_map<Digest, long, Start> first_;
};

[[maybe_unused]] inline unsigned long bytes_packed = 0;

// The chunk, compressed.
inline Bytes Pack(ByteView chunk) {
  uLongf size = compressBound(chunk.size());
  Bytes packed(size);
  if (compress(packed.data(), &size, chunk.data(), chunk.size()) != Z_OK) std::abort();
  packed.resize(size);
  // Seeded race: futurerd/dedup, futurerd/dedup-general, lattice2d/dedup
  if constexpr (kSeeded) bytes_packed += size;
  return packed;
}

class Archive {
 public:
  // The next chunk: `first` is the first one that is equal; `packed` is empty if that is another.
  void Append(long first, std::size_t size, const Bytes& packed) {
    chunks_.push_back({first, size, data_.size(), packed.size()});
    data_.insert(data_.end(), packed.begin(), packed.end());
  }

  std::size_t Size() const { return data_.size() + chunks_.size() * sizeof(Entry); }

  // Whether the stream comes out again.
  bool Holds(ByteView stream) const {
    Bytes unpacked;
    for (const Entry& entry : chunks_) {
      const Entry& first = chunks_[entry.first];
      uLongf size = entry.size;
      unpacked.resize(entry.size);
      if (entry.size > stream.size() || first.packed_size == 0) return false;
      const int code =
          uncompress(unpacked.data(), &size, data_.data() + first.offset, first.packed_size);
      if (code != Z_OK || size != entry.size) return false;
      if (!std::equal(unpacked.begin(), unpacked.end(), stream.begin())) return false;
      stream = stream.subspan(entry.size);
    }
    return stream.empty();
  }

 private:
  struct Entry {
    long first;
    std::size_t size, offset, packed_size;
  };

  std::vector<Entry> chunks_;
  Bytes data_;
};

}  // namespace bench

#endif
