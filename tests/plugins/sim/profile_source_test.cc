#include "plugins/sim/profile_source.h"

#include <string>
#include <vector>

#include "tests/plugins/sim/sim_rig.h"

namespace loci::sim {
namespace {

using ::testing::ElementsAre;

// A host that keeps what it is given.
struct Kept {
  struct Work {
    std::string name;
    loci_device_record record;
  };

  Kept() {
    sink.struct_size = sizeof sink;
    sink.context = this;
    sink.device_records = [](void* context, const loci_device_record* records,
                             std::uint64_t count) {
      auto& kept = *static_cast<Kept*>(context);
      for (std::uint64_t i = 0; i < count; ++i) {
        kept.work.push_back({std::string(sdk::to_view(records[i].name)), records[i]});
      }
    };
    sink.call_records = [](void* context, const loci_call_record* records, std::uint64_t count) {
      auto& kept = *static_cast<Kept*>(context);
      for (std::uint64_t i = 0; i < count; ++i) {
        kept.calls.emplace_back(sdk::to_view(records[i].name));
      }
    };
  }

  loci_profile_sink sink{};
  std::vector<Work> work;
  std::vector<std::string> calls;
};

class ProfileSourceTest : public ::testing::Test {
 protected:
  void start(std::uint32_t flags) { source_.start(flags, sdk::ProfileSink(kept_.sink)); }

  Rig rig_{"local_gbps=1"};
  ProfileSource& source_ = rig_.machine.profile;
  Kept kept_;
};

TEST_F(ProfileSourceTest, RecordsWhatStreamsRun) {
  Stream stream(rig_.device);
  void* memory = allocate(rig_.device, 4096);
  const std::uint32_t zero = 0;
  rig_.device.fill(memory, 4096, &zero, 4, &stream, /*correlation=*/5);
  stream.synchronize();
  start(LOCI_PROFILE_DEVICE_WORK);
  rig_.device.fill(memory, 4096, &zero, 4, &stream, /*correlation=*/6);
  stream.synchronize();
  EXPECT_TRUE(kept_.work.empty());  // until it is asked or has enough
  source_.flush();
  source_.stop();
  rig_.device.fill(memory, 4096, &zero, 4, &stream, /*correlation=*/7);
  stream.synchronize();
  free_now(rig_.device, memory);

  ASSERT_EQ(kept_.work.size(), 1U);
  const loci_device_record& record = kept_.work[0].record;
  EXPECT_EQ(kept_.work[0].name, "fill of 4096 bytes");
  EXPECT_EQ(record.correlation, 6U);
  EXPECT_EQ(record.bytes, 4096U);
  EXPECT_EQ(record.kind, static_cast<std::uint32_t>(LOCI_DEVICE_WORK_FILL));
  // At 1 GB/s by the model.
  EXPECT_GE(record.end_ns - record.begin_ns, 4096U);
}

TEST_F(ProfileSourceTest, TellsStreamsAndCopiesApart) {
  Stream first(rig_.device);
  Stream second(rig_.device);
  void* memory = allocate(rig_.device, 64);
  std::vector<char> host(64);
  start(LOCI_PROFILE_DEVICE_WORK);
  loci_copy copy{};
  copy.source_end = LOCI_END_HOST;
  copy.target_end = LOCI_END_DEVICE;
  copy.source = host.data();
  copy.target = memory;
  copy.row_bytes = 64;
  copy.rows = 1;
  copy.correlation = 11;
  rig_.device.copy(copy, &first);
  rig_.device.copy(copy, &second);
  source_.stop();
  free_now(rig_.device, memory);

  ASSERT_EQ(kept_.work.size(), 2U);
  EXPECT_EQ(kept_.work[0].record.direction, static_cast<std::uint32_t>(LOCI_COPY_HOST_TO_DEVICE));
  EXPECT_EQ(kept_.work[0].record.bytes, 64U);
  EXPECT_EQ(kept_.work[0].record.correlation, 11U);
  EXPECT_NE(kept_.work[0].record.stream, kept_.work[1].record.stream);
}

TEST_F(ProfileSourceTest, RecordsCallsIfItIsAskedTo) {
  start(LOCI_PROFILE_DEVICE_WORK);
  { const CallTimer timer(source_, "copy", 3); }
  source_.stop();
  start(LOCI_PROFILE_DEVICE_WORK | LOCI_PROFILE_CALLS);
  { const CallTimer timer(source_, "mem_alloc"); }
  source_.flush();
  EXPECT_THAT(kept_.calls, ElementsAre("mem_alloc"));
  {
    const CallTimer outlasts(source_, "synchronize");
    source_.stop();
  }
  EXPECT_THAT(kept_.calls, ElementsAre("mem_alloc"));
}

// Another context's session may record at the same time.
TEST_F(ProfileSourceTest, RecordsNoCallsOfAnotherInstance) {
  Rig other;
  start(LOCI_PROFILE_CALLS);
  { const CallTimer timer(other.machine.profile, "copy", 3); }
  { const CallTimer timer(source_, "mem_alloc"); }
  source_.flush();
  EXPECT_THAT(kept_.calls, ElementsAre("mem_alloc"));
}

TEST_F(ProfileSourceTest, HandsOverInBatches) {
  start(LOCI_PROFILE_CALLS);
  for (int i = 0; i < 1000; ++i) {
    const CallTimer timer(source_, "copy");
  }
  EXPECT_GE(kept_.calls.size(), 512U);
  source_.stop();
  EXPECT_EQ(kept_.calls.size(), 1000U);
}

TEST_F(ProfileSourceTest, DescribesThePeaksOfTheModel) {
  Rig rig("gflops=100,local_gbps=25");
  loci_device_info info{};
  SimDevice::describe(rig.machine, 0, info);
  EXPECT_EQ(info.peak_flops, 1e11);
  EXPECT_EQ(info.peak_bytes, 5e10);
  Rig without_model;
  SimDevice::describe(without_model.machine, 0, info);
  EXPECT_EQ(info.peak_flops, 0);
}

}  // namespace
}  // namespace loci::sim
