#include "driver/command_line.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "report/sample.h"

namespace taskrace::driver {
namespace {

TEST(CommandLine, LinksUnlessToldOtherwise) {
  EXPECT_TRUE(ReadCommandLine({"a.cpp"}).links);
  EXPECT_TRUE(ReadCommandLine({"a.o", "-o", "a"}).links);
  EXPECT_TRUE(ReadCommandLine({"-x", "c++", "-"}).links);
  EXPECT_TRUE(ReadCommandLine({"-lfoo"}).links);
  for (const char* option : {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--precompile"}) {
    EXPECT_FALSE(ReadCommandLine({option, "a.cpp"}).links) << option;
  }
  EXPECT_TRUE(ReadCommandLine({"-MD", "-MF", "a.d", "a.cpp"}).links);
}

TEST(CommandLine, QuestionsToTheCompilerHaveNoInput) {
  for (const char* option : {"--version", "-v", "-dumpmachine", "-print-prog-name=ld", "--help"}) {
    EXPECT_FALSE(ReadCommandLine({option}).links) << option;
  }
  EXPECT_FALSE(
      ReadCommandLine({"-o", "a", "-I", "dir", "-Xclang", "word", "-target", "t"}).has_inputs);
}

TEST(CommandLine, HeadersBecomePrecompiledHeaders) {
  EXPECT_FALSE(ReadCommandLine({"a.hpp", "-o", "a.pch"}).links);
  EXPECT_FALSE(ReadCommandLine({"-x", "c++-header", "a.txt"}).links);
  EXPECT_TRUE(ReadCommandLine({"-x", "c++", "a.h"}).links);
  EXPECT_TRUE(ReadCommandLine({"-include", "a.h", "a.cpp"}).links);
}

TEST(CommandLine, PreprocessingMakesNoCode) {
  EXPECT_FALSE(ReadCommandLine({"-E", "a.cpp"}).makes_code);
  EXPECT_TRUE(ReadCommandLine({"-c", "a.cpp"}).makes_code);
}

TEST(CommandLine, TheLastWordOnLtoWins) {
  EXPECT_TRUE(ReadCommandLine({"-flto=thin", "a.o"}).lto);
  EXPECT_FALSE(ReadCommandLine({"-flto", "-fno-lto", "a.o"}).lto);
}

TEST(CommandLine, ReadsResponseFiles) {
  const report::TemporaryDirectory directory;
  const std::string file = directory.Path("args");
  report::WriteFile(file, "-c 'my file.cpp' -DX=\\\"y\\\"\n\"-I some dir\"");
  const CommandLine line = ReadCommandLine({"@" + file});
  EXPECT_FALSE(line.links);
  EXPECT_EQ(line.arguments,
            (std::vector<std::string>{"-c", "my file.cpp", "-DX=\"y\"", "-I some dir"}));
  EXPECT_FALSE(line.had_own_in_response);
  report::WriteFile(file, "-ftaskrace-ignorelist=list -c a.cpp");
  const CommandLine own = ReadCommandLine({"@" + file});
  EXPECT_EQ(own.ignorelists, std::vector<std::string>{"list"});
  EXPECT_TRUE(own.had_own_in_response);
  EXPECT_EQ(own.arguments, (std::vector<std::string>{"-c", "a.cpp"}));
}

// Nobody may ever write to it.
TEST(CommandLine, APipeIsNotReadAsAResponseFile) {
  const report::TemporaryDirectory directory;
  const std::string pipe = directory.Path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const CommandLine line = ReadCommandLine({"@" + pipe, "-c"});
  EXPECT_EQ(line.arguments, (std::vector<std::string>{"@" + pipe, "-c"}));
}

TEST(CommandLine, AResponseFileThatNamesItselfEnds) {
  const report::TemporaryDirectory directory;
  const std::string file = directory.Path("args");
  report::WriteFile(file, "-c @" + file);
  EXPECT_FALSE(ReadCommandLine({"@" + file}).links);
  report::WriteFile(file, "-c @" + file + " @" + file + " @" + file + " @" + file);
  EXPECT_FALSE(ReadCommandLine({"@" + file}).links);
}

}  // namespace
}  // namespace taskrace::driver
