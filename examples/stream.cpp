// Prime numbers, from one task to the next: a stream is a list whose rest is a promise. Whoever
// reads it waits where the writer has not come to yet.
//   usage: stream [below]
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <taskrace/tasks.hpp>
#include <utility>

struct cell;
using list = std::shared_ptr<const cell>;  // null: the end
struct cell {
  long number;
  taskrace::shared_future<list> rest;
};

// Writes a stream: number by number, then the end.
class writer {
 public:
  taskrace::shared_future<list> begin() const { return end_.get_future(); }
  void write(long number) {
    taskrace::promise<list> next;
    end_.set_value(std::make_shared<const cell>(cell{number, next.get_future()}));
    end_ = std::move(next);
  }
  void close() { end_.set_value(nullptr); }

 private:
  taskrace::promise<list> end_;
};

// Where a stream begins. Lets go of the stream, so that each cell is freed once it was read.
list first(taskrace::shared_future<list>& stream) {
  list begin = stream.get();
  stream = {};
  return begin;
}

// The numbers of `from` that pass, as a stream that another task writes.
template <class Passes>
taskrace::shared_future<list> filter(taskrace::shared_future<list> from, Passes passes) {
  writer out;
  taskrace::shared_future<list> begin = out.begin();
  taskrace::async([from = std::move(from), passes, out = std::move(out)]() mutable {
    for (list at = first(from); at != nullptr; at = at->rest.get()) {
      if (passes(at->number)) out.write(at->number);
    }
    out.close();
  });
  return begin;
}

int main(int argc, char** argv) {
  const long below = argc > 1 ? std::atol(argv[1]) : 1000;
  taskrace::finish([below] {
    writer numbers;
    taskrace::shared_future<list> stream = numbers.begin();
    taskrace::async([below, numbers = std::move(numbers)]() mutable {
      for (long i = 2; i < below; ++i) numbers.write(i);
      numbers.close();
    });
    // One task for each divisor; all of them run at once.
    for (long divisor = 2; divisor * divisor < below; ++divisor) {
      stream = filter(std::move(stream), [divisor](long number) {
        return number % divisor != 0 || number == divisor;
      });
    }
    long primes = 0, sum = 0;
    for (list at = first(stream); at != nullptr; at = at->rest.get()) {
      ++primes;
      sum += at->number;
    }
    std::printf("%ld primes below %ld, sum %ld\n", primes, below, sum);
  });
}
