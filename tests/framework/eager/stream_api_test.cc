#include <atomic>
#include <chrono>
#include <future>
#include <loci/stream.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

#include "framework/core/abi/error.h"
#include "framework/device/device_manager.h"
#include "framework/eager/queue.h"
#include "plugins/sim/handles.h"
#include "tests/framework/eager/eager_fixture.h"
#include "tests/support/fake_device.h"

namespace loci::eager {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class StreamApiTest : public EagerTest {
 protected:
  // Work for a while, with a known result.
  static Tensor long_work(const Place& place) {
    Tensor value = ones({1 << 16}, kFloat32, place);
    for (int i = 0; i < 20; ++i) value = value * 1.0;
    return value;
  }
};

TEST_F(StreamApiTest, OpsGoIntoTheGuardsStream) {
  for (const char* place : {"cpu", "sim:0"}) {
    const Stream stream(place);
    EXPECT_NE(stream, Stream::default_of(place));
    {
      const StreamGuard guard(stream);
      EXPECT_EQ(Stream::current(place), stream);
      EXPECT_EQ(Stream::current("sim:2"), Stream::default_of("sim:2"));
    }
    EXPECT_EQ(Stream::current(place), Stream::default_of(place));
  }
}

TEST_F(StreamApiTest, WhatIsOverHoldsNoTensor) {
  for (const char* place : {"cpu", "sim:0"}) {
    for (int i = 0; i < 2000; ++i) {
      Tensor input = ones({2}, kFloat32, "cpu");
      const std::weak_ptr<tensor::TensorImpl> held = input.impl();
      const Tensor doubled = input.to(place) * 2.0;  // the copy is the worker's to issue
      input = Tensor();
      synchronize();
      ASSERT_TRUE(held.expired()) << "round " << i << " at " << place;
    }
  }
}

TEST_F(StreamApiTest, StreamsWaitForWhatTheirTensorsNeed) {
  for (const char* place : {"cpu", "sim:0"}) {
    const Stream stream(place);
    const Tensor there = long_work(place);
    Tensor sum;
    {
      const StreamGuard guard(stream);
      sum = there + 1.0;
    }
    const Tensor back = sum * 2.0;  // the default stream waits for the other one
    EXPECT_EQ(back.to_vector<float>()[100], 4);
    // Changed by the one while the other may still read it: it waits.
    there.zero_();
    EXPECT_EQ(sum.to_vector<float>()[7], 2);
  }
}

TEST_F(StreamApiTest, MemoryIsNotUsedAgainBeforeOtherStreamsAreDone) {
  const Stream stream("sim:0");
  for (int i = 0; i < 50; ++i) {
    Tensor sum;
    {
      const Tensor source = full({4096}, i, kFloat32, "sim:0");
      const StreamGuard guard(stream);
      sum = source + 1.0;
    }
    const Tensor next = full({4096}, -1, kFloat32, "sim:0");
    EXPECT_EQ(sum.to_vector<float>()[4095], static_cast<float>(i + 1));
  }
}

TEST_F(StreamApiTest, EventsMarkPoints) {
  const Stream first("sim:0");
  const Stream second("cpu");
  Event event;
  EXPECT_TRUE(event.done());
  Tensor value;
  {
    const StreamGuard guard(first);
    value = long_work("sim:0");
  }
  event.record(first);
  event.wait(second);
  event.synchronize();
  EXPECT_TRUE(event.done());
  first.synchronize();
  EXPECT_TRUE(first.done());
}

TEST_F(StreamApiTest, SerialModeThrowsAtTheCall) {
  const SerialMode serial;
  const Tensor label = Tensor::from<std::int64_t>({7}, {1, 1});
  EXPECT_THAT(
      [&] {
        cross_entropy(full({1, 2}, 0.5), label);
      },
      ThrowsMessage<Error>(HasSubstr("[cross_entropy]")));
  EXPECT_EQ((vector({1}).to("sim:0") + 1.0).item<float>(), 2);
}

TEST_F(StreamApiTest, HasTheNearestPriority) {
  EXPECT_EQ(device_properties("sim:0").greatest_priority, -2);
  EXPECT_EQ(device_properties("sim:0").least_priority, 0);
  EXPECT_EQ(Stream("sim:0").priority(), 0);
  EXPECT_EQ(Stream("sim:0", -1).priority(), -1);
  EXPECT_EQ(Stream("sim:0", -100).priority(), -2);
  EXPECT_EQ(Stream("sim:0", 5).priority(), 0);
  EXPECT_EQ(Stream("cpu", -1).priority(), 0);
  EXPECT_EQ(Stream::default_of("sim:0").priority(), 0);
}

TEST_F(StreamApiTest, StreamsAreUsedAgainForTheirPriority) {
  const auto made = [](int priority) { return Stream("sim:1", priority).queue().get(); };
  const eager::Queue* urgent = made(-1);
  const eager::Queue* other = made(0);
  EXPECT_NE(urgent, other);
  EXPECT_EQ(made(-1), urgent);
  EXPECT_EQ(made(0), other);
}

// A stream whose work waits for open(), all of it on the device by then.
class GatedWork {
 public:
  GatedWork(int priority, int ops) : stream_("sim:2", priority) {
    const StreamGuard guard(stream_);
    Tensor value = ones({1 << 16}, kFloat32, "sim:2");
    stream_.launch_host_function([open = open_.get_future().share()] { open.wait(); });
    value = value * 1.0;
    stream_.launch_host_function([this] { has_begun_ = true; });
    for (int i = 0; i < ops; ++i) value = value * 1.0;
    stream_.launch_host_function([this] { has_ended_ = true; });
    stream_.queue()->wait_issued(stream_.queue()->mark());
  }

