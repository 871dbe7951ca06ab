#include "plugins/sim/event.h"

#include <chrono>
#include <thread>

#include "tests/plugins/sim/sim_rig.h"

namespace loci::sim {
namespace {

using ::testing::HasSubstr;

TEST(SimEventTest, WithoutARecordItIsDone) {
  Rig rig;
  Event event(rig.device);
  Stream stream(rig.device);
  EXPECT_TRUE(event.query());
  event.synchronize();
  stream.wait(event);
  stream.synchronize();
}

TEST(SimEventTest, IsDoneWhenTheWorkBeforeItHasEnded) {
  Rig rig;
  Event event(rig.device);
  Stream stream(rig.device);
  Gate gate;
  Gate later;
  stream.enqueue(gate.work(), {});
  event.record(&stream);
  stream.enqueue(later.work(), {});
  EXPECT_FALSE(event.query());
  gate.open();
  event.synchronize();
  EXPECT_TRUE(event.query());
  EXPECT_FALSE(stream.query());
  later.open();
}

TEST(SimEventTest, MeasuresTheTimeBetweenRecords) {
  Rig rig("launch_us=0,copy_latency_us=20000");
  Event start(rig.device, LOCI_EVENT_TIMED);
  Event end(rig.device, LOCI_EVENT_TIMED);
  Stream stream(rig.device);
  void* data = allocate(rig.device, 4);
  const char pattern = 0;
  start.record(&stream);
  rig.device.fill(data, 4, &pattern, 1, &stream, 0);
  end.record(&stream);
  end.synchronize();
  EXPECT_GE(start.ns_until(end), 20000000U);
  EXPECT_EQ(end.ns_until(start), 0U);
  free_now(rig.device, data);
}

TEST(SimEventTest, OneThatIsNotTimedMeasuresNothing) {
  Rig rig;
  Event timed(rig.device, LOCI_EVENT_TIMED);
  Event other(rig.device);
  Stream stream(rig.device);
  timed.record(&stream);
  other.record(&stream);
  stream.synchronize();
  EXPECT_THAT(error_of(LOCI_CODE_INVALID_ARGUMENT, [&] { (void)timed.ns_until(other); }),
              HasSubstr("does not measure time; create both with LOCI_EVENT_TIMED"));
  EXPECT_THAT(error_of(LOCI_CODE_INVALID_ARGUMENT, [&] { (void)other.ns_until(timed); }),
              HasSubstr("does not measure time"));
}

TEST(SimEventTest, TimeNeedsTwoRecordsThatHaveHappened) {
  Rig rig;
  Event start(rig.device, LOCI_EVENT_TIMED);
  Event end(rig.device, LOCI_EVENT_TIMED);
  Stream stream(rig.device);
  EXPECT_THAT(error_of(LOCI_CODE_INVALID_ARGUMENT, [&] { (void)start.ns_until(end); }),
              HasSubstr("the first event was never recorded"));
  start.record(&stream);
  start.synchronize();
  Gate gate;
  stream.enqueue(gate.work(), {});
  end.record(&stream);
  EXPECT_THAT(error_of(LOCI_CODE_UNAVAILABLE, [&] { (void)start.ns_until(end); }),
              HasSubstr("the second event has not happened yet"));
  gate.open();
}

TEST(SimEventTest, FailsOnDemandAndWithoutAStream) {
  Rig rig("fail_event=2");
  Event event(rig.device);
  Stream stream(rig.device);
  event.record(&stream);
  EXPECT_THAT(error_of(LOCI_CODE_FAILED, [&] { event.record(&stream); }),
              HasSubstr("event_record fails"));
  EXPECT_THAT(error_of(LOCI_CODE_INVALID_ARGUMENT, [&] { event.record(nullptr); }),
              HasSubstr("event_record got no stream"));
}

TEST(SimEventTest, OrdersStreamsOfTwoDevices) {
  Rig rig("race=1");
  SimDevice other(rig.machine, rig.host, 1);
  Stream stream(rig.device);
  Stream other_stream(other);
  Event event(rig.device);
  Gate gate;
  stream.enqueue(gate.work(), {});
  event.record(&stream);
  other_stream.wait(event);
  EXPECT_FALSE(other_stream.query());
  gate.open();
  other_stream.synchronize();
  EXPECT_TRUE(stream.query());
}

}  // namespace
}  // namespace loci::sim
