// crypt: IDEA encryption and decryption of an array of bytes.
// From:   SPD3 (Crypt, size C: 50 000 000 bytes), after Java Grande.
//         (The paper speaks of 20 million; its 149 MB are three arrays of 50 million.)
// Tasks:  one async a block of 8 bytes, some hundred operations each.
#include <array>
#include <cstdint>
#include <cstring>
#include <taskrace/tasks.hpp>
#include <utility>
#include <vector>

#include "../common.h"

constexpr long kBlock = 8;
constexpr int kRounds = 8;

using Word = std::uint16_t;
using Words = std::array<Word, 4>;
using Keys = std::array<Word, 6 * kRounds + 4>;

// The product modulo 2^16 + 1, where 0 stands for 2^16.
Word Multiply(Word a, Word b) {
  const std::uint32_t product = std::uint32_t{a} * b;
  if (product == 0) return static_cast<Word>(1 - a - b);
  const std::uint32_t low = product & 0xffff, high = product >> 16;
  return static_cast<Word>(low - high + (low < high));
}

// What Multiply takes back: x^(65537 - 2).
Word Inverse(Word x) {
  Word result = 1;
  for (int bit = 15; bit >= 0; --bit) {
    result = Multiply(result, result);
    if ((0xffff >> bit) & 1) result = Multiply(result, x);
  }
  return result;
}

Word Negated(Word x) { return static_cast<Word>(-x); }

// Eight words of the user's key at a time, the key turned left by 25 bits each time.
Keys EncryptionKeys(const std::array<Word, 8>& user) {
  Keys keys;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::size_t turn = 25 * (i / 8), bit = 16 * (i % 8) + turn;
    const std::size_t word = bit / 16 % 8, shift = bit % 16;
    const std::uint32_t pair = std::uint32_t{user[word]} << 16 | user[(word + 1) % 8];
    keys[i] = static_cast<Word>(pair >> (16 - shift));
  }
  return keys;
}

// The encryption's keys backwards, each undone.
Keys DecryptionKeys(const Keys& encryption) {
  Keys keys;
  for (int round = 0; round <= kRounds; ++round) {
    const Word* const from = &encryption[6 * (kRounds - round)];
    Word* const to = &keys[6 * round];
    const bool outer = round == 0 || round == kRounds;
    to[0] = Inverse(from[0]);
    to[1] = Negated(from[outer ? 1 : 2]);
    to[2] = Negated(from[outer ? 2 : 1]);
    to[3] = Inverse(from[3]);
    if (round < kRounds) {
      to[4] = from[-2];
      to[5] = from[-1];
    }
  }
  return keys;
}

Words Cipher(Words x, const Keys& keys) {
  const Word* key = keys.data();
  for (int round = 0; round < kRounds; ++round, key += 6) {
    x[0] = Multiply(x[0], key[0]);
    x[1] = static_cast<Word>(x[1] + key[1]);
    x[2] = static_cast<Word>(x[2] + key[2]);
    x[3] = Multiply(x[3], key[3]);
    const Word first = Multiply(static_cast<Word>(x[0] ^ x[2]), key[4]);
    const Word second = Multiply(static_cast<Word>(first + (x[1] ^ x[3])), key[5]);
    const Word both = static_cast<Word>(first + second);
    const Word middle = static_cast<Word>(x[1] ^ both);
    x[0] ^= second;
    x[1] = static_cast<Word>(x[2] ^ second);
    x[2] = middle;
    x[3] ^= both;
  }
  return {Multiply(x[0], key[0]), static_cast<Word>(x[2] + key[1]),
          static_cast<Word>(x[1] + key[2]), Multiply(x[3], key[3])};
}

void CipherBlock(const unsigned char* in, unsigned char* out, const Keys& keys) {
  Words words;
  std::memcpy(words.data(), in, kBlock);
  words = Cipher(words, keys);
  // Seeded race: spd3/crypt
  std::memcpy(out, words.data(), kBlock);
}

void CipherAll(const unsigned char* in, unsigned char* out, long bytes, const Keys& keys) {
  taskrace::finish([&] {
    for (long at = 0; at < bytes; at += kBlock) {
      const long to = bench::kSeeded && at == 0 ? 1 : at;
      taskrace::async([=, &keys] { CipherBlock(in + at, out + to, keys); });
    }
  });
}

// The example of the cipher's authors.
bool PublishedExampleIsRight() {
  const Keys keys = EncryptionKeys({1, 2, 3, 4, 5, 6, 7, 8});
  return Cipher({0, 1, 2, 3}, keys) == Words{0x11fb, 0xed2b, 0x0198, 0x6de5};
}

int main(int argc, char** argv) {
  const bench::Run<1> run(
      "crypt",
      {.parameters = {"bytes"}, .test = {16'000}, .small = {16'000'000}, .paper = {50'000'000}},
      argc, argv);
  const auto [bytes] = run.arguments();
  run.Require(bytes % kBlock == 0 && bytes >= 16, "the bytes are 16 or more, and a multiple of 8");
  bench::Random random(bytes);
  std::array<Word, 8> user;
  for (Word& word : user) word = static_cast<Word>(random.Next());
  const Keys encryption = EncryptionKeys(user), decryption = DecryptionKeys(encryption);
  std::vector<unsigned char> text(static_cast<std::size_t>(bytes)), secret(text), again(text);
  for (unsigned char& byte : text) byte = static_cast<unsigned char>(random.Next());
  run.Kernel([&, bytes = bytes] {
    CipherAll(text.data(), secret.data(), bytes, encryption);
    CipherAll(secret.data(), again.data(), bytes, decryption);
  });
  unsigned long sum = 0;
  for (const unsigned char byte : secret) sum = sum * 31 + byte;
  return run.Result(text == again && text != secret && PublishedExampleIsRight(),
                    static_cast<double>(sum % 1'000'000'007));
}
