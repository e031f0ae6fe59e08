#include "report/function_name.h"

#include <gtest/gtest.h>

namespace taskrace::report {
namespace {

TEST(FunctionName, IsDemangledIfItIsMangled) {
  EXPECT_EQ(Demangled("_ZN2ns1fEi"), "ns::f(int)");
  EXPECT_EQ(Demangled("main"), "main");
  EXPECT_EQ(Demangled("f"), "f");
  EXPECT_EQ(Demangled("_Znonsense"), "_Znonsense");
}

TEST(FunctionName, IsFoundBetweenReturnTypeAndParameters) {
  EXPECT_EQ(QualifiedName("main"), "main");
  EXPECT_EQ(QualifiedName("f(int, char)"), "f");
  EXPECT_EQ(QualifiedName("void ns::f<int>(std::vector<int, std::allocator<int>>&)"), "ns::f");
  EXPECT_EQ(NameWithArguments("void ns::f<int>(std::vector<int>&)"), "ns::f<int>");
  EXPECT_EQ(QualifiedName("std::map<int, f(int)>::find(int const&) const"), "std::map::find");
  EXPECT_EQ(QualifiedName("(anonymous namespace)::g(int)"), "(anonymous namespace)::g");
  EXPECT_EQ(QualifiedName("main::$_0::operator()(int) const"), "main::$_0::operator()");
  EXPECT_EQ(QualifiedName("bool operator< <int>(A<int> const&)"), "operator<");
  EXPECT_EQ(QualifiedName("std::ostream& operator<<(std::ostream&, X)"), "operator<<");
  EXPECT_EQ(QualifiedName("f(int)::'lambda'(int)::operator()(int) const"),
            "f(int)::'lambda'(int)::operator()");
  EXPECT_EQ(QualifiedName(""), "");
}

TEST(FunctionName, ThatCannotBeReadIsKeptWhole) {
  EXPECT_EQ(QualifiedName("f<(("), "f<((");
  EXPECT_EQ(ShortName("f<((", 100), "f<((");
}

TEST(FunctionName, ShortFormDropsDefaultsFirst) {
  EXPECT_EQ(ShortName("f(std::vector<int, std::allocator<int>>&)", 100), "f(std::vector<int>&)");
  EXPECT_EQ(ShortName("f(std::__cxx11::basic_string<char, std::char_traits<char>, "
                      "std::allocator<char>>)",
                      100),
            "f(std::string)");
  EXPECT_EQ(
      ShortName("f(std::map<int, X, std::less<int>, std::allocator<std::pair<int const, X>>>)",
                100),
      "f(std::map<int, X>)");
}

TEST(FunctionName, ShortFormDropsTheNamespaceOfTheBuild) {
  EXPECT_EQ(ShortName("fill(taskrace::detected::scope&)", 100), "fill(taskrace::scope&)");
  EXPECT_EQ(ShortName("taskrace::detail::on_tbb::group::wait(taskrace::on_tbb::scope&)", 100),
            "taskrace::detail::group::wait(taskrace::scope&)");
  EXPECT_EQ(ShortName("my_taskrace::detected::f()", 100), "my_taskrace::detected::f()");
}

TEST(FunctionName, ShortFormNeverGrowsBeyondItsRoom) {
  const std::string name =
      "void outer::inner::compute<outer::Matrix<double, 3>, outer::Vector<double, 3>>(outer::Matrix"
      "<double, 3> const&, outer::Vector<double, 3> const&)";
  EXPECT_EQ(ShortName(name, 40), "void outer::inner::compute<...>(...)");
  for (size_t most = 8; most < name.size() + 5; ++most) {
    EXPECT_LE(ShortName(name, most).size(), most);
  }
}

TEST(FunctionName, SourceNameDropsTheTagsOfTheCompiler) {
  EXPECT_EQ(SourceName("trace[abi:cxx11]"), "trace");
  EXPECT_EQ(SourceName("ns::f[abi:a][abi:b](int)"), "ns::f(int)");
  EXPECT_EQ(SourceName("counter.llvm.393857"), "counter");
  EXPECT_EQ(SourceName("ns::counter (.llvm.393857)"), "ns::counter");
  EXPECT_EQ(SourceName("f(int) (.llvm.1)"), "f(int)");
  EXPECT_EQ(SourceName("a.llvm.b"), "a.llvm.b");
  EXPECT_EQ(SourceName("a[abi:"), "a[abi:");
  EXPECT_EQ(SourceName("operator[]"), "operator[]");
}

}  // namespace
}  // namespace taskrace::report
