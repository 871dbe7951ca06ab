#include "tests/bench/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

namespace loci::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Property;

Report report_of(std::vector<const char*> options, Roofline roofline) {
  options.insert(options.begin(), "bench");
  // argv is of char*, which nobody writes to.
  return {"bench", static_cast<int>(options.size()), const_cast<char**>(options.data()), roofline};
}

nlohmann::json printed(const Report& report) {
  ::testing::internal::CaptureStdout();
  report.print();
  return nlohmann::json::parse(::testing::internal::GetCapturedStdout());
}

void add_row(Report* report, int threads) {
  Row row{"a row", 5, "us", true, "", {}, {}};
  row.peers = {{"one", 6}, {"other", 7}};
  row.threads = threads;
  row.operators = {{.name = "matmul", .runs = 3, .us = 1.5, .flops = 1e5, .bytes = 10}};
  report->add(row);
}

TEST(BenchReportTest, SaysWhichOptionsThereAre) {
  EXPECT_THAT([] { report_of({"--rooflin"}, Roofline::kOffered); },
              ::testing::Throws<std::invalid_argument>(Property(
                  &std::exception::what,
                  HasSubstr("no option --rooflin; there are --json, --roofline and --only TEXT"))));
  EXPECT_THAT(
      [] { report_of({"--roofline"}, Roofline::kNone); },
      ::testing::Throws<std::invalid_argument>(Property(
          &std::exception::what, HasSubstr("no option --roofline; there are --json and --only"))));
}

TEST(BenchReportTest, HasOperatorsAndTheirBoundsBesideLimits) {
  Report report = report_of({"--json", "--roofline"}, Roofline::kOffered);
  EXPECT_TRUE(report.wants_roofline());
  report.add_limits({.threads = 1, .flops = 100e9, .levels = {{1000, 50e9, 40e9}}});
  add_row(&report, 1);
  const nlohmann::json object = printed(report);
  EXPECT_EQ(object["limits"][0]["flops"], 100e9);
  EXPECT_EQ(object["limits"][0]["levels"][0]["read"], 50e9);
  const nlohmann::json& row = object["rows"][0];
  EXPECT_EQ(row["peers"]["other"], 7);
  EXPECT_EQ(row["threads"], 1);
  EXPECT_EQ(row["bound_us"], 3);
  EXPECT_EQ(row["operators"][0]["bound_us"], 1);
  EXPECT_EQ(row["operators"][0]["bound_by"], "arithmetic");
}

TEST(BenchReportTest, HasNoBoundsWithoutLimitsOfAsManyThreads) {
  Report report = report_of({"--json", "--roofline"}, Roofline::kOffered);
  report.add_limits({.threads = 1, .flops = 100e9, .levels = {}});
  add_row(&report, 2);
  EXPECT_FALSE(printed(report)["rows"][0].contains("bound_us"));
}

TEST(BenchReportTest, HasNotesOnlyWhereThereAreSome) {
  Report report = report_of({"--json"}, Roofline::kNone);
  EXPECT_FALSE(printed(report).contains("notes"));
  report.note("peers: absent");
  report.note("peers: absent");
  EXPECT_EQ(printed(report)["notes"], nlohmann::json({"peers: absent"}));
}

}  // namespace
}  // namespace loci::bench
