#include "plugins/reporter_json/json_reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/profiler/profile.h"
#include "tests/support/recording_builder.h"
#include "tests/support/reporter_driver.h"

namespace loci::testing {
namespace {

using nlohmann::json;
using report::JsonReporter;
using test_support::ms;
using test_support::RecordingBuilder;
using test_support::us;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

json report_json(const profiler::Recording& recording, const ReportOptions& options = {}) {
  const profiler::Profile profile{recording};
  return json::parse(report_of<JsonReporter>(profile.abi(), options));
}

// Two calls of one operator, a kernel in the first, a copy of 1 GB in 10 ms.
RecordingBuilder two_calls() {
  RecordingBuilder builder;
  builder.run("main", us(0), us(300));
  profiler::Label mul{LOCI_SPAN_OP, "mul", "mul_0", "sim:0", "portable"};
  mul.flops = 4000;
  mul.bytes = 500;
  builder.span(mul, us(10), us(60)).kernel("gemm", us(20), us(40));
  builder.span(mul, us(100), us(170)).kernel("gemm", us(110), us(130));
  builder.step(us(0), us(300));
  return builder;
}

TEST(JsonReporterTest, NamesOfTheTopAreStable) {
  const json report = report_json(two_calls().build());
  std::vector<std::string> names;
  for (const auto& [name, value] : report.items()) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("collectives", "copies", "devices", "format", "format_version",
                                 "gaps", "graphs", "nodes", "quality", "rows", "session",
                                 "step_times", "steps", "tensors", "threads"));
  EXPECT_EQ(report["format"], "loci.profile");
  EXPECT_EQ(report["format_version"], 2);
  EXPECT_EQ(report["session"]["program"], "example");
  EXPECT_EQ(report["session"]["wall_ns"], us(300));
  EXPECT_EQ(report["graphs"], json::array());
  EXPECT_EQ(report["collectives"], json::array());
}

TEST(JsonReporterTest, SessionSaysWhichProcessItIs) {
  RecordingBuilder builder = two_calls();
  EXPECT_EQ(report_json(builder.build())["session"]["world_size"], 1);
  builder.recording().rank = 2;
  builder.recording().world_size = 4;
  const json session = report_json(builder.build())["session"];
  EXPECT_EQ(session["rank"], 2);
  EXPECT_EQ(session["world_size"], 4);
}

TEST(JsonReporterTest, GraphsAndCollectivesAreSummed) {
  RecordingBuilder builder = two_calls();
  builder.kernel("gemm", us(200), us(203)).replayed(5, 1);
  builder.kernel("relu", us(203), us(204)).replayed(5, 1);
  builder.kernel("gemm", us(210), us(213)).replayed(5, 2);
  builder.kernel("all_reduce", us(220), us(230)).collective(4000, 6000);
  builder.kernel("all_reduce", us(240), us(250)).collective(4000, 6000);
  const json report = report_json(builder.build());
  EXPECT_EQ(report["graphs"], json::parse(R"([{"device": 0, "graph": 5, "replays": 2, "works": 3,
                                               "total_ns": 7000}])"));
  EXPECT_EQ(report["collectives"],
            json::parse(R"([{"device": 0, "name": "all_reduce", "calls": 2, "bytes": 8000,
                             "algorithm_bytes": 12000, "total_ns": 20000, "bytes_per_s": 4e8,
                             "algorithm_bytes_per_s": 6e8}])"));
}

TEST(JsonReporterTest, NodesHaveTheFiguresOfTheProfile) {
  const json nodes = report_json(two_calls().build())["nodes"];
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_TRUE(nodes[0]["parent"].is_null());
  const json& mul = nodes[1];
  EXPECT_EQ(mul["parent"], 0);
  EXPECT_EQ(mul["kind"], "op");
  EXPECT_EQ(mul["instance"], "mul_0");
  EXPECT_EQ(mul["calls"], 2);
  EXPECT_EQ(mul["total_ns"], us(120));
  EXPECT_EQ(mul["min_ns"], us(50));
  EXPECT_EQ(mul["max_ns"], us(70));
  EXPECT_EQ(mul["device_ns"], us(40));
  EXPECT_EQ(mul["flops"], 8000);
  EXPECT_DOUBLE_EQ(mul["flops_per_s"].get<double>(), 8000 / 40e-6);
}

