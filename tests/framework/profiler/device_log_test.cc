#include "framework/profiler/device_log.h"

#include <gtest/gtest.h>

#include <string>

namespace loci::profiler {
namespace {

loci_str text(const std::string& value) { return {value.data(), value.size()}; }

loci_device_record kernel(const std::string& name, std::uint64_t correlation) {
  loci_device_record record{};
  record.begin_ns = 10;
  record.end_ns = 20;
  record.correlation = correlation;
  record.name = text(name);
  return record;
}

TEST(DeviceLogTest, CopiesWhatItIsLent) {
  DeviceLog log("sim", 10);
  const loci_profile_sink& sink = log.sink();
  {
    const std::string name = "relu";
    const std::string called = "launch";
    const loci_device_record records[] = {kernel(name, 1), kernel(name, 2)};
    sink.device_records(sink.context, records, 2);
    const loci_call_record call{5, 30, 1, 99, text(called)};
    sink.call_records(sink.context, &call, 1);
  }
  const DeviceLog::Content content = log.take();
  EXPECT_EQ(content.device_type, "sim");
  ASSERT_EQ(content.device.size(), 2U);
  EXPECT_EQ(content.texts[content.device[0].name], "relu");
  EXPECT_EQ(content.device[0].name, content.device[1].name);
  EXPECT_EQ(content.device[1].record.correlation, 2U);
  ASSERT_EQ(content.calls.size(), 1U);
  EXPECT_EQ(content.texts[content.calls[0].name], "launch");
  EXPECT_EQ(content.calls[0].record.os_thread, 99U);
  EXPECT_TRUE(log.take().device.empty());
}

TEST(DeviceLogTest, CountsWhatItHasNoRoomFor) {
  DeviceLog log("sim", 2);
  const loci_profile_sink& sink = log.sink();
  const std::string name = "k";
  const loci_device_record records[] = {kernel(name, 1), kernel(name, 2), kernel(name, 3)};
  sink.device_records(sink.context, records, 3);
  sink.dropped(sink.context, 4);
  const DeviceLog::Content content = log.take();
  EXPECT_EQ(content.device.size(), 2U);
  EXPECT_EQ(content.dropped, 5U);
}

TEST(DeviceLogTest, DropsRecordsAndKeepsNotes) {
  DeviceLog log("sim", 2);
  const std::string name = "k";
  const loci_device_record record = kernel(name, 1);
  log.sink().device_records(log.sink().context, &record, 1);
  log.add_note("no timestamps");
  log.drop_records();
  const DeviceLog::Content content = log.take();
  EXPECT_TRUE(content.device.empty());
  EXPECT_EQ(content.notes.size(), 1U);
}

TEST(DeviceLogTest, SaysWhoseNoteItIs) {
  DeviceLog log("sim", 2);
  const std::string note = "no timestamps";
  log.sink().note(log.sink().context, text(note));
  EXPECT_EQ(log.take().notes, std::vector<std::string>{"sim: no timestamps"});
}

}  // namespace
}  // namespace loci::profiler
