// strings: words are made upper case, reversed and numbered.
// Loops:  one iteration a word, with std::string and its memory. The seeded sibling also looks for
//         the longest.
#include <algorithm>
#include <cctype>
#include <string>
#include <taskrace/tasks.hpp>
#include <vector>

#include "../common.h"

std::string RandomWord(bench::Random& random) {
  std::string word(static_cast<std::size_t>(random.Below(25) + 1), ' ');
  for (char& letter : word) letter = static_cast<char>('a' + random.Below(26));
  return word;
}

std::string Converted(const std::string& word, std::size_t number) {
  std::string upper;
  for (const char letter : word) {
    upper += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  std::reverse(upper.begin(), upper.end());
  return upper + ":" + std::to_string(number);
}

int main(int argc, char** argv) {
  const bench::Run<1> run(
      "strings",
      {.parameters = {"words"}, .test = {1000}, .small = {1'000'000}, .paper = {4'000'000}}, argc,
      argv);
  std::vector<std::string> words(static_cast<std::size_t>(run.arguments()[0]));
  bench::Random random(10);
  for (std::string& word : words) word = RandomWord(random);
  std::vector<std::string> converted(words.size());
  std::size_t longest = 0;
  run.Kernel([&] {
    taskrace::parallel_for(std::size_t{0}, words.size(), [&](std::size_t i) {
      std::string word = Converted(words[i], i);
      // Seeded race: loops/strings
      if (bench::kSeeded && word.size() > longest) longest = word.size();
      converted[i] = std::move(word);
    });
  });
  bool right = true;
  double sum = static_cast<double>(longest);
  for (std::size_t i = 0; i < words.size(); ++i) {
    right = right && converted[i] == Converted(words[i], i);
    sum += converted[i][0] * static_cast<double>(converted[i].size());
  }
  return run.Result(right, sum);
}
