// Small programs with one mistake each. `kind: ...` stands on the line of the later access of the race, with the kind that
// the report must name there; `kind: none` where it must name none. Nearly everything is visible to other files, so that the
// optimiser removes no access.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <taskrace/tasks.hpp>
#include <unordered_map>
#include <vector>

int numbers[8];
volatile int sink;

// ---- accumulator
namespace {
long sum;
}
long product = 1, bits, count;
double total;
void SumOfALoop() {
  taskrace::parallel_for(0, 8, [](int i) { sum += i; });  // kind: accumulator
}
void ProductOfALoop() {
  taskrace::parallel_for(1, 4, [](int i) { product *= i; });  // kind: accumulator
}
void BitsOfALoop() {
  taskrace::parallel_for(0, 8, [](int i) { bits |= 1L << i; });  // kind: accumulator
}
void SumOfDoubles() {
  taskrace::parallel_for(0, 8, [](int i) { total += i * 0.5; });  // kind: accumulator
}
void SumInALocal() {
  long local = 0;
  taskrace::parallel_for(0, 8, [&](int i) { local -= i; });  // kind: accumulator
  sink = static_cast<int>(local);
}

// ---- captured-variable
void LoopVariable() {
  taskrace::scope s;
  for (int i = 0; i < 3; ++i)  // kind: captured-variable
    s.spawn([&] {
      volatile int copy = i;
      (void)copy;
    });
}
void ChangedAfterSpawn() {
  taskrace::scope s;
  int value = 1;
  s.spawn([&] { numbers[0] = value; });
  value = 2;  // kind: captured-variable
  s.sync();
  sink = value;
}
void ChangedByBoth() {
  taskrace::scope s;
  int value = 1;
  s.spawn([&] { value = 3; });
  value = 2;  // kind: captured-variable
  s.sync();
  sink = value;
}
void ChangedStructure() {
  struct Pair {
    int first, second;
  } pair{1, 2};
  taskrace::scope s;
  s.spawn([&] { numbers[1] = pair.second; });
  pair.second = 5;  // kind: captured-variable
  s.sync();
  sink = pair.second;
}

// ---- result-before-join
int result;
int* heap_result;
void ReadBeforeSync() {
  taskrace::scope s;
  s.spawn([] { result = 4; });
  sink = result;  // kind: result-before-join
  s.sync();
}
void ReadOfALocal() {
  int answer = 0;
  taskrace::scope s;
  s.spawn([&] { answer = 42; });
  sink = answer;  // kind: result-before-join
  s.sync();
}
void ReadOfTheHeap() {
  heap_result = new int(0);
  taskrace::scope s;
  s.spawn([] { *heap_result = 4; });
  sink = *heap_result;  // kind: result-before-join
  s.sync();
  delete heap_result;
}
void ReadBeforeGet() {
  static int slots[2];
  int* slot = slots;
  auto f = taskrace::make_future([slot] { return numbers[2] = 7; });
  sink = numbers[2];  // kind: result-before-join
  sink = f.get() + (slot == nullptr);
}
void ReadInFinish() {
  taskrace::finish([] {
    taskrace::async([] { numbers[3] = 7; });
    sink = numbers[3];  // kind: result-before-join
  });
}

// ---- container
void VectorOfTwo() {
  std::vector<int> v;
  taskrace::scope s;
  s.spawn([&] { v.push_back(1); });
  v.push_back(2);  // kind: container
  s.sync();
}
void MapOfALoop() {
  std::map<int, int> m;
  taskrace::parallel_for(0, 3, [&](int i) { m[i] = 1; });  // kind: container
}
void SiblingsAndADeque() {
  std::deque<int> d;
  taskrace::scope s;
  s.spawn([&] { d.push_back(1); });
  s.spawn([&] { d.push_front(2); });  // kind: container
  s.sync();
}
void ListOfTwo() {
  std::list<int> l;
  taskrace::scope s;
  s.spawn([&] { l.push_back(1); });
  l.push_back(2);  // kind: container
  s.sync();
}

