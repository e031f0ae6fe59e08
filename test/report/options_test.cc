#include "report/options.h"

#include <gtest/gtest.h>

namespace taskrace::report {
namespace {

TEST(Options, ValuesMayBeQuotedAndHoldColons) {
  Options options;
  ASSERT_TRUE(options.Parse("engine=sporder:json='a:b c.json' exitcode=7"));
  EXPECT_EQ(options.engine, "sporder");
  EXPECT_EQ(options.json, "a:b c.json");
  EXPECT_EQ(options.exitcode, 7u);
}

TEST(Options, TextIsReadBackAsTheSameOptions) {
  Options options;
  options.json = "with 'quote' and: colon";
  options.max_races = 0;
  options.dedup = "address";
  Options again;
  ASSERT_TRUE(again.Parse(*options.Text()));
  EXPECT_EQ(again.json, options.json);
  EXPECT_EQ(again.max_races, 0u);
  EXPECT_EQ(again.dedup, "address");
  EXPECT_EQ(*Options().Text(), "");
}

TEST(Options, AValueWithBothQuotesCannotBeHandedOn) {
  Options options;
  options.json = "'\"";
  EXPECT_FALSE(options.Text());
}

TEST(Options, MistakesNameTheOptionAndWhatWouldDo) {
  Options options;
  EXPECT_EQ(options.Parse("engin=spbags").error(), "unknown option 'engin'; did you mean engine?");
  EXPECT_EQ(options.Parse("engine=fast").error(),
            "option engine: 'fast' is not one of auto, spbags, sporder, multibags, multibags+, "
            "donesets, lattice2d, dpst, promises");
  EXPECT_EQ(options.Parse("exitcode=256").error(),
            "option exitcode: '256' is not a number from 0 to 255");
  EXPECT_EQ(options.Parse("exitcode=6x").error(),
            "option exitcode: '6x' is not a number from 0 to 255");
  EXPECT_EQ(options.Parse("json").error(), "option json has no value; write json=...");
  EXPECT_EQ(options.Parse("json=").error(), "option json has no value; write json=...");
  EXPECT_EQ(options.Parse("suppressions=''").error(),
            "option suppressions has no value; write suppressions=...");
  EXPECT_EQ(options.Parse("json='x").error(), "option json: the closing quote is missing");
  EXPECT_EQ(options.Parse("zzzzzzzz=1").error().find("hidden"), std::string::npos);
}

TEST(Options, ASwitchNeedsNoValue) {
  Options options;
  ASSERT_TRUE(options.Parse("stats:lock_order,json=a halt_on_error"));
  EXPECT_EQ(options.stats, 1u);
  EXPECT_EQ(options.lock_order, 1u);
  EXPECT_EQ(options.halt_on_error, 1u);
  EXPECT_EQ(options.json, "a");
  EXPECT_FALSE(options.Parse("exitcode"));
}

TEST(Options, WhatCannotBeIsAnErrorThoughEachValueIsWellFormed) {
  const auto together = [](std::string_view text) {
    Options options;
    EXPECT_TRUE(options.Parse(text));
    return options.CheckTogether();
  };
  EXPECT_EQ(together("threads=4").error(),
            "option threads is for parallel runs: set exec=parallel too, or leave it out");
  EXPECT_FALSE(together("exec=parallel:engine=spbags"));
  EXPECT_FALSE(together("exec=parallel:history=intervals"));
  EXPECT_FALSE(together("exec=parallel:hidden_trace=a"));
  EXPECT_FALSE(together("json=-"));
  EXPECT_TRUE(together("exec=parallel:engine=dpst:history=shadow:threads=4"));
  EXPECT_TRUE(together("exec=serial:engine=spbags:history=intervals:hidden_trace=a"));
  EXPECT_TRUE(together(""));
}

}  // namespace
}  // namespace taskrace::report
