// `taskrace bench --check`: each program gives the right result, has no race as written, and exactly the
// marked races when seeded, with every engine of its class and every history.
//
// Lines are compared with the marks in the source. Bytes have no marks; detectors are compared with each
// other instead, because two that have little code in common rarely make the same mistake.
#include "driver/bench_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "driver/bench_seeded.h"
#include "report/options.h"

namespace taskrace::driver {
namespace {

// All values of an option but `auto`, or the one that the user has named.
std::vector<std::string> Choices(const char* option, const std::string& named) {
  if (named != "auto") return {named};
  std::vector<std::string> choices;
  std::istringstream words(std::string(report::FindOption(option)->choices));
  for (std::string word; std::getline(words, word, '|');) {
    if (word != "auto") choices.push_back(word);
  }
  return choices;
}

class Checker {
 public:
  Checker(const BenchRequest& request, const BenchRuns& runs, const BenchProgram& program,
          const SeededMarks& marks, const std::string& suite)
      : request_(request), runs_(runs), program_(program), marks_(marks), suite_(suite) {}

  std::vector<std::string> Check() {
    for (Config config : request_.configs) {
      if (RowOf(config).mode.empty()) CheckResult(config);
    }
    if (!request_.Runs(Config::kFull)) return std::move(complaints_);
    const std::vector<Detector> detectors = Detectors();
    for (const Detector& detector : detectors) {
      CheckSilence(detector);
      CheckLines(detector);
    }
    // Two engines that have little in common, with every history, must agree on the bytes.
    for (const Detector& detector : detectors) {
      if (detector.threads != 0 && program_.race_moves) continue;
      if (detector.engine == detectors.front().engine ||
          detector.engine == detectors.back().engine) {
        CheckBytes(detector);
      }
    }
    return std::move(complaints_);
  }

 private:
  std::vector<Detector> Detectors() const {
    std::vector<Detector> detectors;
    for (const std::string& history : Choices("history", request_.history)) {
      if (request_.engine == "auto") detectors.push_back({"auto", history, 0});
      for (const std::string& engine : Choices("engine", request_.engine)) {
        if (program_.IsHandledBy(engine)) detectors.push_back({engine, history, 0});
      }
    }
    // In front, for two other engines to be the first and the last.
    if (request_.engine == "auto" && request_.history == "auto" && program_.IsHandledBy("dpst")) {
      for (const int threads : {2, 4}) {
        detectors.insert(detectors.begin() + 1, {"auto", "auto", threads});
      }
    }
    return detectors;
  }

  void CheckResult(Config config) {
    const Finished run = runs_.Run(program_, config, request_.size, {});
    if (!run.Succeeded()) complaints_.push_back(Complaint(std::string(RowOf(config).name), run));
  }

  void CheckSilence(const Detector& detector) {
    const Finished run = runs_.Run(program_, Config::kFull, request_.size, detector);
    if (!run.Succeeded()) complaints_.push_back(Complaint(Name("detected", detector), run));
  }

  void CheckLines(const Detector& detector) {
    const auto report = SeededReport(detector, Wanted::kLines);
    if (!report) return;
    for (const std::string& complaint : SeededComplaints(ReportedLines(*report, suite_), marks_)) {
      complaints_.push_back(Name("seeded", detector) + ": " + complaint);
    }
  }

  void CheckBytes(const Detector& detector) {
    const auto report = SeededReport(detector, Wanted::kBytes);
    if (!report) return;
    RacyObjects racy = RacyBytes(*report);
    if (!racy_) {
      racy_ = std::move(racy);
      racy_by_ = Name("those of", detector);
    } else if (*racy_ != racy) {
      complaints_.push_back(
          fmt::format("{}: the racy bytes are not {}", Name("seeded", detector), racy_by_));
    }
  }

  // The report of a seeded run. Nothing, and a complaint, if there were no races.
  std::optional<nlohmann::json> SeededReport(const Detector& detector, Wanted wanted) {
    DetectedRun run = runs_.RunForReport(program_, Build::kSeeded, request_.size, detector, wanted);
    const auto exit_code = static_cast<int>(report::Options().exitcode);
    const bool races = run.finished.how == Finished::How::kExit && run.finished.code == exit_code;
    if (races && !run.report.is_null()) return std::move(run.report);
    complaints_.push_back(
        Complaint(fmt::format("{}, exit code {} expected", Name("seeded", detector), exit_code),
                  run.finished));
    return std::nullopt;
  }

  static std::string Name(const char* build, const Detector& detector) {
    if (detector.threads != 0) return fmt::format("{}, on {} threads", build, detector.threads);
    return fmt::format("{}, engine {}, history {}", build, detector.engine, detector.history);
  }

  const BenchRequest& request_;
  const BenchRuns& runs_;
  const BenchProgram& program_;
  const SeededMarks& marks_;
  const std::string& suite_;
  std::vector<std::string> complaints_;
  std::optional<RacyObjects> racy_;  // as the first detector has it
  std::string racy_by_;
};

}  // namespace

std::vector<Build> BuildsToCheck(const BenchRequest& request) {
  std::vector<Build> builds;
  const auto add = [&](Build build) {
    if (std::ranges::find(builds, build) == builds.end()) builds.push_back(build);
  };
  for (Config config : request.configs) {
    if (RowOf(config).mode.empty()) add(RowOf(config).build);
  }
  if (request.Runs(Config::kFull)) {
    add(Build::kDetected);
    add(Build::kSeeded);
  }
  return builds;
}

std::vector<std::string> CheckBenchProgram(const BenchRequest& request, const BenchRuns& runs,
                                           const BenchProgram& program, const SeededMarks& marks,
                                           const std::string& suite) {
  return Checker(request, runs, program, marks, suite).Check();
}

}  // namespace taskrace::driver