  void open() { open_.set_value(); }
  // Asks now and then: a thread that is woken may take the processor of the one that woke it.
  void wait_begun() const {
    while (!has_begun_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  void synchronize() const { stream_.synchronize(); }
  [[nodiscard]] bool has_ended() const { return has_ended_; }

 private:
  Stream stream_;
  std::promise<void> open_;
  std::atomic<bool> has_begun_{false};
  std::atomic<bool> has_ended_{false};
};

// Returns true if the greater one, which has begun, has ended all it has before the lesser one gets
// to its second op: with equal priorities that one ends first.
bool overtakes(int greater_priority, int lesser_priority) {
  GatedWork greater(greater_priority, 400);
  GatedWork lesser(lesser_priority, 0);
  greater.open();
  greater.wait_begun();
  lesser.open();
  lesser.wait_begun();
  const bool has_overtaken = greater.has_ended();
  greater.synchronize();
  lesser.synchronize();
  return has_overtaken;
}

TEST_F(StreamApiTest, AGreaterPriorityOvertakesOnTheDevice) {
  // A busy machine may keep the greater one's thread between two of its ops.
  bool has_overtaken = false;
  for (int round = 0; round < 5 && !has_overtaken; ++round) has_overtaken = overtakes(-2, 0);
  EXPECT_TRUE(has_overtaken);
}

// The first function takes long enough to be overtaken.
void expect_order(const Stream& stream) {
  std::vector<int> order;
  const std::thread::id caller = std::this_thread::get_id();
  std::thread::id callee;
  stream.launch_host_function([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    order.push_back(1);
  });
  stream.launch_host_function([&] {
    order.push_back(2);
    callee = std::this_thread::get_id();
  });
  EXPECT_FALSE(stream.done());
  stream.synchronize();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
  EXPECT_NE(callee, caller);
  EXPECT_TRUE(stream.done());
}

TEST_F(StreamApiTest, RunsFunctionsInOrder) {
  for (const char* place : {"cpu", "sim:0"}) expect_order(Stream(place));
}

TEST_F(StreamApiTest, RunsFunctionsOnADeviceThatCannot) {
  test::add_fake_backend({.type = "hostless"});
  expect_order(Stream("hostless"));
}

TEST_F(StreamApiTest, FunctionsComeBehindTheWorkBeforeThem) {
  const Stream stream("cpu");
  const Tensor value = vector({1, 2});
  const auto* elements = static_cast<const float*>(value.raw_data());
  float seen = -1;
  {
    const StreamGuard guard(stream);
    (void)long_work("cpu");
    value.zero_();
    stream.launch_host_function([&] { seen = elements[1]; });
  }
  stream.synchronize();
  EXPECT_EQ(seen, 0);
}

TEST_F(StreamApiTest, FunctionsStandBetweenTheLaunchesOfADevice) {
  device::Device& device = device::DeviceManager::instance().get(Place("sim:1"));
  void* found = nullptr;
  device.check(
      device.api().native_handle(device.handle(), nullptr, core::to_abi("sim.counters"), &found),
      "asking for a handle");
  const auto& launches = static_cast<sim::Counters*>(found)->launches;
  const Stream stream("sim:1");
  std::uint64_t at_call = 0;
  {
    const StreamGuard guard(stream);
    Tensor value = long_work("sim:1");
    stream.launch_host_function([&] { at_call = launches; });
    for (int i = 0; i < 5; ++i) value = value * 1.0;
  }
  stream.synchronize();
  EXPECT_EQ(launches - at_call, 5U);
}

TEST_F(StreamApiTest, WhatAFunctionThrowsIsTheStreamsError) {
  test::add_fake_backend({.type = "throwing"});
  for (const char* place : {"cpu", "sim:0", "throwing"}) {
    const Stream stream(place);
    stream.launch_host_function([] { throw std::runtime_error("the disk is full"); });
    EXPECT_THAT([&] { stream.synchronize(); },
                ThrowsMessage<Error>(AllOf(HasSubstr("[launch_host_function] enqueued at"),
                                           HasSubstr("the disk is full"))));
    EXPECT_NO_THROW(stream.synchronize()) << "it is told once";
    stream.launch_host_function([] { throw 3; });
    EXPECT_THAT([&] { stream.synchronize(); },
                ThrowsMessage<Error>(HasSubstr("something that is no std::exception")));
  }
}

TEST_F(StreamApiTest, AFunctionIsCalledAtOnceInSerialMode) {
  const SerialMode serial;
  bool has_run = false;
  Stream("sim:0").launch_host_function([&] { has_run = true; });
  EXPECT_TRUE(has_run);
}

TEST_F(StreamApiTest, AFunctionHasToBeThere) {
  EXPECT_THAT([] { Stream("cpu").launch_host_function({}); },
              ThrowsMessage<Error>(HasSubstr("there is no function; give one")));
}

TEST_F(StreamApiTest, AnUnknownPlaceIsRefused) {
  EXPECT_THROW(Stream("nosuch:0"), Error);
  EXPECT_THROW(synchronize("nosuch:0"), Error);
}

}  // namespace
}  // namespace loci::eager
