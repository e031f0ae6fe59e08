"""Programs with another allocator than libc's, and with pools of their own."""

import unittest

from programs import HEADERS, EndToEnd

MORE_HEADERS = HEADERS + """
#include <memory>
#include <memory_resource>
#include <mutex>
#include <new>
#include <string>
#include <vector>
"""
# Tasks that allocate, use and free blocks of every kind. What one frees, the next one gets.
RECYCLES = """
long results[64];
struct alignas(128) Wide { long value; };
int main() {
  for (int round = 0; round < 5; ++round) {
    taskrace::parallel_for(0, 64, [](int i) {
      std::vector<long> values;
      for (int k = 0; k < 100; ++k) values.push_back(k);
      auto one = std::make_unique<long>(i);
      auto some = std::make_unique<long[]>(7);
      auto wide = std::make_unique<Wide>();
      wide->value = some[3] = i;
      long* plain = static_cast<long*>(malloc(5000));
      plain[10] = i;
      plain = static_cast<long*>(realloc(plain, 20000));
      results[i] = values[i] + *one + some[3] + wide->value + plain[10];
      free(plain);
    });
  }
}
"""
RACES_WITH_FREE = """
int main() { taskrace::scope s; long* block = new long(1); long seen = 0;
  s.spawn([&] { seen = *block; }); s.spawn([=] { delete block; }); s.sync(); return seen != 1; }
"""


