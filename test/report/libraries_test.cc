#include "report/libraries.h"

#include <gtest/gtest.h>

namespace taskrace::report {
namespace {

TEST(Libraries, GlobsFitWholePathsAndTheirTails) {
  Libraries libraries;
  libraries.Add("third_party/*,,*/adapter.hpp,");
  EXPECT_TRUE(libraries.Covers("/src/third_party/deep/a.h"));
  EXPECT_TRUE(libraries.Covers("/src/adapter.hpp"));
  EXPECT_FALSE(libraries.Covers("/src/my_third_party/a.h"));
  EXPECT_FALSE(libraries.Covers("/src/main.cpp"));
  EXPECT_FALSE(libraries.Covers(""));
}

TEST(Libraries, AreTheDirectoriesOfIsystem) {
  Libraries libraries;
  libraries.AddCommandLine("clang -g -isystem /opt/vec/include -I/src/own -isystem/x/y -c a.cpp");
  EXPECT_TRUE(libraries.Covers("/opt/vec/include/vec/vector.h"));
  EXPECT_TRUE(libraries.Covers("/x/y/z.h"));
  EXPECT_FALSE(libraries.Covers("/src/own/a.h"));
  EXPECT_FALSE(libraries.Covers("/opt/vec/other.h"));
}

TEST(Libraries, ARelativeDirectoryIsThatOfAnyCompilation) {
  Libraries libraries;
  libraries.AddCommandLine("clang -isystem ../third/./my\\ lib/ -isystem . -c a.cpp -isystem");
  EXPECT_TRUE(libraries.Covers("/src/third/my lib/a.h"));
  EXPECT_FALSE(libraries.Covers("/src/main.cpp"));
}

}  // namespace
}  // namespace taskrace::report