TEST(JsonReporterTest, AccountingAddsUp) {
  const json threads = report_json(two_calls().build())["threads"];
  ASSERT_FALSE(threads.empty());
  for (const json& thread : threads) {
    const std::uint64_t sum = thread["self_ns"].get<std::uint64_t>() +
                              thread["idle_ns"].get<std::uint64_t>() +
                              thread["unaccounted_ns"].get<std::uint64_t>();
    EXPECT_EQ(thread["wall_ns"], sum);
  }
}

TEST(JsonReporterTest, CopiesHaveReasonsAndRates) {
  RecordingBuilder builder;
  builder.waited_copy({"x", "cpu", "sim:0", 1'000'000'000, "feed"}, ms(0), ms(11));
  builder.device_copy(LOCI_COPY_HOST_TO_DEVICE, 1'000'000'000, ms(1), ms(11));
  const json copies = report_json(builder.build())["copies"];
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(copies[0]["variable"], "x");
  EXPECT_EQ(copies[0]["reason"], "feed");
  EXPECT_EQ(copies[0]["crosses"], true);
  EXPECT_EQ(copies[0]["waited"], 1);
  EXPECT_DOUBLE_EQ(copies[0]["bytes_per_s"].get<double>(), 1e11);
}

TEST(JsonReporterTest, GapsAndMemoryAreThere) {
  RecordingBuilder builder = two_calls();
  builder.allocate(us(5), 1, 64, "w", "sim:0").allocate(us(6), 2, 32, "w", "sim:0");
  builder.release(us(7), 1);
  const json report = report_json(builder.build());
  ASSERT_EQ(report["tensors"].size(), 1U);
  EXPECT_EQ(report["tensors"][0]["peak_bytes"], 96);
  EXPECT_EQ(report["tensors"][0]["freed_bytes"], 64);
  ASSERT_EQ(report["gaps"].size(), 1U);
  EXPECT_EQ(report["gaps"][0]["begin_ns"], us(40));
  EXPECT_EQ(report["gaps"][0]["end_ns"], us(110));
  EXPECT_EQ(report["gaps"][0]["cause"], "host_late");
  EXPECT_EQ(report["gaps"][0]["next"], "gemm");
}

TEST(JsonReporterTest, QualityMayBeLeftOut) {
  RecordingBuilder builder = two_calls();
  builder.drop("span", 7).note("sim: a note with \"quotes\" and \xff");
  const json quality = report_json(builder.build())["quality"];
  EXPECT_EQ(quality["dropped"][0]["kind"], "span");
  EXPECT_EQ(quality["dropped"][0]["count"], 7);
  EXPECT_EQ(quality["notes"][0], "sim: a note with \"quotes\" and \uFFFD");
  EXPECT_FALSE(report_json(builder.build(), {{"quality", "off"}}).contains("quality"));
}

TEST(JsonReporterTest, EmptyProfileIsAnObjectToo) {
  const json report = report_json(profiler::Recording{});
  EXPECT_TRUE(report["nodes"].empty());
  EXPECT_EQ(report["session"]["spans"], 0);
}

TEST(JsonReporterTest, UnknownOptionIsNamed) {
  EXPECT_THAT(
      [] {
        report_json(profiler::Recording{}, {{"indent", "2"}});
      },
      ThrowsMessage<sdk::Error>(HasSubstr("has no option 'indent'; there are: quality")));
  EXPECT_THAT(
      [] {
        report_json(profiler::Recording{}, {{"quality", "much"}});
      },
      ThrowsMessage<sdk::Error>(HasSubstr("'quality' one of on, off, not 'much'")));
}

}  // namespace
}  // namespace loci::testing
