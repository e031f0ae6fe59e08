#include "report/frame.h"

#include <gtest/gtest.h>

namespace taskrace::report {
namespace {

Frame Nameless(const std::string& function, const std::string& module = "/program/a.out") {
  return {.function = function, .file = "", .module = module, .offset = 0x10};
}

std::vector<std::string> Functions(const Stack& stack) {
  std::vector<std::string> names;
  for (const Frame& frame : stack) names.push_back(frame.function);
  return names;
}

using Names = std::vector<std::string>;

TEST(Frame, OfTheRuntimeIsHiddenAlsoWhereNothingHasALine) {
  const Stack stack = {Nameless("taskrace::detail::detected::spawned<main::$_0>::run(void*)"),
                       Nameless("body.run(body.closure)", "/opt/lib/libtaskrace_rt.so"),
                       Nameless("", "/opt/lib/libtaskrace_rt.so.0.1")};
  EXPECT_EQ(Functions(Visible(stack)),
            Names{"taskrace::detail::detected::spawned<main::$_0>::run(void*)"})
      << "the task's body was inlined into what runs it";
  EXPECT_TRUE(Visible({stack[1], stack[2]}).empty());
}

TEST(Frame, OfOurHeadersIsHiddenBesideAnother) {
  const Stack stack = {Nameless("main::$_0::operator()() const"),
                       Nameless("taskrace::detail::detected::spawned<main::$_0>::run(void*)"),
                       Nameless("void taskrace::detected::parallel_for<int, int, f>(int, int, f)"),
                       Nameless("g()")};
  EXPECT_EQ(Functions(Visible(stack)), (Names{"main::$_0::operator()() const", "g()"}));
}

TEST(Frame, OfTheUserMayMentionTaskrace) {
  const Stack stack = {Nameless("fill(taskrace::detected::scope&)"),
                       {.function = "taskrace::mine()", .file = "/program/mine.cc", .line = 3}};
  EXPECT_EQ(Visible(stack).size(), 2u);
}

TEST(Frame, OfSanitizersAndOfTheStartIsHidden) {
  const Stack stack = {Nameless("__sanitizer::BufferedStackTrace::Unwind(unsigned long)"),
                       Nameless("__asan_memcpy"),
                       Nameless("__interceptor_free"),
                       Nameless("(anonymous namespace)::global_init()"),
                       Nameless("__libc_start_call_main", "/lib/libc.so.6"),
                       Nameless("__libc_start_main", "/lib/libc.so.6"),
                       Nameless("_start")};
  EXPECT_EQ(Functions(Visible(stack)), Names{"(anonymous namespace)::global_init()"});
}

TEST(Frame, ThatCalledMainIsHidden) {
  EXPECT_EQ(Functions(Visible({Nameless("f()"), Nameless("main"), Nameless("loader")})),
            (Names{"f()", "main"}));
}

TEST(Frame, OfTheUserIsFoundWithoutLinesToo) {
  const Stack stack = {Nameless("std::vector<int>::push_back(int&&)"),
                       Nameless("memmove", "/lib/x86_64-linux-gnu/libc.so.6"), Nameless("mine()"),
                       Nameless("main")};
  EXPECT_EQ(UserFrame(stack)->function, "mine()");
}

}  // namespace
}  // namespace taskrace::report
