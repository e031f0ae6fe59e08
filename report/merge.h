// Many reports as one: of many tests, processes, inputs or ranks.
//
// Races between the same two source lines on the same variable become one, with the sum of their counts and
// the runs that each was seen in. Thread rule: one thread. Cost: linear in the reports.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "report/report.h"

namespace taskrace::report {

class Merger {
 public:
  // `file`: where it was read from.
  void Add(Report report, const std::string& file);
  // All that was added. Requires: at least one report.
  Report Take();

 private:
  void AddRace(ReportedRace race, size_t first_run);
  void AddDeadlock(const Report& report, size_t first_run);
  void AddRule(const Suppression& rule);
  void AddMessage(ReportedMessage message);

  Report merged_;
  size_t reports_ = 0;
  // Races by class and lines: those of different variables have different entries.
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<size_t>> by_site_;
  std::map<std::pair<std::string, uint32_t>, size_t> rules_;
  std::multimap<std::string, size_t> messages_;
  std::set<std::vector<std::string>> deadlocks_;  // by what the tasks wait for, and where
  std::set<std::string> notes_;
};

}  // namespace taskrace::report
