"""Threads that the program starts: their turns, what they wait for, and the shadow call stacks of all threads."""

import unittest

from programs import HEADERS, LOCKS, EndToEnd

MORE_HEADERS = HEADERS + LOCKS + "#include <string.h>\n#include <threads.h>\n"
# A recursion that the optimiser leaves alone.
DEEP = """
__attribute__((noinline)) int deep(int n) { volatile int here = n; return n == 0 ? 0 : deep(n - 1) + here - n; }
"""


class Threads(EndToEnd):
    def test_deep_recursion_without_detection(self):
        binary = self.compile(DEEP + """int main() { int result = deep(70000);
          std::thread([&] { result += deep(70000); }).join(); return result; }""", headers=MORE_HEADERS)
        run = self.run_detected(binary, "--mode=off")
        self.assertEqual(run.code, 0, run.err)

    def test_threads_that_have_ended_leave_nothing_behind(self):
        source = """
          size_t mappings() { size_t lines = 0; FILE* file = fopen("/proc/self/maps", "r");
            for (int c; (c = fgetc(file)) != EOF;) lines += c == '\\n'; fclose(file); return lines; }
          thread_local struct Last { ~Last() { done(); } static void done(); } last;
          int ended; void Last::done() { ++ended; }
          int main() { taskrace::scope s; s.sync(); size_t before = 0;
            for (int i = 0; i < 200; ++i) {
              pthread_t thread;
              pthread_create(&thread, nullptr, [](void*) -> void* { (void)&last; pthread_exit(nullptr); }, nullptr);
              pthread_join(thread, nullptr);
              thrd_t other; thrd_create(&other, [](void*) { return 0; }, nullptr); thrd_join(other, nullptr);
              if (i == 20) before = mappings();
            }
            return mappings() > before + 20; }"""
        for options in ((), ("--mode=off",), ("--exec=parallel",)):
            run = self.run_detected(self.compile(source, headers=MORE_HEADERS), *options)
            self.assertEqual(run.code, 0, run.err)

    # With a signal of libc's own, which it takes when the first thread starts.
    def test_a_program_with_threads_can_change_its_user(self):
        source = """int main() { taskrace::scope s; s.sync();
          std::mutex stop; stop.lock(); std::thread thread([&] { stop.lock(); });
          const int result = setuid(getuid()); stop.unlock(); thread.join(); return result; }"""
        for options in ((), ("--exec=parallel",)):
            run = self.run_detected(self.compile(source, headers=MORE_HEADERS), *options)
            self.assertEqual(run.code, 0, run.err)

    def test_who_waits_for_what_in_a_deadlock(self):
        source = """std::mutex a, b; std::condition_variable never;
          int main(int argc, char**) {
            if (argc == 2) { std::unique_lock lock(a); std::thread t([] {}); t.join(); never.wait(lock); }
            std::thread t([] { std::lock_guard one(a); std::this_thread::yield(); std::lock_guard two(b); });
            std::thread u([] { std::lock_guard one(b); std::this_thread::yield(); std::lock_guard two(a); });
            t.join(); u.join(); }"""
        binary = self.compile(source, headers=MORE_HEADERS)
        run = self.run_detected(binary, "--timeout=20")
        self.assertEqual(run.code, 67, run.err)
        text = " ".join(run.err.split())
        self.assertIn("no task can run, 3 are waiting", text)
        self.assertIn("thread 1 waits for a lock that thread 2 holds", text)
        self.assertIn("thread 2 waits for a lock that thread 1 holds", text)
        run = self.run_detected(binary, "--timeout=20", arguments=["x"])
        self.assertEqual(run.code, 67, run.err)
        self.assertIn("the main task waits for a condition variable, and no other task can run", run.err)

    def test_many_threads_and_few_switches_always_in_the_same_order(self):
        source = """#include <barrier>
          #include <deque>
          #include <vector>
          std::mutex mutex; std::condition_variable ready; std::deque<int> jobs; bool stops; long sum;
          void work() { for (;;) { std::unique_lock lock(mutex); ready.wait(lock, [] { return stops || !jobs.empty(); });
            if (jobs.empty()) return; int job = jobs.front(); jobs.pop_front(); lock.unlock();
            std::lock_guard again(mutex); sum += job; } }
          int main(int argc, char**) { std::vector<std::thread> threads;
            if (argc == 1) {
              for (int i = 0; i < 4; ++i) threads.emplace_back(work);
              for (int i = 0; i < 3000; ++i) { { std::lock_guard lock(mutex); jobs.push_back(1); } ready.notify_one(); }
              { std::lock_guard lock(mutex); stops = true; } ready.notify_all();
              for (auto& thread : threads) thread.join();
              return sum != 3000; }
            std::barrier all(100); static int x[100];
            for (int i = 0; i < 100; ++i) threads.emplace_back([&, i] { x[i] = i; all.arrive_and_wait();
              if (x[(i + 1) % 100] != (i + 1) % 100) abort(); });
            for (auto& thread : threads) thread.join();
            for (int i = 0; i < 200; ++i) std::thread([] { ++x[0]; }).join(); }"""
        binary = self.compile(source, headers=MORE_HEADERS)
        runs = []
        for _ in range(3):
            run = self.run_detected(binary, "--stats", "--timeout=60")
            self.assertEqual(run.code, 0, run.err)
            stats = run.report["stats"]
            self.assertLess(stats["switches"], 50)
            runs.append([stats[name] for name in ("strands", "switches", "synchronisations", "reads", "writes")])
        self.assertEqual(runs, 3 * [runs[0]])
        run = self.run_detected(binary, "--timeout=60", arguments=["x"])
        self.assertEqual(run.code, 0, run.err)

    def test_a_thread_that_has_not_ended_weakens_the_claim(self):
        run = self.run_detected(self.compile("""int main() {
          std::thread([] { for (;;) pause(); }).detach(); std::thread([] {}).detach(); }""", headers=MORE_HEADERS))
        self.assertEqual(run.code, 0, run.err)
        self.assertIn("up to where 1 thread had not ended", " ".join(run.err.split()))


if __name__ == "__main__":
    unittest.main(verbosity=1)
