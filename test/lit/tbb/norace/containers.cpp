// Containers: a vector that grows in parallel, queues whose elements carry the order, waiting in a bounded queue.
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// CHECK: no schedule of this input has a determinacy race
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_vector.h>
#include <tbb/tbb.h>

#include <algorithm>
#include <cassert>
#include <memory>
#include <string>

int main() {
  tbb::concurrent_vector<std::string> words;
  tbb::parallel_for(0, 200, [&](int i) {
    auto at = words.push_back(std::to_string(i));
    *at += "!";
    auto more = words.grow_by(2, "x");
    *more = "y";
  });
  assert(words.size() == 600 && std::count(words.begin(), words.end(), "y") == 200);
  tbb::parallel_for(words.range(), [](const auto& part) {
    for (std::string& word : part) word += "z";
  });
  words.grow_to_at_least(700, "last");
  assert(words[699] == "last" && words.back() == "last" && words.at(0).back() == 'z');
  tbb::concurrent_vector<int> numbers = {3, 1, 2}, copy(numbers);
  std::sort(copy.begin(), copy.end());
  numbers.resize(2);
  numbers.shrink_to_fit();
  assert(copy[0] == 1 && numbers.size() == 2 && copy != numbers && copy.capacity() >= 3);

  // Producers fill objects, consumers empty them: the queue orders the two.
  tbb::concurrent_queue<std::unique_ptr<int>> queue;
  long taken = 0;
  tbb::task_group group;
  for (int i = 0; i < 20; ++i) group.run([&queue, i] { queue.push(std::make_unique<int>(i)); });
  for (int i = 0; i < 20; ++i) {
    std::unique_ptr<int> item;
    if (queue.try_pop(item)) taken += *item;
  }
  group.wait();
  assert(taken == 190 && queue.empty());

  // A consumer that comes before its producer; a producer that waits for room.
  tbb::concurrent_bounded_queue<int*> bounded;
  bounded.set_capacity(2);
  int cells[10] = {}, sum = 0;
  tbb::task_group both;
  both.run([&] {
    for (int i = 0; i < 10; ++i) {
      int* cell = nullptr;
      bounded.pop(cell);
      sum += *cell;
    }
  });
  both.run([&] {
    for (int i = 0; i < 10; ++i) {
      cells[i] = i;
      bounded.push(&cells[i]);
    }
  });
  both.wait();
  assert(sum == 45);
  both.run([&] {
    try {
      int* cell;
      bounded.pop(cell);
      assert(false);
    } catch (const tbb::user_abort&) {
      sum = 0;
    }
  });
  bounded.abort();
  both.wait();
  assert(sum == 0);
}
