#include "driver/bench_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/log_format.h"

namespace taskrace::driver {
namespace {

using Json = nlohmann::ordered_json;

constexpr Config kOverheads[] = {Config::kReach,   Config::kInstrument, Config::kFull,
                                 Config::kFullOne, Config::kFullTwo,    Config::kTsanSerial};

// Counters that are always present; null if they were not counted.
constexpr const char* kCounters[] = {"tasks", "strands", "reads", "writes", "intervals"};

// More digits would be noise.
Json Rounded(std::optional<double> value, int digits) {
  if (!value) return nullptr;
  return std::stod(fmt::format("{:.{}g}", *value, digits));
}
Json Ratio(std::optional<double> value) { return Rounded(value, 4); }
Json Seconds(std::optional<double> value) { return Rounded(value, 5); }

void AddThreads(Json& json, const char* key, const BenchResult& result, Config one, Config more) {
  for (Config config : {one, more}) {
    if (const auto seconds = result.Seconds(config)) {
      json[key][fmt::format("{}", ThreadsOf(config))] = Seconds(seconds);
    }
  }
}

Json ResultJson(const BenchResult& result, const BenchRequest& request) {
  const BenchProgram& program = result.program;
  Json json = {{"name", program.ShortName()}, {"group", program.group}, {"program", program.name}};
  json["variant"] = program.variant.empty() ? Json(nullptr) : Json(program.variant);
  json["size"] = request.size;
  json["engine"] = result.engine;
  json["history"] = result.history;
  if (!result.failure.empty()) {
    json["failure"] = result.failure;
    return json;
  }
  json["plain_s"] = Seconds(result.Seconds(Config::kPlain));
  if (request.Runs(Config::kNative)) json["native_s"] = Seconds(result.Seconds(Config::kNative));
  AddThreads(json, "parallel_s", result, Config::kParallelOne, Config::kParallelTwo);
  AddThreads(json, "full_parallel_s", result, Config::kFullOne, Config::kFullTwo);
  AddThreads(json, "tsan_s", result, Config::kTsanOne, Config::kTsanAll);
  if (request.Runs(Config::kTsanSerial)) {
    json["tsan_serial_s"] = Seconds(result.Seconds(Config::kTsanSerial));
  }
  json["overhead"] = Json::object();
  json["timed_out"] = Json::array();
  json["died"] = Json::array();
  for (Config config : kOverheads) {
    if (const auto overhead = result.Overhead(config)) {
      json["overhead"][std::string(RowOf(config).name)] = Ratio(overhead);
    }
  }
  for (Config config : {Config::kTsanOne, Config::kTsanAll}) {
    if (const auto overhead = result.Overhead(config)) {
      json["overhead"][fmt::format("tsan_{}", ThreadsOf(config))] = Ratio(overhead);
    }
  }
  json["repeats"] = Json::object();
  for (const auto& [config, timing] : result.timings) {
    const std::string name(RowOf(config).name);
    json["repeats"][name] = timing.runs;
    if (timing.timed_out) json["timed_out"].push_back(name);
    if (timing.died) json["died"].push_back(name);
  }
  json["memory"] = Ratio(result.Memory());
  for (const auto& [key, config] :
       {std::pair("plain_kib", Config::kPlain), std::pair("full_kib", Config::kFull),
        std::pair("full_2_kib", Config::kFullTwo)}) {
    if (const auto timing = result.timings.find(config); timing != result.timings.end()) {
      json[key] = timing->second.peak_kib;
    }
  }
  const auto& paper = program.paper.full;
  json["paper"] = paper ? Json(*paper) : Json(nullptr);
  json["seeded_race_found"] = result.seeded_found ? Json(*result.seeded_found) : Json(nullptr);
  for (const char* name : kCounters) json[name] = nullptr;
  for (const auto& [name, count] : result.counters) json[name] = count;
  return json;
}

}  // namespace

std::string BenchJson(const Machine& machine, const BenchRequest& request,
                      const std::vector<BenchResult>& results) {
  Json json = {{"taskrace", kVersion},
               {"machine",
                {{"cpu", machine.cpu},
                 {"cores", machine.cores},
                 {"memory_gib", machine.memory_gib},
                 {"kernel", machine.kernel},
                 {"compiler", machine.compiler},
                 {"load", machine.load}}}};
  json["results"] = Json::array();
  for (const BenchResult& result : results) json["results"].push_back(ResultJson(result, request));
  json["geomean"] = Json::object();
  for (Config config : kOverheads) {
    std::vector<std::optional<double>> values;
    for (const BenchResult& result : results) values.push_back(result.Overhead(config));
    json["geomean"][std::string(RowOf(config).name)] = Ratio(GeometricMean(values));
  }
  std::vector<std::optional<double>> memory;
  for (const BenchResult& result : results) memory.push_back(result.Memory());
  json["geomean"]["memory"] = Ratio(GeometricMean(memory));
  return json.dump(2) + "\n";
}

}  // namespace taskrace::driver
