#include "framework/profiler/assembly.h"

#include <gtest/gtest.h>

namespace loci::profiler {
namespace {

// A tick is a nanosecond, and the monotonic clock is 1000 ahead.
Harvest harvest(std::uint64_t begin, std::uint64_t end) {
  Harvest made;
  made.begin_ticks = begin;
  made.end_ticks = end;
  made.clock = {{0, 1000, 0}, {100'000, 101'000, 0}};
  return made;
}

class AssemblyTest : public testing::Test {
 protected:
  LabelTable table_;
  LabelId op_ = table_.intern({.kind = LOCI_SPAN_OP, .name = "relu", .instance = "relu_0"});
  Assembly assembly_{table_};
};

TEST_F(AssemblyTest, PutsSpansOnTheSessionsAxis) {
  Harvest period = harvest(100, 600);
  period.threads.push_back({7, "main", {{150, 250, 3, op_, 1, 0}}});
  assembly_.add_period(period);
  const Recording recording = assembly_.finish(7);

  EXPECT_EQ(recording.wall_ns, 500U);
  ASSERT_EQ(recording.threads.size(), 1U);
  EXPECT_EQ(recording.threads[0].os_id, 7U);
  ASSERT_EQ(recording.threads[0].spans.size(), 1U);
  const Span& span = recording.threads[0].spans[0];
  EXPECT_EQ(span.begin_ns, 50U);
  EXPECT_EQ(span.end_ns, 150U);
  EXPECT_EQ(span.correlation, 3U);
  EXPECT_EQ(span.depth, 1U);
  EXPECT_EQ(recording.labels[span.label].name, "relu");
}

TEST_F(AssemblyTest, JoinsPeriods) {
  Harvest first = harvest(100, 600);
  first.threads.push_back({7, "main", {{150, 250, 0, op_, 0, 0}}});
  Harvest second = harvest(5000, 5100);
  second.threads.push_back({7, "main", {{5010, 5020, 0, op_, 0, 0}}});
  assembly_.add_period(first);
  assembly_.add_step(100, 600, 0);
  assembly_.add_period(second);
  assembly_.add_step(5000, 5100, 4);
  const Recording recording = assembly_.finish(7);

  EXPECT_EQ(recording.wall_ns, 600U);
  ASSERT_EQ(recording.threads.size(), 1U);
  ASSERT_EQ(recording.threads[0].spans.size(), 2U);
  EXPECT_EQ(recording.threads[0].spans[1].begin_ns, 510U);
  EXPECT_EQ(recording.labels.size(), 1U);
  ASSERT_EQ(recording.steps.size(), 2U);
  EXPECT_EQ(recording.steps[1].begin_ns, 500U);
  EXPECT_EQ(recording.steps[1].end_ns, 600U);
  EXPECT_EQ(recording.steps[1].number, 4U);
}

TEST_F(AssemblyTest, OrdersThreadsByTheirFirstSpan) {
  Harvest period = harvest(0, 1000);
  period.threads.push_back({1, "late", {{500, 600, 0, op_, 0, 0}}});
  period.threads.push_back({2, "early", {{100, 200, 0, op_, 0, 0}}});
  assembly_.add_period(period);
  const Recording recording = assembly_.finish(1);
  EXPECT_EQ(recording.threads[0].name, "early");
  EXPECT_EQ(recording.threads[1].name, "late");
  EXPECT_EQ(recording.main_thread, 1U);
}

TEST_F(AssemblyTest, TakesDeviceWorkOfThePeriodAlone) {
  assembly_.add_period(harvest(100, 600));
  DeviceLog log("sim", 10);
  const std::string name = "relu_kernel";
  const auto add = [&](std::uint64_t begin, std::uint64_t end, std::uint32_t stream) {
    loci_device_record record{};
    record.begin_ns = begin;
    record.end_ns = end;
    record.name = {name.data(), name.size()};
    record.device = 1;
    record.stream = stream;
    record.graph = 4;
    record.replay = begin;
    record.algorithm_bytes = end;
    log.sink().device_records(log.sink().context, &record, 1);
  };
  add(500, 1050, 70);   // ended before
  add(1090, 1150, 70);  // cut at the beginning
  add(1200, 1300, 90);  // within
  add(1650, 1700, 70);  // began after
  assembly_.add_device_log(log.take());
  const Recording recording = assembly_.finish(7);

  ASSERT_EQ(recording.device_spans.size(), 2U);
  EXPECT_EQ(recording.device_spans[0].begin_ns, 0U);
  EXPECT_EQ(recording.device_spans[0].end_ns, 50U);
  EXPECT_EQ(recording.device_spans[0].stream, 0U);
  EXPECT_EQ(recording.device_spans[1].begin_ns, 100U);
  EXPECT_EQ(recording.device_spans[1].stream, 1U);
  EXPECT_EQ(recording.device_spans[1].graph, 4U);
  EXPECT_EQ(recording.device_spans[1].replay, 1200U);
  EXPECT_EQ(recording.device_spans[1].algorithm_bytes, 1300U);
  EXPECT_EQ(recording.devices[recording.device_spans[0].device].place, "sim:1");
  EXPECT_EQ(recording.texts[recording.device_spans[0].name], name);
}

TEST_F(AssemblyTest, SaysWhatIsKnownOfDevices) {
  assembly_.add_period(harvest(0, 1000));
  DeviceLog log("sim", 10);
  loci_device_record record{};
  record.begin_ns = 1100;
  record.end_ns = 1200;
  log.sink().device_records(log.sink().context, &record, 1);
  assembly_.add_device_log(log.take());
  assembly_.add_devices({{.place = "cpu", .name = "Xeon"}, {.place = "sim:0", .name = "Sim"}});
  const Recording recording = assembly_.finish(7);
  ASSERT_EQ(recording.devices.size(), 2U);
  EXPECT_EQ(recording.devices[recording.device_spans[0].device].name, "Sim");
  EXPECT_EQ(recording.devices[1].name, "Xeon");
}

TEST_F(AssemblyTest, PutsCallsAmongTheSpansOfTheirThread) {
  Harvest period = harvest(0, 1000);
  period.threads.push_back({7, "main", {{100, 200, 0, op_, 0, 0}}});
  assembly_.add_period(period);
  DeviceLog log("sim", 10);
  const std::string name = "copy";
  const loci_call_record call{1150, 1210, 4, 7, {name.data(), name.size()}};
  log.sink().call_records(log.sink().context, &call, 1);
  assembly_.add_device_log(log.take());
  const Recording recording = assembly_.finish(7);

  ASSERT_EQ(recording.threads.size(), 1U);
  ASSERT_EQ(recording.threads[0].spans.size(), 2U);
  const Span& span = recording.threads[0].spans[1];
  EXPECT_EQ(recording.labels[span.label].kind, static_cast<std::uint32_t>(LOCI_SPAN_CALL));
  EXPECT_EQ(span.begin_ns, 150U);
  EXPECT_EQ(span.end_ns, 210U);
}

TEST_F(AssemblyTest, KeepsMemoryApartFromSpans) {
  const LabelId memory = table_.intern({.kind = LOCI_SPAN_KIND_COUNT, .name = "w", .place = "cpu"});
  Harvest period = harvest(0, 1000);
  period.threads.push_back({7,
                            "main",
                            {{100, 0x1234, 64, memory, 0, kAllocationRecord},
                             {200, 0x1234, 64, memory, 0, kReleaseRecord}}});
  assembly_.add_period(period);
  const Recording recording = assembly_.finish(7);
  ASSERT_EQ(recording.memory_events.size(), 2U);
  EXPECT_EQ(recording.memory_events[0].at_ns, 100U);
  EXPECT_EQ(recording.memory_events[0].address, 0x1234U);
  EXPECT_EQ(recording.memory_events[0].bytes, 64U);
  EXPECT_EQ(recording.texts[recording.memory_events[0].name], "w");
  EXPECT_EQ(recording.texts[recording.memory_events[0].place], "cpu");
  EXPECT_FALSE(recording.memory_events[0].is_free);
  EXPECT_TRUE(recording.memory_events[1].is_free);
  EXPECT_TRUE(recording.threads[0].spans.empty());
}

TEST_F(AssemblyTest, CutsToTheLatestPart) {
  Harvest period = harvest(0, 1000);
  period.threads.push_back(
      {7, "main", {{100, 200, 0, op_, 0, 0}, {650, 750, 0, op_, 0, 0}, {800, 900, 0, op_, 0, 0}}});
  assembly_.add_period(period, /*keep_last_ns=*/300);
  const Recording recording = assembly_.finish(7);
  EXPECT_EQ(recording.wall_ns, 300U);
  ASSERT_EQ(recording.threads[0].spans.size(), 2U);
  EXPECT_EQ(recording.threads[0].spans[0].begin_ns, 0U);
  EXPECT_EQ(recording.threads[0].spans[0].end_ns, 50U);
  EXPECT_EQ(recording.threads[0].spans[1].begin_ns, 100U);
}

TEST_F(AssemblyTest, SumsWhatWasLost) {
  Harvest first = harvest(0, 10);
  first.dropped = {2, 0};
  first.own_cost_ns = 5;
  Harvest second = harvest(20, 30);
  second.dropped = {3, 1};
  second.own_cost_ns = 6;
  assembly_.add_period(first);
  assembly_.add_period(second);
  const Recording recording = assembly_.finish(7);
  ASSERT_EQ(recording.quality.drops.size(), 2U);
  EXPECT_EQ(recording.quality.drops[0].kind, "span");
  EXPECT_EQ(recording.quality.drops[0].count, 5U);
  EXPECT_EQ(recording.quality.drops[1].kind, "memory");
  EXPECT_EQ(recording.quality.drops[1].count, 1U);
  EXPECT_EQ(recording.quality.own_cost_ns, 11U);
}

}  // namespace
}  // namespace loci::profiler
