#include "framework/reporting/sources.h"

#include "framework/device/device_manager.h"
#include "framework/device/timed_work.h"
#include "framework/profiler/collector.h"
#include "framework/profiler/label_table.h"
#include "tests/framework/reporting/reporting_fixture.h"
#include "tests/support/fake_device.h"

namespace loci::reporting {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A source whose calls are counted, and whose sink is kept. Its devices outlive it: what later
// sessions call counts for nobody.
struct CountedSource {
  static inline CountedSource* now = nullptr;

  CountedSource() { now = this; }
  ~CountedSource() { now = nullptr; }

  static loci_profile_source_api table() {
    loci_profile_source_api api{};
    api.struct_size = sizeof api;
    api.start = [](loci_plugin*, std::uint32_t flags, const loci_profile_sink* sink) {
      if (now == nullptr) return static_cast<loci_error*>(nullptr);
      ++now->starts;
      now->flags = flags;
      now->sink = sink;
      return now->failure;
    };
    api.flush = [](loci_plugin*) -> loci_error* {
      if (now != nullptr) ++now->flushes;
      return nullptr;
    };
    api.stop = [](loci_plugin*) -> loci_error* {
      if (now == nullptr) return nullptr;
      ++now->stops;
      if (now->says_at_stop) now->sink->note(now->sink->context, {"farewell", 8});
      return nullptr;
    };
    return api;
  }
  void give(std::uint64_t begin, std::uint64_t end) const {
    loci_device_record record{};
    record.begin_ns = begin;
    record.end_ns = end;
    sink->device_records(sink->context, &record, 1);
  }

