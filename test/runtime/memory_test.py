"""Serial runs give back what joined tasks took: memory does not grow with the tasks that a task has joined."""

import unittest

from programs import EndToEnd

MOST = 16 << 20  # bytes of tables, whatever the number of tasks
# What happens again and again inside a task that has not ended, for the engines that can follow it. Half of the
# tasks touch memory that the next ones touch, too.
SPAWNS = "taskrace::scope s; s.spawn([=] { if (i % 2) cells[i % 64] = i; }); s.sync();"
ASYNCS = "taskrace::finish([=] { taskrace::async([=] { if (i % 2) cells[i % 64] = i; }); });"
LOOPS = "taskrace::parallel_for(0, 2, [=](int k) { if (i % 2) cells[k] = i; });"
TASKS = "taskrace::parallel_for(0, 2, [=](int k) { taskrace::scope s; s.spawn([=] { cells[k] = i; }); });"
FORKS = "auto f = taskrace::fork([=] { if (i % 2) cells[i % 64] = i; }); f.join();"
NESTED = ("spbags", "sporder", "dpst", "multibags", "multibags+", "donesets", "promises", "auto")


class Memory(EndToEnd):
    def compile_many(self, body, count, outer="scope o; o.spawn([] {", after="});"):
        # It ends while the outer task runs: what is kept until then is what counts.
        return self.compile("int cells[64]; int main() { taskrace::%s for (int i = 0; i < %d; ++i) { %s } exit(0); %s }"
                            % (outer, count, body, after))

    def assert_flat(self, binary, engine, least_tasks):
        run = self.run_detected(binary, f"--engine={engine}", "--stats")
        self.assertEqual(run.code, 0, run.err)
        stats = run.report["stats"]
        self.assertGreaterEqual(stats["tasks"] + stats["loops"], least_tasks)
        used = stats["engine_bytes"] + stats["task_bytes"]
        self.assertLess(used, MOST, f"{engine}: {used / stats['tasks'] if stats['tasks'] else used:.1f} bytes a task")

    def test_joined_spawns_inside_a_task(self):
        binary = self.compile_many(SPAWNS, 1_000_000)
        for engine in NESTED:
            self.assert_flat(binary, engine, 1_000_000)

    def test_joined_asyncs_inside_a_task(self):
        binary = self.compile_many(ASYNCS, 1_000_000, "finish([] { taskrace::async([] {", "}); });")
        for engine in NESTED:
            self.assert_flat(binary, engine, 1_000_000)

    def test_loops_inside_a_task(self):
        for body, count in (LOOPS, 500_000), (TASKS, 200_000):
            self.assert_flat(self.compile_many(body, count), "spbags", 400_000)

    def test_forks_that_are_joined_at_once(self):
        self.assert_flat(self.compile_many(FORKS, 1_000_000, "fork([] {", "}).join();"), "lattice2d", 1_000_000)


if __name__ == "__main__":
    unittest.main()
