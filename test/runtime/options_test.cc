// The runtime's parser of options and the driver's take the same text alike.
#include "runtime/options.h"

#include <gtest/gtest.h>

#include "report/options.h"

namespace taskrace {
namespace {

// The options that the text sets, as text; empty if it is refused.
std::string ByDriver(const std::string& text) {
  report::Options options;
  if (!options.Parse(text) || !options.CheckTogether()) return "";
  return options.json + " " + std::to_string(options.stats) + " " + options.exec + " " +
         std::to_string(options.threads);
}
std::string ByRuntime(const std::string& text) {
  static Options options;
  options = Options();
  char problem[512];
  if (!options.Parse(text.c_str(), problem, sizeof(problem))) {
    EXPECT_EQ(std::string(problem).find("TASKRACE_OPTIONS: "), 0u) << problem;
    return "";
  }
  return std::string(options.json) + " " + std::to_string(options.stats) + " " + options.exec +
         " " + std::to_string(options.threads);
}

TEST(RuntimeOptions, AreThoseOfTheDriver) {
  for (const char* text : {"", ":", " ,:\n", "stats=1:json=a", "stats=1,json=a", "json=a stats=1",
                           "json='a:b, c':stats=1", "json=\"it's\"\tstats=1", "json=a=b", "stats",
                           "stats:json=a", "json=a,stats", "exec=parallel:threads=3"}) {
    EXPECT_NE(ByRuntime(text), "") << text;
    EXPECT_EQ(ByRuntime(text), ByDriver(text)) << text;
  }
  for (const char* text :
       {"json", "json=", "json=''", "json=:stats=1", "stats=2", "stats=", "threads", "json='a",
        "=1", "x=1", "exec=paralle", "threads=3", "json=-"}) {
    EXPECT_EQ(ByRuntime(text), "") << text;
    EXPECT_EQ(ByDriver(text), "") << text;
  }
}

}  // namespace
}  // namespace taskrace
