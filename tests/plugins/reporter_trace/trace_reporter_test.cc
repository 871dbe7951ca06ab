#include "plugins/reporter_trace/trace_reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/plugins/reporter_html/sample_profile.h"
#include "tests/plugins/reporter_trace/trace_json.h"
#include "tests/support/recording_builder.h"

namespace loci::testing {
namespace {

using test_support::ms;
using test_support::RecordingBuilder;
using test_support::us;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;
using ::testing::UnorderedElementsAre;

// Ten steps of 100 us with an operator and a kernel in each, under one range of the application.
RecordingBuilder ten_steps() {
  RecordingBuilder builder;
  builder.user("epoch", us(0), us(1000), "first");
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t at = us(100.0 * i);
    builder.op("mul", "mul_0", at + us(10), at + us(60));
    builder.kernel("gemm", at + us(20), at + us(80));
    builder.step(at, at + us(100));
  }
  return builder;
}

TEST(TraceReporterTest, TimesAreMicrosecondsToTheNanosecond) {
  RecordingBuilder builder;
  builder.op("mul", "mul_0", 1'234'567, 1'234'568);
  builder.op("add", "add_0", 2'000'000, 2'000'000);
  const std::string text = trace_text(builder.build());
  EXPECT_THAT(text, HasSubstr(R"("ts":1234.567,"dur":0.001,)"));
  EXPECT_THAT(text, HasSubstr(R"("ts":2000.000,"dur":0.000,)"));
}

TEST(TraceReporterTest, SlicesNestAndArrowsMeet) {
  const profiler::Profile profile = sample_profile(5000);
  const json trace = trace_of(profile.recording());
  expect_sound(trace);
  EXPECT_GE(events_of(trace, "X").size(),
            profile.abi().span_count + profile.abi().device_span_count);
  EXPECT_THAT(events_of(trace, "s"), SizeIs(profile.abi().device_span_count));
  EXPECT_THAT(events_of(trace, "C"), SizeIs(profile.abi().memory_event_count));
}

TEST(TraceReporterTest, WorkAtTheSameTimeStandsOnLanes) {
  RecordingBuilder builder;
  builder.op("graph", "graph_0", us(0), us(9));
  builder.kernel("a", us(1), us(5)).kernel("b", us(2), us(8)).kernel("c", us(3), us(4));
  const json trace = trace_of(builder.build());
  expect_sound(trace);
  std::vector<std::string> names;
  for (const auto& [track, name] : track_names(trace)) names.push_back(name);
  EXPECT_THAT(names,
              UnorderedElementsAre("main (1000)", "stream 0", "stream 0 (2)", "stream 0 (3)"));
}

TEST(TraceReporterTest, ProcessesAndThreadsHaveNames) {
  RecordingBuilder builder = ten_steps();
  builder.thread("loader").user("read", us(0), us(5));
  const json trace = trace_of(builder.build());
  std::vector<std::string> processes;
  for (const json& event : events_of(trace, "M")) {
    if (event["name"] == "process_name") processes.push_back(event["args"]["name"]);
  }
  EXPECT_THAT(processes, UnorderedElementsAre("example (host)", "sim:0 simulator"));
  const json read = slice_of(trace, "read");
  EXPECT_EQ(read["pid"], 4242);
  EXPECT_EQ(track_names(trace).at({read["pid"], read["tid"]}), "loader (1001)");
  EXPECT_EQ(
      track_names(trace).at({slice_of(trace, "step 3")["pid"], slice_of(trace, "step 3")["tid"]}),
      "steps");
}

TEST(TraceReporterTest, ArgumentsSayWhatASliceIsOf) {
  RecordingBuilder builder;
  profiler::Label mul{LOCI_SPAN_OP, "mul", "mul_0", "sim:0", "portable", "x: f32[2, 3]"};
  mul.flops = 12;
  builder.span(mul, us(0), us(9)).kernel("gemm", us(1), us(5));
  loci_launch_geometry geometry{{7, 1, 1}, {256, 1, 1}, 32, 0, 1024, 0, 0.5};
  builder.geometry(geometry);
  builder.waited_copy({"w", "cpu", "sim:0", 1'000'000'000, "feed"}, ms(1), ms(12));
  builder.device_copy(LOCI_COPY_HOST_TO_DEVICE, 1'000'000'000, ms(2), ms(12));
  builder.op("open", "open_0", ms(20), ms(21)).flags(LOCI_SPAN_TRUNCATED | LOCI_SPAN_FAILED);
  const json trace = trace_of(builder.build());
  EXPECT_EQ(slice_of(trace, "mul")["args"],
            json::parse(R"({"instance": "mul_0", "place": "sim:0", "kernel": "portable",
                            "detail": "x: f32[2, 3]", "flops": 12, "device_us": 4.0})"));
  const json kernel = slice_of(trace, "gemm")["args"];
  EXPECT_EQ(kernel["launched_by"], "mul");
  EXPECT_EQ(kernel["grid"], "7x1x1");
  EXPECT_EQ(kernel["occupancy"], 0.5);
  const json copy = slice_of(trace, "copy w")["args"];
  EXPECT_EQ(copy["gb_per_s"], 100.0);
  EXPECT_EQ(copy["reason"], "feed");
  EXPECT_EQ(copy["host_waited"], true);
  EXPECT_EQ(slice_of(trace, "memcpy HtoD")["args"]["gb_per_s"], 100.0);
  EXPECT_EQ(slice_of(trace, "open")["args"]["truncated"], true);
  EXPECT_EQ(slice_of(trace, "open")["args"]["failed"], true);
}

TEST(TraceReporterTest, ArgumentsSayGraphReplayAndWhatACollectiveSends) {
  RecordingBuilder builder;
  builder.op("mul", "mul_0", us(0), us(9)).kernel("gemm", us(1), us(5)).replayed(3, 7);
  builder.kernel("all_reduce", ms(10), ms(20)).collective(1'000'000'000, 1'500'000'000);
  const json trace = trace_of(builder.build());
  const json kernel = slice_of(trace, "gemm")["args"];
  EXPECT_EQ(kernel["graph"], 3);
  EXPECT_EQ(kernel["replay"], 7);
  EXPECT_FALSE(kernel.contains("algorithm_bytes"));
  const json reduce = slice_of(trace, "all_reduce")["args"];
  EXPECT_EQ(reduce["bytes"], 1'000'000'000);
  EXPECT_EQ(reduce["algorithm_bytes"], 1'500'000'000);
  EXPECT_EQ(reduce["algorithm_gb_per_s"], 150.0);
  EXPECT_FALSE(reduce.contains("graph"));
}

TEST(TraceReporterTest, ProcessesOfSeveralSayTheirRank) {
  RecordingBuilder builder;
  builder.op("mul", "mul_0", us(0), us(9)).kernel("gemm", us(1), us(5));
  EXPECT_THAT(trace_text(builder.build()), HasSubstr("\"example (host)\""));
  builder.recording().rank = 1;
  builder.recording().world_size = 4;
  const std::string text = trace_text(builder.build());
  EXPECT_THAT(text, HasSubstr("\"example (host, rank 1 of 4)\""));
  EXPECT_THAT(text, HasSubstr(R"("sim:0 simulator, rank 1 of 4")"));
}

TEST(TraceReporterTest, MemoryIsACounterByPlace) {
  RecordingBuilder builder = ten_steps();
  builder.allocate(us(1), 1, 64, "w", "sim:0").allocate(us(2), 2, 32, "x", "cpu").release(us(3), 1);
  const std::vector<json> counters = events_of(trace_of(builder.build()), "C");
  ASSERT_THAT(counters, SizeIs(3));
  EXPECT_EQ(counters[0]["name"], "memory in use, sim:0");
  EXPECT_EQ(counters[0]["args"]["bytes"], 64);
  EXPECT_EQ(counters[1]["name"], "memory in use, cpu");
  EXPECT_EQ(counters[1]["pid"], 4242);
  EXPECT_EQ(counters[2]["args"]["bytes"], 0);
  EXPECT_NE(counters[2]["pid"], 4242);
}

TEST(TraceReporterTest, GapsSayTheirCause) {
  const json trace = trace_of(ten_steps().build());
  const json gap = slice_of(trace, "host_late");
  EXPECT_EQ(gap["cat"], "idle");
  EXPECT_EQ(track_names(trace).at({gap["pid"], gap["tid"]}), "idle");
}

TEST(TraceReporterTest, HostileNamesStayText) {
  RecordingBuilder builder;
  const std::string name = "a\"b\\c\n</script>\x01\xff\xc3";
  builder.op(name, name, us(0), us(5)).kernel(name, us(1), us(2));
  builder.allocate(us(1), 1, 64, name, name);
  const std::string text = trace_text(builder.build());
  for (const char c : text) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
  const json trace = json::parse(text);
  const std::string shown = "a\"b\\c\n</script>\x01\uFFFD\uFFFD";
  EXPECT_EQ(slice_of(trace, shown)["args"]["instance"], shown);
}

TEST(TraceReporterTest, NoArrowLeadsBackInTime) {
  RecordingBuilder builder;
  builder.op("mul", "mul_0", us(5), us(9))
      .kernel("early", us(4), us(6))
      .kernel("late", us(7), us(8));
  const json trace = trace_of(builder.build());
  expect_sound(trace);
  EXPECT_THAT(events_of(trace, "s"), SizeIs(1));
}

TEST(TraceReporterTest, StepsCutOutAWindow) {
  const json trace = trace_of(ten_steps().build(), {{"steps", "3-4"}});
  expect_sound(trace);
  std::vector<std::string> names;
  for (const json& event : events_of(trace, "X")) {
    names.push_back(event["name"]);
    EXPECT_GE(to_ns(event["ts"]), static_cast<std::int64_t>(us(300)));
    EXPECT_LE(to_ns(event["ts"]) + to_ns(event["dur"]), static_cast<std::int64_t>(us(500)));
  }
  // The range around them is cut; the gap before the first kernel began in the step before.
  EXPECT_THAT(names, UnorderedElementsAre("step 3", "step 4", "epoch", "mul", "mul", "gemm", "gemm",
                                          "host_late", "host_late", "host_late"));
  const json& left_out = trace["otherData"]["left_out"];
  EXPECT_EQ(left_out["steps"], 8);
  EXPECT_EQ(left_out["spans"], 8);
  EXPECT_EQ(left_out["device_spans"], 8);
  EXPECT_EQ(left_out["by_steps"], true);
  EXPECT_EQ(left_out["by_size"], false);
  EXPECT_EQ(slice_of(trace_of(ten_steps().build(), {{"steps", "9"}}), "step 9")["ts"], 900.0);
}

TEST(TraceReporterTest, StepsThatThereAreNotAreAnError) {
  EXPECT_THAT(
      [] {
        trace_of(ten_steps().build(), {{"steps", "10-12"}});
      },
      ThrowsMessage<sdk::Error>(
          HasSubstr("the profile has none of the steps 10-12; it has 0 to 9")));
}

TEST(TraceReporterTest, SizeIsCappedByWholeSteps) {
  const profiler::Profile profile = sample_profile(20'000);
  const std::string whole = trace_text(profile.recording());
  ASSERT_GT(whole.size(), 3'000'000U);
  const std::string text = trace_text(profile.recording(), {{"max_mb", "2"}});
  EXPECT_LE(text.size(), 2'000'000U);
  EXPECT_GT(text.size(), 1'900'000U);
  const json trace = json::parse(text);
  expect_sound(trace);
  const json& other = trace["otherData"];
  EXPECT_EQ(other["left_out"]["by_size"], true);
  const std::uint64_t steps =
      profile.abi().step_count - other["left_out"]["steps"].get<std::uint64_t>();
  ASSERT_GT(steps, 0U);
  EXPECT_EQ(other["shown"]["end_ns"], profile.abi().steps[steps - 1].end_ns);
  std::vector<std::string> labels;
  for (const json& event : events_of(trace, "M")) {
    if (event["name"] == "process_labels") labels.push_back(event["args"]["labels"]);
  }
  EXPECT_THAT(labels, Contains(StartsWith("left out: all after ")));
  EXPECT_THAT(labels, Contains(HasSubstr("(max_mb=2)")));
}

TEST(TraceReporterTest, OneStepThatIsTooLargeIsCut) {
  profiler::Recording recording = sample_profile(20'000).recording();
  recording.steps.clear();
  const std::string text = trace_text(recording, {{"max_mb", "1"}});
  EXPECT_LE(text.size(), 1'000'000U);
  EXPECT_GT(text.size(), 900'000U);
  expect_sound(json::parse(text));
}

TEST(TraceReporterTest, QualityMayBeLeftOut) {
  EXPECT_EQ(
      trace_of(ten_steps().drop("span", 4).build())["otherData"]["quality"]["dropped"][0]["count"],
      4);
  EXPECT_FALSE(
      trace_of(ten_steps().build(), {{"quality", "off"}})["otherData"].contains("quality"));
}

TEST(TraceReporterTest, EmptyProfileIsATraceToo) {
  const json trace = trace_of(profiler::Recording{});
  EXPECT_TRUE(events_of(trace, "X").empty());
  EXPECT_EQ(trace["displayTimeUnit"], "ns");
}

}  // namespace
}  // namespace loci::testing
