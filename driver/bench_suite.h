// The benchmark suite: what programs.json says about the programs, and the marks of seeded races in
// their sources.
//
// Thread rule: values, read once. Cost: reading the file, and the sources for the marks.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/result.h"

namespace taskrace::driver {

// Multiples of the plain program that a paper printed.
struct Published {
  std::optional<double> reach, instrument, full, memory;
};

struct BenchProgram {
  std::string name;     // group/program
  std::string group;    // the paper
  std::string variant;  // structured, general, or empty
  std::string source;   // relative to the suite
  std::vector<std::string> constructs;
  std::vector<std::string> libraries;
  std::vector<std::string> engines;  // those that handle it
  bool race_moves = false;           // what the seeded race touches depends on racy values
  Published paper;

  // The name within the group, without the variant: lcs of futurerd/lcs-structured.
  std::string ShortName() const;
  bool IsHandledBy(const std::string& engine) const;
};

// A table of a paper: all programs of a group, or of one of its variants.
struct BenchGroup {
  std::string name;
  std::string variant;
  std::string title;   // of the table
  std::string remark;  // what the paper measured; empty: the group is of no paper
  std::map<std::string, std::string> words;  // what the paper calls our columns
  std::optional<double> geomean;             // as printed
};

struct Suite {
  std::string directory;
  std::vector<BenchGroup> groups;
  std::vector<BenchProgram> programs;

  // The programs that the names mean: of a program, of a group, or of a program within any group.
  // No name: all. The error names what there is.
  report::Result<std::vector<BenchProgram>> Select(const std::vector<std::string>& names) const;
};
report::Result<Suite> ReadSuite(const std::string& directory);

// Where a seeded program races.
struct SeededMarks {
  using Lines = std::set<std::pair<std::string, int>>;  // file relative to the suite, line
  Lines certain;                                        // must be reported
  Lines possible;                                       // may be
};
// By the program's name. The comments are explained in the suite's common.h.
report::Result<std::map<std::string, SeededMarks>> ReadSeededMarks(const std::string& directory);

}  // namespace taskrace::driver
