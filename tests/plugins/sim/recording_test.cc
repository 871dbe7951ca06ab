// Tests what a stream that records refuses, as the driver of a device would.
#include "plugins/sim/recording.h"

#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/plugins/sim/sim_rig.h"

namespace loci::sim {
namespace {

using ::testing::HasSubstr;

// Each alone invalidates the recording, and end() says why; the stream is usable again.
TEST(SimRecordingTest, RefusesWhatNoGraphHas) {
  Rig rig;
  Stream stream(rig.device);
  Event event(rig.device);
  Event recorded(rig.device);
  Stream other(rig.device);
  recorded.record(&other);
  const std::vector<std::pair<std::string, std::function<void()>>> refused{
      {"it is waited for", [&] { stream.synchronize(); }},
      {"it is queried", [&] { static_cast<void>(stream.query()); }},
      {"an event is recorded", [&] { event.record(&stream); }},
      {"it is made to wait for an event", [&] { stream.wait(recorded); }},
      {"the device is waited for", [&] { rig.device.synchronize(); }},
      {"host function", [&] { stream.launch_host([](void*) {}, nullptr, 0); }},
      {"memory of the host that is not pinned is copied",
       [&] {
         int value = 0;
         void* data = allocate(rig.device, 4);
         try {
           rig.device.copy(flat_copy(LOCI_END_HOST, &value, LOCI_END_DEVICE, data, 4), &stream);
         } catch (const sdk::Error&) {
           free_now(rig.device, data);
           throw;
         }
       }},
  };
  for (const auto& [what, action] : refused) {
    stream.begin_recording();
    EXPECT_EQ(stream.recording_status(), DriverCapture::kActive);
    EXPECT_THAT(error_of(LOCI_CODE_INVALID_ARGUMENT, action),
                HasSubstr(what + " while the stream records a graph; do it before"));
    EXPECT_EQ(stream.recording_status(), DriverCapture::kInvalid) << what;
    EXPECT_THAT(error_of(LOCI_CODE_FAILED, [&] { (void)stream.end_recording(); }),
                HasSubstr("invalid since this was refused: [sim] " + what));
    EXPECT_EQ(stream.recording_status(), DriverCapture::kNone);
    stream.synchronize();
  }
}

TEST(SimRecordingTest, ASecondBeginLeavesTheFirstAsItWas) {
  Rig rig;
  Stream stream(rig.device);
  stream.begin_recording();
  EXPECT_THAT(error_of(LOCI_CODE_INVALID_ARGUMENT, [&] { stream.begin_recording(); }),
              HasSubstr("the stream records a graph already; end or abort that first"));
  EXPECT_EQ(stream.recording_status(), DriverCapture::kActive);
  EXPECT_TRUE(stream.end_recording().empty());
}

TEST(SimRecordingTest, OtherStreamsAndThreadsAreFree) {
  Rig rig;
  Stream stream(rig.device);
  Stream other(rig.device);
  stream.begin_recording();
  other.synchronize();
  std::thread([&] { rig.device.synchronize(); }).join();
  EXPECT_TRUE(other.query());
  EXPECT_EQ(stream.recording_status(), DriverCapture::kActive);
  EXPECT_TRUE(stream.end_recording().empty());
}

// B4: memory grows while a stream records, also where it has to be waited for.
TEST(SimRecordingTest, MemoryGrowsMeanwhile) {
  Rig rig("memory=64K");
  Stream stream(rig.device);
  Stream other(rig.device);
  void* all = allocate(rig.device, 60000);
  stream.begin_recording();
  rig.device.mem_free(LOCI_MEMORY_DEVICE, all, &other);
  void* again = allocate(rig.device, 60000);
  EXPECT_EQ(stream.recording_status(), DriverCapture::kActive);
  stream.abort_recording();
  free_now(rig.device, again);
}

// D5 of a driver: a free in the order of what is recorded would come before each launch of it.
TEST(SimRecordingTest, AFreeInItsOrderIsRefusedAndNothingLeaks) {
  Rig rig;
  Stream stream(rig.device);
  void* data = allocate(rig.device, 16);
  stream.begin_recording();
  EXPECT_THAT(error_of(LOCI_CODE_INVALID_ARGUMENT,
                       [&] { rig.device.mem_free(LOCI_MEMORY_DEVICE, data, &stream); }),
              HasSubstr("mem_free while the stream records"));
  stream.abort_recording();
  EXPECT_EQ(rig.device.memory().used(), 0U);
}

TEST(SimRecordingTest, EndsOnlyWhatWasBegun) {
  Rig rig;
  Stream stream(rig.device);
  EXPECT_THAT(error_of(LOCI_CODE_INVALID_ARGUMENT, [&] { (void)stream.end_recording(); }),
              HasSubstr("end of a recording in a stream that records nothing"));
  EXPECT_THAT(error_of(LOCI_CODE_INVALID_ARGUMENT, [&] { stream.annotate("relu", 0); }),
              HasSubstr("annotate of a recording in a stream that records nothing"));
  stream.abort_recording();
  stream.synchronize();
}

TEST(SimRecordingTest, AStreamMayEndWhileItRecords) {
  Rig rig;
  Stream stream(rig.device);
  stream.begin_recording();
}

}  // namespace
}  // namespace loci::sim