class Allocators(EndToEnd):
    def assert_silent(self, binary, **keywords):
        for options in ((), ("--exec=parallel", "--threads=2")):
            run = self.run_detected(binary, *options, **keywords)
            self.assertEqual(run.races, [], run.err)
            self.assertEqual(run.code, 0, run.err)

    def detect(self, source):
        return self.run_detected(self.compile(source, headers=MORE_HEADERS))

    def assert_one_race(self, binary, **keywords):
        run = self.run_detected(binary, **keywords)
        self.assertEqual(len(run.races), 1, run.err)
        self.assertEqual(run.code, 66, run.err)
        return run

    def test_a_linked_allocator_is_the_programs_own(self):
        for library in ("-ljemalloc", "-ltcmalloc_minimal"):
            self.assert_silent(self.compile(RECYCLES, library, headers=MORE_HEADERS))
            self.assert_one_race(self.compile(RACES_WITH_FREE, library))

    def test_a_preloaded_allocator_is_the_programs_own(self):
        silent = self.compile(RECYCLES, headers=MORE_HEADERS)
        racy = self.compile(RACES_WITH_FREE, name="racy")
        for library in ("libjemalloc.so.2", "libtcmalloc_minimal.so.4"):
            environment = {"LD_PRELOAD": library}
            self.assert_silent(silent, environment=environment)
            self.assert_one_race(racy, environment=environment)

    def test_a_program_sees_the_preloaded_libraries_of_its_user(self):
        binary = self.compile("""int main(int, char** argv) { taskrace::scope s; s.sync();
          puts(getenv("LD_PRELOAD")); puts(argv[1]); }""")
        run = self.run_detected(binary, environment={"LD_PRELOAD": "libjemalloc.so.2"}, arguments=["a b"])
        self.assertEqual(run.out, "libjemalloc.so.2\na b\n", run.err)

    # ---- operator new and delete

    POOL = """
      struct Node { Node* next; };
      %s Node* list;
      %s
      void* take(size_t size) {
        if (size > 64) return malloc(size);
        %s
        if (Node* node = list) { list = node->next; return node; }
        return malloc(64);
      }
      void give(void* block) {
        %s
        Node* node = static_cast<Node*>(block); node->next = list; list = node;
      }
    """
    LOCKED = POOL % ("", "std::mutex lock;", "std::lock_guard<std::mutex> guard(lock);",
                     "std::lock_guard<std::mutex> guard(lock);")
    OF_THREAD = POOL % ("thread_local", "", "", "")
    UNLOCKED = POOL % ("", "", "", "")
    GLOBAL = """void* operator new(size_t size) { return take(size < 65 ? 64 : size); }
                void operator delete(void* block) noexcept { give(block); }"""
    USE = """long results[64];
      int main() { taskrace::parallel_for(0, 64, [](int i) {
        auto one = std::make_unique<long>(i); auto some = std::make_unique<long[]>(7);
        some[3] = i; results[i] = *one + some[3]; }); }"""

    def test_a_free_list_behind_operator_new_gives_no_false_races(self):
        for pool in (self.LOCKED, self.OF_THREAD):
            self.assert_silent(self.compile(pool + self.GLOBAL + self.USE, headers=MORE_HEADERS))

    def test_a_free_list_without_a_lock_is_a_race(self):
        run = self.detect(self.UNLOCKED + self.GLOBAL + self.USE)
        self.assertIn("'list'", run.err)
        self.assertEqual(run.code, 66, run.err)

    def test_a_block_that_goes_back_to_a_free_list_while_it_is_read_is_a_race(self):
        run = self.assert_one_race(self.compile(self.LOCKED + self.GLOBAL + RACES_WITH_FREE,
                                                headers=MORE_HEADERS))
        self.assertIn("free of a block of 8 bytes", run.err)

    def test_a_class_may_have_a_free_list(self):
        source = self.LOCKED + """struct Item { long value[4];
            static void* operator new(size_t size) { return take(size); }
            static void operator delete(void* block) { give(block); } };
          long results[64];
          int main() { taskrace::parallel_for(0, 64, [](int i) {
            auto item = std::make_unique<Item>(); item->value[0] = i; item->value[3] = i;
            results[i] = item->value[3]; }); }"""
        self.assert_silent(self.compile(source, headers=MORE_HEADERS))

    def test_operators_that_only_count_hide_nothing(self):
        counting = """std::atomic<long> count;
          void* operator new(size_t size) { ++count; return malloc(size); }
          void operator delete(void* block) noexcept { --count; free(block); }"""
        headers = MORE_HEADERS + "#include <atomic>\n"
        self.assert_silent(self.compile(counting + RECYCLES, headers=headers))
        self.assert_one_race(self.compile(counting + RACES_WITH_FREE, headers=headers))

    def test_placement_new_makes_no_memory_new(self):
        self.assert_one_race(self.compile("""alignas(long) char room[8];
          int main() { taskrace::scope s; s.spawn([] { new (room) long(1); });
                       s.spawn([] { new (room) long(2); }); s.sync(); }""", headers=MORE_HEADERS))

    def test_a_new_handler_may_free_memory_for_an_aligned_block(self):
        run = self.detect("""#include <sys/resource.h>
          void* volatile reserve;
          int main() { taskrace::scope s; s.sync();
            reserve = malloc(size_t{1} << 28);
            std::set_new_handler([] { free(reserve); reserve = nullptr; });
            rlimit limit{size_t{1} << 30, size_t{1} << 30}; setrlimit(RLIMIT_AS, &limit);
            while (reserve != nullptr) {
              void* volatile page = operator new(200000, std::align_val_t{4096}, std::nothrow);
              if (page == nullptr) return 3;
              if (reinterpret_cast<uintptr_t>(page) % 4096 != 0) return 4;
            } }""")
        self.assertEqual(run.code, 0, run.err)

    # ---- std::pmr

    PMR = """long results[64];
      int main() { std::pmr::%s pool; %s
        taskrace::parallel_for(0, 64, [&](int i) { %s
          std::pmr::vector<long> values(&pool); for (int k = 0; k < 100; ++k) values.push_back(k);
          std::pmr::string text(200, 'x', &pool); results[i] = values[i] + text.size(); }); }"""

    def test_a_synchronized_pool_gives_no_false_races(self):
        self.assert_silent(self.compile(self.PMR % ("synchronized_pool_resource", "", ""),
                                        headers=MORE_HEADERS))

    def test_an_unsynchronized_pool_is_a_race_without_a_lock_only(self):
        racy = self.detect(self.PMR % ("unsynchronized_pool_resource", "", ""))
        self.assertEqual(racy.code, 66, racy.err)
        self.assert_silent(self.compile(
            self.PMR % ("unsynchronized_pool_resource", "std::mutex lock;",
                        "std::lock_guard<std::mutex> guard(lock);"), headers=MORE_HEADERS))

    def test_a_block_that_goes_back_to_a_pool_while_it_is_read_is_a_race(self):
        self.assert_one_race(self.compile("""int main() { std::pmr::synchronized_pool_resource pool;
          long* block = static_cast<long*>(pool.allocate(8)); *block = 1; long seen = 0;
          taskrace::scope s; s.spawn([&] { seen = *block; });
          s.spawn([&] { pool.deallocate(block, 8); }); s.sync(); return seen != 1; }""",
                                          headers=MORE_HEADERS))


if __name__ == "__main__":
    unittest.main(verbosity=1)
