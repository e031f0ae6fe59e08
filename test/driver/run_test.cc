// `taskrace run` and the other commands, called as a user calls them.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "driver/subprocess.h"
#include "report/sample.h"

namespace taskrace::driver {
namespace {

Output Taskrace(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), TASKRACE_COMMAND);
  return RunForOutput(arguments);
}

Output RunMarked(std::vector<std::string> options, std::vector<std::string> arguments = {}) {
  options.insert(options.begin(), "run");
  options.push_back(MARKED_PROGRAM);
  options.insert(options.end(), arguments.begin(), arguments.end());
  return Taskrace(options);
}

testing::AssertionResult Says(const Output& output, int exit_code, const std::string& part) {
  if (output.exit_code == exit_code && output.text.find(part) != std::string::npos) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << "exit code " << output.exit_code << ": " << output.text;
}

// Refused with one line that has `part`, and nothing run.
testing::AssertionResult Refused(const Output& output, const std::string& part) {
  if (output.text.find("options:") != std::string::npos) {
    return testing::AssertionFailure() << "the program ran: " << output.text;
  }
  if (output.text.find('\n') != output.text.size() - 1) {
    return testing::AssertionFailure() << "not one line: " << output.text;
  }
  return Says(output, 2, part);
}

TEST(Run, HandsOnOptionsAndTheExitCode) {
  const Output output = RunMarked({"--engine=sporder", "--max-races", "5", "--stats"}, {"7"});
  EXPECT_TRUE(Says(output, 7, "engine=sporder:max_races=5:stats=1:hidden_summary=1:"));
}

TEST(Run, TheCommandLineGoesOverTheEnvironment) {
  setenv("TASKRACE_OPTIONS", "engine=spbags:dedup=address", 1);
  const Output output = RunMarked({"--engine=sporder", "--"});
  unsetenv("TASKRACE_OPTIONS");
  EXPECT_TRUE(Says(output, 0, "engine=sporder:dedup=address:"));
}

TEST(Run, PathsAreMadeAbsolute) {
  const report::TemporaryDirectory directory;
  std::filesystem::current_path(directory.Path(""));
  const Output output = RunMarked({"--json=sub dir.json"});
  std::filesystem::current_path("/");
  EXPECT_TRUE(Says(output, 0, "json='" + directory.Path("sub dir.json") + "'"));
  EXPECT_FALSE(std::filesystem::exists(directory.Path("sub dir.json")));
}

TEST(Run, RendersTheLogOfAProgramThatWasKilled) {
  const report::TemporaryDirectory directory;
  setenv("TMPDIR", directory.Path("").c_str(), 1);
  const Output output = RunMarked({}, {"kill"});
  unsetenv("TMPDIR");
  EXPECT_TRUE(Says(output, 137, "the program was killed"));
  EXPECT_TRUE(std::filesystem::is_empty(directory.Path(""))) << "the log directory was left behind";
}

TEST(Run, ADeadlockExitsWithItsOwnCodeAndRacesAreReportedBesideIt) {
  const Output alone = RunMarked({}, {"deadlock"});
  EXPECT_TRUE(Says(alone, 67, "deadlock: task 1 waits for a promise, and no other task can run\n"));
  EXPECT_TRUE(Says(alone, 67, "no races, but the program is deadlocked"));
  const Output both = RunMarked({"--exitcode=5"}, {"race-and-deadlock"});
  EXPECT_TRUE(Says(both, 67, "taskrace: race: write-read on memory"));
  EXPECT_TRUE(Says(both, 67, "deadlock: task 1 waits for a promise"));
  EXPECT_TRUE(Says(both, 67, "1 race (1 occurrence), and the program is deadlocked"));
}

TEST(Run, RefusesProgramsThatAreNotInstrumented) {
  EXPECT_TRUE(
      Refused(Taskrace({"run", "/bin/true"}), "not instrumented: compile it with taskrace c++"));
  const report::TemporaryDirectory directory;
  report::WriteFile(directory.Path("script"), "#!/bin/sh\necho options: ran\n");
  chmod(directory.Path("script").c_str(), 0755);
  EXPECT_TRUE(
      Refused(Taskrace({"run", directory.Path("script")}), "is not instrumented: it is a script"));
}

TEST(Run, RefusesWhatCannotBeRun) {
  EXPECT_TRUE(Refused(Taskrace({"run", "/nowhere/program"}), "No such file"));
  EXPECT_TRUE(Refused(Taskrace({"run", "/tmp"}), "directory"));
  EXPECT_TRUE(Refused(Taskrace({"run", "no-such-program"}), "not found in PATH"));
  EXPECT_TRUE(Refused(Taskrace({"run"}), "no program to run"));
}

