#include "driver/compile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "report/sample.h"

namespace taskrace::driver {
namespace {

// A prefix with a plugin and a runtime that nobody loads.
class CompileTest : public testing::Test {
 protected:
  CompileTest() : parts_{directory_.Path("prefix")} {
    std::filesystem::create_directories(parts_.LibraryDirectory());
    report::WriteFile(parts_.Plugin(), "");
    report::WriteFile(parts_.Runtime(), "");
    report::WriteFile(parts_.OpenMpRuntime(), "");
  }

  std::vector<std::string> Arguments(const std::vector<std::string>& user) {
    const auto arguments = ClangArguments(user, parts_);
    EXPECT_TRUE(arguments) << arguments.error();
    return arguments ? *arguments : std::vector<std::string>();
  }
  static bool Has(const std::vector<std::string>& words, const std::string& word) {
    return std::ranges::find(words, word) != words.end();
  }

  report::TemporaryDirectory directory_;
  Parts parts_;
};

TEST_F(CompileTest, TheUsersArgumentsComeLastAndInOrder) {
  const std::vector<std::string> user = {"-O2", "a.cpp", "-o", "a", "-g0"};
  const auto all = Arguments(user);
  ASSERT_GT(all.size(), user.size());
  EXPECT_TRUE(std::equal(user.rbegin(), user.rend(), all.rbegin()));
  EXPECT_EQ(all.front(), "--start-no-unused-arguments");
  EXPECT_LT(std::ranges::find(all, "-g"), std::ranges::find(all, "-g0"));
}

TEST_F(CompileTest, TheRuntimeIsLinkedOnlyWhenLinking) {
  EXPECT_TRUE(Has(Arguments({"a.cpp"}), parts_.Runtime()));
  EXPECT_TRUE(Has(Arguments({"-shared", "a.o"}), parts_.Runtime()));
  EXPECT_FALSE(Has(Arguments({"-c", "a.cpp"}), parts_.Runtime()));
  EXPECT_FALSE(Has(Arguments({"-r", "a.o"}), parts_.Runtime()));
  EXPECT_FALSE(Has(Arguments({"-v"}), parts_.Runtime()));
}

TEST_F(CompileTest, ThePassIsLoadedOnlyByTheCompilerItself) {
  const auto all = Arguments({"-flto", "a.cpp", "-fuse-ld=lld"});
  const auto pass = std::ranges::find(all, "-fpass-plugin=" + parts_.Plugin());
  ASSERT_NE(pass, all.end());
  EXPECT_EQ(*(pass - 1), "-Xclang") << "the linker must not get it";
  EXPECT_FALSE(Has(Arguments({"-E", "a.cpp"}), "-fpass-plugin=" + parts_.Plugin()));
}

TEST_F(CompileTest, InternalCallsPassThrough) {
  const std::vector<std::string> user = {"-cc1", "-emit-llvm", "a.cpp"};
  EXPECT_EQ(Arguments(user), user);
}

TEST_F(CompileTest, IgnorelistsReachThePassAndNotClang) {
  report::WriteFile(directory_.Path("list"), "");
  const auto all = Arguments({"-c", "a.cpp", "-ftaskrace-ignorelist=" + directory_.Path("list")});
  EXPECT_TRUE(Has(all, "-taskrace-ignorelist=" + directory_.Path("list")));
  EXPECT_FALSE(Has(all, "-ftaskrace-ignorelist=" + directory_.Path("list")));
}

TEST_F(CompileTest, HeadersOfOneTbbAreOursUnlessToldOtherwise) {
  const auto has_ours = [](const std::vector<std::string>& all) {
    return std::ranges::any_of(all,
                               [](const auto& word) { return word.ends_with("/taskrace/tbb"); });
  };
  EXPECT_TRUE(has_ours(Arguments({"-c", "a.cpp"})));
  const auto real = Arguments({"-c", "a.cpp", "-ftaskrace-real-tbb"});
  EXPECT_FALSE(has_ours(real));
  EXPECT_FALSE(Has(real, "-ftaskrace-real-tbb"));
}

TEST_F(CompileTest, OpenMpIsForTheCompilerAndTheRuntimeIsOurs) {
  for (const char* flag : {"-fopenmp", "-fopenmp=libomp", "-fopenmp=libgomp"}) {
    const auto all = Arguments({flag, "a.c", "-lgomp"});
    const auto found = std::ranges::find(all, "-fopenmp");
    ASSERT_NE(found, all.end());
    EXPECT_EQ(*std::prev(found), "-Xclang");
    EXPECT_EQ(std::ranges::count(all, "-fopenmp"), 1);
    EXPECT_TRUE(Has(all, "-ltaskrace_omp"));
    EXPECT_FALSE(Has(all, "-lgomp"));
  }
  EXPECT_TRUE(Has(Arguments({"a.o", "-lomp"}), "-ltaskrace_omp"));
  EXPECT_FALSE(Has(Arguments({"-c", "-fopenmp", "a.c"}), "-ltaskrace_omp"));
  EXPECT_FALSE(Has(Arguments({"a.c"}), "-ltaskrace_omp"));
  EXPECT_FALSE(Has(Arguments({"-fopenmp", "-fno-openmp", "a.c"}), "-fopenmp"));
  // What the user gives to the compiler itself stays.
  EXPECT_EQ(std::ranges::count(Arguments({"-Xclang", "-fopenmp", "a.c"}), "-fopenmp"), 1);
}

TEST_F(CompileTest, MistakesAreOneClearLine) {
  const auto error = [&](const std::vector<std::string>& user) {
    const auto arguments = ClangArguments(user, parts_);
    return arguments ? "" : arguments.error();
  };
  EXPECT_NE(error({"-static", "a.cpp"}).find("-static"), std::string::npos);
  EXPECT_NE(error({"-static-libstdc++", "a.cpp"}).find("-static-libstdc++"), std::string::npos);
  EXPECT_EQ(error({"-static", "-c", "a.cpp"}), "");
  EXPECT_NE(error({"-fsanitize=address,thread", "a.cpp"}).find("thread"), std::string::npos);
  EXPECT_NE(error({"-ftaskrace-ignorelist=/nowhere", "-c", "a.cpp"}).find("/nowhere"),
            std::string::npos);
  std::filesystem::remove(parts_.Runtime());
  EXPECT_NE(error({"a.cpp"}).find(parts_.Runtime()), std::string::npos);
  EXPECT_EQ(error({"-c", "a.cpp"}), "");
  std::filesystem::remove(parts_.Plugin());
  EXPECT_NE(error({"-c", "a.cpp"}).find(parts_.Plugin()), std::string::npos);
}

}  // namespace
}  // namespace taskrace::driver