// ---- missing-lock
std::mutex guard, other_guard;
int guarded, guarded_too, wrongly, sibling;
void OnlyTheTaskLocks() {
  taskrace::scope s;
  s.spawn([] {
    std::lock_guard<std::mutex> hold(guard);
    guarded = 1;
  });
  guarded = 2;  // kind: missing-lock
  s.sync();
}
void OnlyTheCreatorLocks() {
  taskrace::scope s;
  s.spawn([] { guarded_too = 1; });
  guard.lock();
  guarded_too = 2;  // kind: missing-lock
  guard.unlock();
  s.sync();
}
void DifferentLocks() {
  taskrace::scope s;
  s.spawn([] {
    std::lock_guard<std::mutex> hold(guard);
    wrongly = 1;
  });
  other_guard.lock();
  wrongly = 2;  // kind: missing-lock
  other_guard.unlock();
  s.sync();
}
void OneSiblingLocks() {
  taskrace::scope s;
  s.spawn([] {
    std::lock_guard<std::mutex> hold(guard);
    sibling = 1;
  });
  s.spawn([] { sibling = 2; });  // kind: missing-lock
  s.sync();
}

// ---- freed-in-use
void DeletedByTheCreator() {
  int* block = new int(1);
  taskrace::scope s;
  s.spawn([=] { sink = *block; });
  delete block;  // kind: freed-in-use
  s.sync();
}
void FreedByTheCreator() {
  char* text = static_cast<char*>(std::malloc(16));
  std::memset(text, 'x', 16);
  taskrace::scope s;
  s.spawn([=] { sink = text[3]; });
  std::free(text);  // kind: freed-in-use
  s.sync();
}
void FreedByATask() {
  int* block = new int(1);
  taskrace::scope s;
  s.spawn([=] { delete block; });
  sink = *block;  // kind: freed-in-use
  s.sync();
}
void FreedByASibling() {
  int* block = new int(1);
  taskrace::scope s;
  s.spawn([=] { sink = *block; });
  s.spawn([=] { delete block; });  // kind: freed-in-use
  s.sync();
}

// ---- atomic-and-plain
std::atomic<int> mixed, flag;
int slots[4];
void PlainReadOfAnAtomic() {
  taskrace::scope s;
  s.spawn([] { mixed.store(1); });
  sink = *reinterpret_cast<volatile int*>(&mixed);  // kind: atomic-and-plain
  s.sync();
}
void PlainWriteOfAnAtomic() {
  taskrace::scope s;
  s.spawn([] { sink = flag.load(); });
  *reinterpret_cast<volatile int*>(&flag) = 1;  // kind: atomic-and-plain
  s.sync();
}
void AtomicReference() {
  taskrace::scope s;
  s.spawn([] { __atomic_store_n(&slots[0], 1, __ATOMIC_SEQ_CST); });
  slots[0] = 2;  // kind: atomic-and-plain
  s.sync();
}
void AtomicBehindPlain() {
  taskrace::scope s;
  s.spawn([] { slots[1] = 2; });
  __atomic_fetch_add(&slots[1], 1, __ATOMIC_SEQ_CST);  // kind: atomic-and-plain
  s.sync();
}

// ---- function-static
int NextNumber() {
  static int next;
  return ++next;  // kind: function-static
}
const char* Digits(int n) {
  static char buffer[16];
  buffer[0] = static_cast<char>('0' + n);  // kind: function-static
  return buffer;
}
long* Cell() {
  static long cell;
  return &cell;
}
int Calls(int n) {
  static struct {
    int calls;
  } state;
  state.calls += n;  // kind: function-static
  return state.calls;
}
void Statics() {
  taskrace::scope s;
  s.spawn([] { NextNumber(); });
  NextNumber();
  s.sync();
  s.spawn([] { Digits(1); });
  Digits(2);
  s.sync();
  s.spawn([] { numbers[6] = Calls(1); });
  numbers[7] = Calls(2);
  s.sync();
  s.spawn([] { *Cell() = 1; });
  *Cell() = 2;  // kind: function-static
  s.sync();
}

