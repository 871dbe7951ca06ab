#include "plugins/sim/stream.h"

#include <chrono>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

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

// Writes its name down as it begins.
class Noting final : public Work {
 public:
  Noting(std::string name, std::mutex* mutex, std::vector<std::string>* order)
      : name_(std::move(name)), mutex_(mutex), order_(order) {}
  void run() override {
    const std::lock_guard lock(*mutex_);
    order_->push_back(name_);
  }
  [[nodiscard]] std::string name() const override { return name_; }

 private:
  std::string name_;
  std::mutex* mutex_;
  std::vector<std::string>* order_;
};

// The order in which two streams begin their tasks, of which the first has one that takes a while.
std::vector<std::string> order_of(std::int32_t first_priority, std::int32_t second_priority) {
  Rig rig;
  Stream first(rig.device, first_priority);
  Stream second(rig.device, second_priority);
  std::mutex mutex;
  std::vector<std::string> order;
  const auto note = [&](const char* name) {
    return std::make_unique<Noting>(name, &mutex, &order);
  };
  std::promise<void> began;
  Gate gate;
  first.launch_host([](void* promise) { static_cast<std::promise<void>*>(promise)->set_value(); },
                    &began, 0);
  first.enqueue(gate.work(), {});
  first.enqueue(note("first"), {});
  first.enqueue(note("first again"), {});
  began.get_future().wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the gate's task has begun
  second.enqueue(note("second"), {});
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  gate.open();
  first.synchronize();
  second.synchronize();
  return order;
}

TEST(SimStreamTest, TheGreaterPriorityGoesFirst) {
  const std::vector<std::string> in_turn{"first", "first again", "second"};
  const std::vector<std::string> meanwhile{"second", "first", "first again"};
  EXPECT_EQ(order_of(-1, 0), in_turn);
  EXPECT_EQ(order_of(-2, -1), in_turn);
  EXPECT_EQ(order_of(0, 0), meanwhile);
  EXPECT_EQ(order_of(0, -1), meanwhile);
}

// A stream with many tasks lets a greater priority go first between two of them.
TEST(SimStreamTest, AGreaterPriorityOvertakesBetweenTasks) {
  Rig rig;
  Stream lesser(rig.device, kLeastPriority);
  Stream greater(rig.device, kGreatestPriority);
  std::mutex mutex;
  std::vector<std::string> order;
  Gate first;
  Gate second;
  lesser.enqueue(first.work(), {});
  lesser.enqueue(std::make_unique<Noting>("lesser", &mutex, &order), {});
  greater.enqueue(second.work(), {});
  greater.enqueue(std::make_unique<Noting>("greater", &mutex, &order), {});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // both have begun
  first.open();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  second.open();
  lesser.synchronize();
  greater.synchronize();
  EXPECT_EQ(order, (std::vector<std::string>{"greater", "lesser"}));
}

// An event of a stream that has to wait for this one's tasks is not waited for with the gate shut.
TEST(SimStreamTest, AGreaterPriorityWaitsForALesserOnesEvent) {
  Rig rig;
  Stream greater(rig.device, kGreatestPriority);
  Stream lesser(rig.device, kLeastPriority);
  std::mutex mutex;
  std::vector<std::string> order;
  Event event(rig.device);
  Gate gate;
  greater.enqueue(gate.work(), {});
  lesser.enqueue(std::make_unique<Noting>("lesser", &mutex, &order), {});
  event.record(&lesser);
  greater.wait(event);
  greater.enqueue(std::make_unique<Noting>("greater", &mutex, &order), {});
  gate.open();
  greater.synchronize();
  EXPECT_EQ(order, (std::vector<std::string>{"lesser", "greater"}));
}

TEST(SimStreamTest, RunsHostFunctionsInOrder) {
  Rig rig;
  Stream stream(rig.device);
  Gate gate;
  bool has_run = false;
  stream.enqueue(gate.work(), {});
  stream.launch_host([](void* flag) { *static_cast<bool*>(flag) = true; }, &has_run, 7);
  EXPECT_FALSE(stream.query());
  EXPECT_FALSE(has_run);
  gate.open();
  stream.synchronize();
  EXPECT_TRUE(has_run);
}

TEST(SimStreamTest, RunsHostFunctionsOfALostDevice) {
  Rig rig("lose_device=1");
  Stream stream(rig.device);
  Gate gate;
  gate.open();
  stream.enqueue(gate.work(), {});
  bool has_run = false;
  stream.launch_host([](void* flag) { *static_cast<bool*>(flag) = true; }, &has_run, 0);
  stream.drain();
  EXPECT_TRUE(has_run);
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
  // Time decides if these two still find the device there.
  (void)error_of(LOCI_CODE_DEVICE_LOST, [&] { event.record(&stream); });
  (void)error_of(LOCI_CODE_DEVICE_LOST, [&] { other.wait(event); });
  const auto lost = [](auto body) {
    EXPECT_THAT(error_of(LOCI_CODE_DEVICE_LOST, body), HasSubstr("sim:0 is lost"));
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
  EXPECT_THAT(error_of(LOCI_CODE_DEVICE_LOST, [&] { check_async(rig.device); }),
              HasSubstr("fill of 64 bytes: it takes the device along"));
  for (int i = 0; i < 2; ++i) lost([&] { check_async(rig.device); });
  free_now(rig.device, data);
}

}  // namespace
}  // namespace loci::sim
