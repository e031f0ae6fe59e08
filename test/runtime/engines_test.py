"""Every engine on every construct: exact inside its class, and outside it an error that says what
the program did, where, and which engines would do."""

import re
import unittest

from programs import HEADERS, EndToEnd

MIXTURES = {"multibags", "multibags+", "donesets", "promises"}
GENERAL = MIXTURES - {"multibags"}
FORK_JOIN = MIXTURES | {"spbags", "sporder", "dpst"}
LATTICE = MIXTURES | {"lattice2d"}
ALL = FORK_JOIN | LATTICE

TWO_GETS = """
taskrace::shared_future<void> f;
int main() {
  /*1*/ f = taskrace::make_future([] {});
  auto g = taskrace::make_future([] { f.get(); });
  /*2*/ f.get();
  g.get();
}"""
PARALLEL_CREATOR = """
taskrace::shared_future<void> f;
int main() {
  auto creator = taskrace::make_future([] {
    taskrace::ignore_region ignored;
    /*1*/ f = taskrace::make_future([] {});
  });
  taskrace::shared_future<void> mine;
  {
    taskrace::ignore_region ignored;
    mine = f;
  }
  /*2*/ mine.get();
}"""
NOT_THE_LEFT_NEIGHBOUR = """
int main() {
  /*1*/ auto first = taskrace::fork([] {});
  auto second = taskrace::fork([] {});
  /*2*/ first.join();
  second.join();
}"""
PROMISE = """
int main() {
  /*1*/ taskrace::promise<void> p;
  /*2*/ p.set_value();
  p.get_future().get();
}"""
WAITING_TASK = """
taskrace::promise<void> p;
int main() {
  auto f = taskrace::make_future([] {
    /*1*/ p.get_future().get();
  });
  p.set_value();
  f.get();
}"""
PIPELINE = """
#include <optional>
int main() {
  /*1*/ taskrace::pipeline([n = 0]() mutable { return n < 3 ? std::optional<int>(n++) : std::nullopt; },
                           taskrace::serial([](int n) { return n; }), taskrace::parallel([](int) {}));
}"""
ALTERNATING_SCOPES = """
int main() {
  taskrace::scope a, b;
  a.spawn([] {});
  b.spawn([] {});
  /*1*/ a.spawn([] {});
}"""
ASYNC_OUTLIVES_SCOPE = """
int main() {
  taskrace::scope s;
  /*1*/ s.spawn([] { taskrace::async([] {}); });
  s.sync();
}"""


def place(source, mark):
    """The file and line of a mark in a source."""
    before = (HEADERS + source).split(f"/*{mark}*/")[0]
    return f"program.cpp:{before.count(chr(10)) + 1}:"