  int starts = 0;
  int flushes = 0;
  int stops = 0;
  bool says_at_stop = false;
  std::uint32_t flags = 0;
  const loci_profile_sink* sink = nullptr;
  loci_error* failure = nullptr;
};

// The device manager opens each type once, so that each test has a type of its own.
class SourcesTest : public ReportingTest {
 protected:
  static device::Device& open(const std::string& type, bool with_source = true) {
    test::FakeBackend& backend = test::add_fake_backend({.type = type});
    if (with_source) backend.backend().profile_source = CountedSource::table();
    return device::DeviceManager::instance().get(Place(type + ":0"));
  }
  static profiler::Recording recording_of(Sources& sources) {
    return recording_of(sources, [](profiler::Assembly&) {});
  }
  // A period of its own, whose ticks are nanoseconds: that of the collector was too short to say
  // what lies outside of it.
  static void add_period(profiler::Assembly& assembly, std::uint64_t begin, std::uint64_t end) {
    profiler::Collector::instance().begin({});
    profiler::Harvest harvest = profiler::Collector::instance().end();
    harvest.begin_ticks = begin;
    harvest.end_ticks = end;
    harvest.clock = {{begin, begin, 0}, {end, end, 0}};
    assembly.add_period(harvest);
  }
  template <class AtEnd>
  static profiler::Recording recording_of(Sources& sources, AtEnd&& at_end) {
    profiler::Assembly assembly(profiler::LabelTable::instance());
    add_period(assembly, 0, 10'000);
    sources.add_to(assembly);
    at_end(assembly);
    std::vector<std::string> notes;
    assembly.add_devices(sources.facts(/*measure=*/false, notes));
    return assembly.finish(0);
  }

  CountedSource source_;
};

TEST_F(SourcesTest, StartsThoseOfOpenDevices) {
  open("fakea");
  {
    Sources sources(/*calls=*/true);
    EXPECT_GE(source_.starts, 1);
    EXPECT_EQ(source_.flags,
              static_cast<std::uint32_t>(LOCI_PROFILE_DEVICE_WORK | LOCI_PROFILE_CALLS));
    source_.give(1000, 2000);
    const profiler::Recording recording = recording_of(sources);
    EXPECT_GE(source_.flushes, 1);
    ASSERT_EQ(recording.device_spans.size(), 1U);
    EXPECT_EQ(recording.devices[recording.device_spans[0].device].place, "fakea:0");
  }
  EXPECT_EQ(source_.stops, source_.starts);
}

TEST_F(SourcesTest, StartsThoseOfDevicesThatAreOpenedLater) {
  Sources sources(/*calls=*/false);
  const int before = source_.starts;
  open("fakeb");
  EXPECT_EQ(source_.starts, before + 1);
  EXPECT_EQ(source_.flags, static_cast<std::uint32_t>(LOCI_PROFILE_DEVICE_WORK));
}

TEST_F(SourcesTest, DropsWhatCameBefore) {
  open("fakec");
  Sources sources(/*calls=*/false);
  source_.give(1000, 2000);
  sources.discard();
  EXPECT_THAT(recording_of(sources).device_spans, IsEmpty());
}

TEST_F(SourcesTest, TakesWhatIsSaidAtTheEndAndNoMoreRecords) {
  open("fakef");
  source_.says_at_stop = true;
  Sources sources(/*calls=*/false);
  const profiler::Recording recording = recording_of(sources, [&](profiler::Assembly& assembly) {
    source_.give(1000, 2000);
    sources.stop();
    sources.add_notes_to(assembly);
  });
  EXPECT_THAT(recording.quality.notes, ::testing::Contains(::testing::EndsWith(": farewell")));
  EXPECT_THAT(recording.device_spans, IsEmpty());
}

TEST_F(SourcesTest, TimesByEventsWhereThereIsNoSource) {
  device::Device& device = open("fakeg", /*with_source=*/false);
  {
    Sources sources(/*calls=*/false);
    EXPECT_TRUE(device::times_work());
    const std::uint64_t before = profiler::monotonic_ns();
    { const device::TimedWork timed(device, device.default_stream(), {.correlation = 7}); }
    profiler::Assembly assembly(profiler::LabelTable::instance());
    add_period(assembly, before, before + 60'000'000'000U);
    sources.add_to(assembly);
    std::vector<std::string> notes;
    assembly.add_devices(sources.facts(/*measure=*/false, notes));
    const profiler::Recording recording = assembly.finish(0);
    ASSERT_THAT(recording.device_spans, ::testing::SizeIs(1));
    EXPECT_EQ(recording.device_spans[0].correlation, 7U);
    EXPECT_EQ(recording.devices[recording.device_spans[0].device].place, "fakeg:0");
    EXPECT_THAT(recording.quality.notes,
                ::testing::Contains(HasSubstr("fakeg:0 has no profile source: its times are those "
                                              "between events around each launch and copy")));
  }
  EXPECT_FALSE(device::times_work());
}

TEST_F(SourcesTest, SaysWhichDevicesAreNotSeen) {
  test::add_fake_backend({.type = "faked"}).backend().api.event_elapsed_ns = nullptr;
  device::DeviceManager::instance().get(Place("faked:0"));
  Sources sources(/*calls=*/false);
  EXPECT_THAT(recording_of(sources).quality.notes,
              ::testing::Contains("faked: faked:0 has no profile source and measures no time, so "
                                  "that device work is missing"));
}

TEST_F(SourcesTest, SaysWhosePeaksAreNotKnown) {
  open("fakek");
  Sources sources(/*calls=*/false);
  std::vector<std::string> notes;
  static_cast<void>(sources.facts(/*measure=*/false, notes));
  EXPECT_THAT(notes, ::testing::Not(::testing::Contains(HasSubstr("fakek:0: its peaks"))));
  static_cast<void>(sources.facts(/*measure=*/true, notes));
  EXPECT_THAT(notes, ::testing::Contains(HasSubstr(
                         "fakek:0: its peaks are not known, so that no shares of them are shown")));
}

TEST_F(SourcesTest, DescribesDevices) {
  open("fakee");
  Sources sources(/*calls=*/false);
  bool found = false;
  std::vector<std::string> notes;
  for (const profiler::DeviceFacts& facts : sources.facts(/*measure=*/false, notes)) {
    if (facts.place != "fakee:0") continue;
    found = true;
    EXPECT_TRUE(facts.is_accelerator);
    EXPECT_TRUE(facts.is_queued);
    EXPECT_EQ(facts.total_memory, std::uint64_t{1} << 30);
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace loci::reporting
