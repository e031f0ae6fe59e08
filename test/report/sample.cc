#include "sample.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace taskrace::report {

TemporaryDirectory::TemporaryDirectory() : path_(testing::TempDir() + "taskrace-test-XXXXXX") {
  if (mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << "no temporary directory";
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code problem;
  std::filesystem::remove_all(path_, problem);
}

void WriteSampleLog(const std::string& path, const std::string& options, Ending ending) {
  const std::string command = std::string(SAMPLE_PROGRAM) + " '" + path + "' '" + options + "'" +
                              (ending == Ending::kDeadlock ? " deadlock" : "");
  ASSERT_EQ(std::system(command.c_str()), 0);
}

Log SampleLog(const std::string& options, Ending ending) {
  const TemporaryDirectory directory;
  WriteSampleLog(directory.Path("log"), options, ending);
  auto log = ReadLog(directory.Path("log"));
  EXPECT_TRUE(log) << log.error();
  return log ? std::move(*log) : Log();
}

unsigned SampleLine(const std::string& comment) {
  std::istringstream lines(ReadFile(SAMPLE_SOURCE));
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.ends_with("// " + comment)) return number;
  }
  ADD_FAILURE() << "no line has the comment " << comment;
  return 0;
}

std::string ReadFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

void WriteFile(const std::string& path, const std::string& contents) {
  std::ofstream(path, std::ios::binary) << contents;
}

}  // namespace taskrace::report