class Engines(EndToEnd):
    def inside(self, source, engines):
        for engine in sorted(engines):
            run = self.run_detected(self.binary(source), f"--engine={engine}")
            self.assertEqual((run.code, run.races), (0, []), f"{engine}: {run.err}")
            self.assertIn(f"(engine {engine},", run.err)

    def outside(self, source, engines, words, *marks, would_do):
        for engine in sorted(engines):
            run = self.run_detected(self.binary(source), f"--engine={engine}")
            text = " ".join(run.err.split())
            self.assertEqual(run.code, 2, f"{engine}: {run.err}")
            self.assertIn(f"error: {words}, which engine {engine} cannot follow", text)
            for mark in marks:
                self.assertIn(place(source, mark), run.err)
            named = re.search("run again with --engine=(.*?) here:", text).group(1)
            self.assertEqual(set(re.split(", | or ", named)), would_do)

    def binary(self, source):
        binary = self.folder / "program"
        return binary if binary.exists() else self.compile(source)

    def engine_of_auto(self, source):
        run = self.run_detected(self.binary(source))
        self.assertEqual((run.code, run.races), (0, []), run.err)
        return re.search("engine (.*); history", " ".join(run.err.split())).group(1)

    def test_spawn_and_sync(self):
        source = "int main() { taskrace::scope s; /*1*/ s.spawn([] {}); }"
        self.inside(source, FORK_JOIN)
        self.outside(source, ALL - FORK_JOIN, "a construct other than fork, join and pipeline is used", 1,
                     would_do=FORK_JOIN)
        self.assertEqual(self.engine_of_auto(source), "spbags, because all joins nest")

    def test_a_parallel_loop(self):
        source = "int main() { /*1*/ taskrace::parallel_for(0, 3, [](int) {}); }"
        self.inside(source, FORK_JOIN)
        self.outside(source, ALL - FORK_JOIN, "a construct other than fork, join and pipeline is used", 1,
                     would_do=FORK_JOIN)
        self.assertEqual(self.engine_of_auto(source), "spbags, because all joins nest")

    def test_async_and_finish(self):
        source = "int main() { /*1*/ taskrace::finish([] { taskrace::async([] {}); }); }"
        self.inside(source, FORK_JOIN)
        self.outside(source, ALL - FORK_JOIN, "a construct other than fork, join and pipeline is used", 1,
                     would_do=FORK_JOIN)

    def test_an_async_that_outlives_the_scope_it_was_made_in(self):
        self.inside(ASYNC_OUTLIVES_SCOPE, MIXTURES)
        self.outside(ASYNC_OUTLIVES_SCOPE, {"spbags", "sporder", "dpst"},
                     "an async outlives the scope in which it was created", 1, would_do=MIXTURES)
        self.assertEqual(
            self.engine_of_auto(ASYNC_OUTLIVES_SCOPE),
            "multibags, because an async may outlive the scope or loop in which it was created")

    def test_children_of_two_scopes_that_alternate(self):
        self.inside(ALTERNATING_SCOPES, MIXTURES)
        self.outside(ALTERNATING_SCOPES, {"spbags", "sporder", "dpst"},
                     "a task creates children of two groups in alternation", 1, would_do=MIXTURES)
        self.assertEqual(self.engine_of_auto(ALTERNATING_SCOPES),
                         "multibags, because the joins of scopes need not nest")

    def test_a_future_that_is_got_once(self):
        source = "int main() {\n /*1*/ auto f = taskrace::make_future([] {});\n f.get(); }"
        self.inside(source, MIXTURES)
        self.outside(source, ALL - MIXTURES, "a future is made", 1, would_do=MIXTURES)
        self.assertEqual(self.engine_of_auto(source), "multibags, because the program uses futures")

    def test_a_future_that_is_got_twice(self):
        self.inside(TWO_GETS, GENERAL)
        self.outside(TWO_GETS, {"multibags"}, "a future is read a second time by a task that is not ordered after it", 1, 2,
                     would_do=GENERAL)
        self.assertEqual(self.engine_of_auto(TWO_GETS),
                         "donesets, because a future is read a second time by a task that is not ordered after it")

    def test_a_future_whose_creator_does_not_precede_the_getter(self):
        self.inside(PARALLEL_CREATOR, GENERAL)
        self.outside(PARALLEL_CREATOR, {"multibags"}, "a future is read by a task that is not ordered after its creation", 1, 2, would_do=GENERAL)
        self.assertEqual(self.engine_of_auto(PARALLEL_CREATOR), "donesets, because a future is read by a task that is not ordered after its creation")

    def test_fork_and_join_of_the_left_neighbour(self):
        source = "int main() {\n /*1*/ auto f = taskrace::fork([] {});\n f.join(); }"
        self.inside(source, LATTICE)
        self.outside(source, ALL - LATTICE, "a task is forked", 1, would_do=LATTICE)

    def test_join_of_another_than_the_left_neighbour(self):
        self.inside(NOT_THE_LEFT_NEIGHBOUR, MIXTURES)
        self.outside(NOT_THE_LEFT_NEIGHBOUR, {"lattice2d"}, "a task joins another task than its left neighbour",
                     1, 2, would_do=MIXTURES)
        self.assertEqual(self.engine_of_auto(NOT_THE_LEFT_NEIGHBOUR),
                         "multibags, because the program forks tasks")

    def test_a_pipeline(self):
        self.inside(PIPELINE, LATTICE)
        self.outside(PIPELINE, ALL - LATTICE, "a pipeline is run", 1, would_do=LATTICE)
        self.assertEqual(self.engine_of_auto(PIPELINE), "lattice2d, because the program uses only pipelines")

    def test_a_promise(self):
        self.inside(PROMISE, {"promises"})
        self.outside(PROMISE, ALL - {"promises"}, "a promise is used", 1, 2, would_do={"promises"})
        self.assertEqual(self.engine_of_auto(PROMISE), "promises, because the program uses promises")

    def test_a_task_that_waits_for_something_that_comes_later(self):
        self.inside(WAITING_TASK, {"promises"})
        self.outside(WAITING_TASK, GENERAL - {"promises"}, "a task waits for something that has not happened yet", 1,
                     would_do={"promises"})

    def test_a_happens_before_edge(self):
        source = ("int tag; int main() {\n /*1*/ TASKRACE_HAPPENS_BEFORE(&tag);\n"
                  " TASKRACE_HAPPENS_AFTER(&tag); }")
        self.inside(source, {"promises"})
        self.outside(source, ALL - {"promises"}, "a happens-before edge is declared", 1,
                     would_do={"promises"})

    def test_races_found_before_the_class_was_left_are_kept(self):
        run = self.detect("int shared_value; int main() { auto f = taskrace::make_future([] { "
                          "shared_value = 1; }).share(); shared_value = 2; auto g = taskrace::make_future("
                          "[f] { f.get(); }); f.get(); }", "--engine=multibags")
        self.assert_one_race(run)
        self.assertEqual(run.code, 66)


class Libraries(EndToEnd):
    LIBRARY = ('int shared_value; extern "C" void use() { auto f = taskrace::make_future([] { '
               'shared_value = 1; }); shared_value = 2; f.get(); }')
    PROGRAM = """
#include <dlfcn.h>
int main(int count, char** arguments) {
  if (count > 2) taskrace::parallel_for(0, 2, [](int) {});
  void* library = dlopen(arguments[1], RTLD_NOW);
  reinterpret_cast<void (*)()>(dlsym(library, "use"))();
}"""

    def run_with_library(self, *arguments):
        library = self.compile(self.LIBRARY, "-shared", "-fPIC", name="library")
        return self.run_detected(self.compile(self.PROGRAM), arguments=(library, *arguments))

    def test_one_that_is_loaded_before_the_first_task_counts_in_the_choice(self):
        run = self.run_with_library()
        self.assert_one_race(run)
        self.assertIn("engine multibags, because the program uses futures", run.err)

    def test_one_that_needs_another_engine_is_refused_once_tasks_have_run(self):
        run = self.run_with_library("after a loop")
        self.assertEqual(run.code, 2, run.err)
        self.assertIn("a future is made, which engine spbags cannot follow", " ".join(run.err.split()))
        self.assertIn("library.cpp:", run.err)


if __name__ == "__main__":
    unittest.main()
