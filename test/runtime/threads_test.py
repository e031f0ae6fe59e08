"""Threads that the program starts by itself, and the shadow call stacks of all threads."""

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


if __name__ == "__main__":
    unittest.main(verbosity=1)