TEST(Run, RefusesObjectsOfAnotherVersion) {
  EXPECT_TRUE(
      Refused(Taskrace({"run", OUTDATED_PROGRAM}), "folder/marked_program.c was compiled with"));
}

TEST(Run, TakesAProgramWhoseLibraryIsInstrumented) {
  EXPECT_TRUE(Says(Taskrace({"run", USES_MARKED_LIBRARY}), 5, ""));
}

TEST(Run, RefusesBadOptions) {
  EXPECT_TRUE(Refused(RunMarked({"--engin=spbags"}), "did you mean engine?"));
  EXPECT_TRUE(
      Refused(RunMarked({"--engine=magic"}), "'magic' is not one of auto, spbags, sporder, "));
  EXPECT_TRUE(Refused(RunMarked({"-x"}), "unknown option '-x'"));
  setenv("TASKRACE_OPTIONS", "what=1", 1);
  const Output output = RunMarked({});
  unsetenv("TASKRACE_OPTIONS");
  EXPECT_TRUE(Refused(output, "in TASKRACE_OPTIONS: unknown option 'what'"));
}

TEST(Run, ARunWithoutDetectionSaysThatNothingWasChecked) {
  EXPECT_TRUE(
      Says(RunMarked({"--mode=off"}, {"3"}), 3, "taskrace: nothing was checked: mode is off"));
  EXPECT_EQ(RunMarked({}).text.find("nothing was checked"), std::string::npos);
}

TEST(Run, RefusesOptionsThatDoNotGoTogether) {
  EXPECT_TRUE(Refused(RunMarked({"--threads=4"}), "set exec=parallel too"));
  EXPECT_TRUE(
      Refused(RunMarked({"--exec=parallel", "--engine=spbags"}), "leave option engine out"));
  EXPECT_TRUE(
      Refused(RunMarked({"--exec=parallel", "--history=intervals"}), "leave option history out"));
  setenv("TASKRACE_OPTIONS", "threads=4", 1);
  const Output from_environment = RunMarked({});
  const Output from_both = RunMarked({"--exec=parallel"});
  unsetenv("TASKRACE_OPTIONS");
  EXPECT_TRUE(Refused(from_environment, "set exec=parallel too"));
  EXPECT_TRUE(Says(from_both, 0, "exec=parallel:threads=4"));
}

TEST(Run, RefusesFilesThatWouldFailLater) {
  const report::TemporaryDirectory directory;
  EXPECT_TRUE(Refused(RunMarked({"--suppressions=/nowhere/rules"}), "/nowhere/rules"));
  report::WriteFile(directory.Path("rules"), "race:a\nnonsense\n");
  EXPECT_TRUE(Refused(RunMarked({"--suppressions=" + directory.Path("rules")}), "rules:2: "));
  EXPECT_TRUE(Refused(RunMarked({"--json=/nowhere/out.json"}), "cannot write /nowhere/out.json"));
  EXPECT_TRUE(Refused(RunMarked({"--json=-"}), "option json needs a file name"));
}

TEST(Commands, HelpListsOptionsButNotHiddenOnes) {
  const Output help = Taskrace({"help", "run"});
  EXPECT_TRUE(Says(help, 0, "--suppressions=FILE"));
  EXPECT_EQ(help.text.find("hidden"), std::string::npos);
  EXPECT_TRUE(
      Says(help, 0,
           "one of auto|spbags|sporder|multibags|multibags+|donesets|lattice2d|dpst|promises\n"));
  EXPECT_TRUE(Says(help, 0, "67 after a deadlock"));
  EXPECT_TRUE(Says(Taskrace({"--help"}), 0, "taskrace run"));
  EXPECT_TRUE(Says(Taskrace({"--version"}), 0, "taskrace 0.1"));
  EXPECT_TRUE(Says(Taskrace({"help", "cooking"}), 2, "no help for 'cooking'"));
  EXPECT_TRUE(Says(Taskrace({"rnu"}), 2, "unknown command 'rnu'"));
}

TEST(Commands, AMissingClangIsOneClearLine) {
  setenv("TASKRACE_CLANGXX", "/nowhere/clang++", 1);
  const Output output = Taskrace({"c++", "a.cpp"});
  unsetenv("TASKRACE_CLANGXX");
  EXPECT_TRUE(Refused(output, "TASKRACE_CLANGXX=/nowhere/clang++ is not an executable"));
}

TEST(Commands, AnotherCompilerIsOneClearLine) {
  setenv("TASKRACE_CLANGXX", "/bin/true", 1);
  const Output output = Taskrace({"c++", "a.cpp"});
  unsetenv("TASKRACE_CLANGXX");
  EXPECT_TRUE(Refused(output, "TASKRACE_CLANGXX=/bin/true is not clang 19"));
}

}  // namespace
}  // namespace taskrace::driver