// ---- lifetime
taskrace::scope* outer;
void EndsBeforeTheTask() {
  int local = 1;
  outer->spawn([&] { sink = local; });
}  // kind: lifetime
void ArrayEndsBeforeTheTask() {
  int local[4] = {1, 2, 3, 4};
  outer->spawn([&] { sink = local[2]; });
}  // kind: lifetime
void WrittenAfterItsBlock() {
  {
    int local = 1;
    outer->spawn([&] { local = 2; });
  }  // kind: lifetime
}
void StructureEnds() {
  struct Pair {
    int first, second;
  } pair{1, 2};
  outer->spawn([&] { sink = pair.second; });
}  // kind: lifetime

// ---- none of them
int shared, plain[64];
void Siblings() {
  taskrace::scope s;
  s.spawn([] { shared = 1; });
  s.spawn([] { shared = 2; });  // kind: none
  s.sync();
}
void CreatorOverwrites() {
  taskrace::scope s;
  s.spawn([] { plain[0] = 1; });
  plain[0] = 2;  // kind: none
  s.sync();
}
void NeighboursOfALoop() {
  taskrace::parallel_for(0, 8, [](int i) { plain[i + 8] = plain[i + 9]; });  // kind: none
}
void LastOfALoop() {
  taskrace::parallel_for(0, 8, [](int i) { plain[20] = i; });  // kind: none
}
void ElementOfALoop() {
  taskrace::parallel_for(0, 8, [](int i) { plain[30 + i / 4] += i; });  // kind: none
}
void SiblingsUpdate() {
  taskrace::scope s;
  s.spawn([] { plain[40] += 1; });
  s.spawn([] { plain[40] += 2; });  // kind: none
  s.sync();
}
void ReadByASibling() {
  taskrace::scope s;
  s.spawn([] { plain[41] = 1; });
  s.spawn([] { sink = plain[41]; });  // kind: none
  s.sync();
}
void VectorsElements() {
  std::vector<int> v(4);
  taskrace::scope s;
  s.spawn([&] { v[1] = 1; });
  v[1] = 2;  // kind: none
  s.sync();
}
void ReaderThenCreatorWrites() {
  taskrace::scope s;
  s.spawn([] { sink = plain[42]; });
  plain[42] = 2;  // kind: none
  s.sync();
}
void StringsOfAVector() {
  std::vector<std::string> v(2);
  taskrace::scope s;
  s.spawn([&] { v[0] += "a rather long text that needs a block of its own"; });
  s.spawn([&] { v[0] += "b"; });  // kind: none
  s.sync();
}

int main() {
  SumOfALoop(), ProductOfALoop(), BitsOfALoop(), SumOfDoubles(), SumInALocal();
  LoopVariable(), ChangedAfterSpawn(), ChangedByBoth(), ChangedStructure();
  ReadBeforeSync(), ReadOfALocal(), ReadOfTheHeap(), ReadBeforeGet(), ReadInFinish();
  VectorOfTwo(), MapOfALoop(), SiblingsAndADeque(), ListOfTwo();
  OnlyTheTaskLocks(), OnlyTheCreatorLocks(), DifferentLocks(), OneSiblingLocks();
  DeletedByTheCreator(), FreedByTheCreator(), FreedByATask(), FreedByASibling();
  PlainReadOfAnAtomic(), PlainWriteOfAnAtomic(), AtomicReference(), AtomicBehindPlain();
  Statics();
  taskrace::scope s;
  outer = &s;
  EndsBeforeTheTask();
  s.sync();
  ArrayEndsBeforeTheTask();
  s.sync();
  WrittenAfterItsBlock();
  s.sync();
  StructureEnds();
  s.sync();
  Siblings(), CreatorOverwrites(), NeighboursOfALoop(), LastOfALoop(), ElementOfALoop(),
      SiblingsUpdate();
  ReadByASibling(), VectorsElements(), ReaderThenCreatorWrites(), StringsOfAVector();
}
