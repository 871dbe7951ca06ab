#include "plugins/sim/stream.h"

#include <thread>

#include "tests/plugins/sim/sim_rig.h"

namespace loci::sim {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

TEST(SimStreamTest, IsDoneWhenItsWorkHasEnded) {
  Rig rig;
  Stream stream(rig.device);
  EXPECT_TRUE(stream.query());
  Gate gate;
  stream.enqueue(gate.work(), {});
  EXPECT_FALSE(stream.query());
  gate.open();
  stream.synchronize();
  EXPECT_TRUE(stream.query());
}

TEST(SimStreamTest, OneStreamDoesNotWaitForAnother) {
  Rig rig;
  Stream busy(rig.device);
  Stream free(rig.device);
  Gate gate;
  busy.enqueue(gate.work(), {});
  void* data = allocate(rig.device, 4);
  write<int>(rig.device, free, data, {7});
  EXPECT_EQ(read<int>(rig.device, free, data, 1)[0], 7);
  EXPECT_FALSE(busy.query());
  gate.open();
  busy.synchronize();
  free_now(rig.device, data);
}

TEST(SimStreamTest, WaitsForTheRecordThatWasLatest) {
  Rig rig;
  Stream first(rig.device);
  Stream second(rig.device);
  Event event(rig.device);
  event.record(&first);
  Gate gate;
  first.enqueue(gate.work(), {});
  second.wait(event);
  event.record(&first);
  second.synchronize();
  EXPECT_FALSE(event.query()) << "the wait was for the record before";
  second.wait(event);
  EXPECT_FALSE(second.query());
  gate.open();
  second.synchronize();
  EXPECT_TRUE(event.query());
}

TEST(SimStreamTest, UnorderedTasksOfTwoStreamsAreARace) {
  Rig rig("race=1");
  Stream first(rig.device);
  Stream second(rig.device);
  void* data = allocate(rig.device, 64);
  const std::uint32_t pattern = 1;
  const auto fill = [&](Stream& stream) {
    rig.device.fill(data, 64, &pattern, sizeof pattern, &stream, 0);
  };
  fill(first);
  EXPECT_THAT(error_of(LOCI_CODE_FAILED, [&] { fill(second); }),
              HasSubstr("race: fill of 64 bytes writes"));
  Event event(rig.device);
  event.record(&first);
  second.wait(event);
  fill(second);
  second.synchronize();
  fill(first);
  first.synchronize();
  free_now(rig.device, data);
}

TEST(SimStreamTest, HostWaitsOrderInEveryForm) {
  Rig rig("race=1");
  Stream first(rig.device);
  Stream second(rig.device);
  Event event(rig.device);
  void* data = allocate(rig.device, 64);
  const char pattern = 1;
  const auto fill = [&](Stream& stream) { rig.device.fill(data, 64, &pattern, 1, &stream, 0); };
  fill(first);
  first.synchronize();
  fill(second);
  while (!second.query()) std::this_thread::yield();
  fill(first);
  event.record(&first);
  event.synchronize();
  fill(second);
  rig.device.synchronize();
  fill(first);
  EXPECT_THAT(read<char>(rig.device, first, data, 64), Each(1));
  fill(second);
  event.record(&second);
  while (!event.query()) std::this_thread::yield();
  free_now(rig.device, data);
}

TEST(SimStreamTest, ALostDeviceFailsEveryCallAndHangsNone) {
  Rig rig;
  Stream stream(rig.device);
  Stream other(rig.device);
  Event event(rig.device);
  void* data = allocate(rig.device, 64);
  const char pattern = 1;
  rig.device.failures().faults().lose = 1;
  rig.device.fill(data, 64, &pattern, 1, &stream, 0);
  // Whether these two still find the device there is a matter of time.
  (void)error_of(LOCI_CODE_UNAVAILABLE, [&] { event.record(&stream); });
  (void)error_of(LOCI_CODE_UNAVAILABLE, [&] { other.wait(event); });
  const auto lost = [](auto body) {
    EXPECT_THAT(error_of(LOCI_CODE_UNAVAILABLE, body), HasSubstr("sim:0 is lost"));
  };
  lost([&] { stream.synchronize(); });
  lost([&] { (void)stream.query(); });
  lost([&] { event.synchronize(); });
  lost([&] { event.record(&stream); });
  lost([&] { other.synchronize(); });
  lost([&] { other.wait(event); });
  lost([&] { (void)allocate(rig.device, 1); });
  lost([&] { rig.device.fill(data, 64, &pattern, 1, &stream, 0); });
  lost([&] { (void)read<char>(rig.device, stream, data, 64); });
  lost([&] { rig.device.synchronize(); });
  lost([&] { check_async(rig.device); });
  free_now(rig.device, data);
}

}  // namespace
}  // namespace loci::sim
