#include "plugins/sim/graph.h"

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "tests/plugins/sim/sim_rig.h"

namespace loci::sim {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

// A kernel that adds what it is called to a list.
class Step final : public Work {
 public:
  Step(std::string name, std::vector<std::string>* done) : name_(std::move(name)), done_(done) {}
  void run() override { done_->push_back(name_); }
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::chrono::nanoseconds duration() const override {
    return std::chrono::milliseconds(20);
  }
  [[nodiscard]] std::chrono::nanoseconds launch_latency() const override {
    return std::chrono::milliseconds(20);
  }

 private:
  std::string name_;
  std::vector<std::string>* done_;
};

// A kernel that does nothing.
class NoStep final : public Work {
 public:
  void run() override {}
  [[nodiscard]] std::string name() const override { return "step"; }
};

class SimGraphTest : public ::testing::Test {
 protected:
  // Steps of these names, items 0, 1, ...
  DriverGraph record(Stream& stream, const std::vector<std::string>& names) {
    stream.begin_recording();
    for (std::size_t i = 0; i < names.size(); ++i) {
      stream.annotate(names[i], i);
      stream.enqueue(std::make_unique<Step>(names[i], &done_), {});
    }
    return DriverGraph(stream.end_recording());
  }

  std::vector<std::string> done_;
};

// Items 0 to 3, each of which writes four bytes of its own; 1 and 2 read those of 0 and wait for
// it, and 3 reads theirs and waits for `last`.
DriverGraph record_diamond(Stream& stream, char* memory, const std::vector<std::uint64_t>& last) {
  const std::vector<std::vector<std::uint64_t>> waits{{}, {0}, {0}, last};
  const auto at = [memory](int i) { return reinterpret_cast<std::uintptr_t>(memory) + 4 * i; };
  stream.begin_recording();
  for (int i = 0; i < 4; ++i) {
    stream.annotate("step", static_cast<std::uint64_t>(i));
    stream.depend(waits[i].data(), waits[i].size());
    std::vector<Access> accesses{{at(i), at(i) + 4, true}};
    if (i == 1 || i == 2) accesses.push_back({at(0), at(1), false});
    if (i == 3) accesses.push_back({at(1), at(3), false});
    stream.enqueue(std::make_unique<NoStep>(), accesses);
  }
  return DriverGraph(stream.end_recording());
}

TEST_F(SimGraphTest, ARaceBetweenBranchesIsFound) {
  for (const bool joins : {true, false}) {
    Rig rig("race=1");
    Stream stream(rig.device);
    char memory[16] = {};
    DriverExec exec(record_diamond(
        stream, memory, joins ? std::vector<std::uint64_t>{1, 2} : std::vector<std::uint64_t>{1}));
    if (joins) {
      for (int i = 0; i < 2; ++i) exec.launch(stream, {});
      stream.enqueue(std::make_unique<NoStep>(),
                     {{reinterpret_cast<std::uintptr_t>(memory),
                       reinterpret_cast<std::uintptr_t>(memory) + 16, true}});
    } else {
      EXPECT_THAT(error_of(LOCI_CODE_FAILED, [&] { exec.launch(stream, {}); }),
                  HasSubstr("[sim] race: step reads"));
    }
    stream.synchronize();
  }
}

TEST_F(SimGraphTest, AnUpdateThatWaitsForOthersIsRefused) {
  Rig rig;
  Stream stream(rig.device);
  char memory[16] = {};
  DriverExec exec(record_diamond(stream, memory, {1, 2}));
  exec.update(record_diamond(stream, memory, {1, 2}));
  EXPECT_THAT(
      error_of(LOCI_CODE_UNSUPPORTED, [&] { exec.update(record_diamond(stream, memory, {1})); }),
      HasSubstr("its task 3 waits for others than it did; instantiate it"));
}

TEST_F(SimGraphTest, NothingRunsBeforeALaunchAndEachRunsAll) {
  Rig rig;
  Stream stream(rig.device);
  DriverExec exec(record(stream, {"a", "b"}));
  stream.synchronize();
  EXPECT_THAT(done_, ElementsAre());
  exec.launch(stream, {});
  exec.launch(stream, {});
  stream.synchronize();
  EXPECT_THAT(done_, ElementsAre("a", "b", "a", "b"));
}

TEST_F(SimGraphTest, ALaunchTakesOneLatency) {
  Rig rig("launch_us=20000");
  Stream stream(rig.device);
  DriverExec exec(record(stream, {"a", "b", "c", "d", "e"}));
  const Clock::time_point begin = Clock::now();
  exec.launch(stream, {});
  stream.synchronize();
  const auto taken = Clock::now() - begin;
  EXPECT_GE(taken, std::chrono::milliseconds(20));
  EXPECT_LT(taken, std::chrono::milliseconds(90)) << "each kernel by itself would take 20 ms";
}

TEST_F(SimGraphTest, LaunchesInTwoStreamsRunOneAfterTheOther) {
  Rig rig;
  Stream first(rig.device);
  Stream second(rig.device);
  DriverExec exec(record(first, {"a"}));
  Gate gate;
  first.enqueue(gate.work(), {});
  exec.launch(first, {});
  exec.launch(second, {});
  EXPECT_FALSE(second.query());
  gate.open();
  second.synchronize();
  EXPECT_THAT(done_, ElementsAre("a", "a"));
}

TEST_F(SimGraphTest, MayGoWhileItIsQueued) {
  Rig rig;
  Stream stream(rig.device);
  Gate gate;
  {
    DriverExec exec(record(stream, {"a"}));
    stream.enqueue(gate.work(), {});
    exec.launch(stream, {});
  }
  gate.open();
  stream.synchronize();
  EXPECT_THAT(done_, ElementsAre("a"));
}

TEST_F(SimGraphTest, ATaskFailsByItselfAndIsNamedByItsItem) {
  Rig rig("fail_task=2");
  Stream stream(rig.device);
  DriverExec exec(record(stream, {"a", "b", "c"}));
  exec.launch(stream, {1, 1, 100});
  stream.synchronize();
  EXPECT_THAT(done_, ElementsAre("a", "c"));
  std::uint64_t correlation = 0;
  EXPECT_THAT(error_of(LOCI_CODE_FAILED, [&] { rig.device.check_async(correlation); }),
              HasSubstr("b: it fails"));
  EXPECT_EQ(correlation, 101U);
}

TEST_F(SimGraphTest, OnALostDeviceNothingHangs) {
  Rig rig("lose_device=2");
  Stream stream(rig.device);
  Stream other(rig.device);
  DriverExec exec(record(stream, {"a", "b", "c"}));
  exec.launch(stream, {});
  EXPECT_THROW(stream.synchronize(), sdk::Error);
  EXPECT_THAT(done_, ElementsAre("a"));
  EXPECT_THAT(error_of(LOCI_CODE_DEVICE_LOST, [&] { exec.launch(stream, {}); }),
              HasSubstr("is lost"));
}

TEST_F(SimGraphTest, UpdatesToTheSameTasksAlone) {
  Rig rig;
  Stream stream(rig.device);
  DriverExec exec(record(stream, {"a", "b"}));
  exec.update(record(stream, {"a", "b"}));
  EXPECT_EQ(error_of(LOCI_CODE_UNSUPPORTED,
                     [&] {
                       exec.update(record(stream, {"a", "c"}));
                     }),
            "[sim] the graph is another one: its task 1 is c and was b; instantiate it");
  EXPECT_EQ(error_of(LOCI_CODE_UNSUPPORTED, [&] { exec.update(record(stream, {"a"})); }),
            "[sim] the graph is another one: it has 1 tasks and had 2; instantiate it");
  exec.launch(stream, {});
  stream.synchronize();
  EXPECT_THAT(done_, ElementsAre("a", "b"));
}

TEST_F(SimGraphTest, PatchesOfWhatIsNotThereAreRefused) {
  Rig rig;
  Stream stream(rig.device);
  DriverExec exec(record(stream, {"a"}));
  EXPECT_EQ(error_of(LOCI_CODE_INVALID_ARGUMENT, [&] { exec.patch(3, 0, nullptr); }),
            "[sim] there is no item 3 in the graph");
  EXPECT_THAT(error_of(LOCI_CODE_UNSUPPORTED, [&] { exec.patch(0, 0, nullptr); }),
              HasSubstr("a has no arguments that could be exchanged"));
}

TEST_F(SimGraphTest, RacesOfALaunchAreFound) {
  Rig rig("race=1");
  Stream first(rig.device);
  Stream second(rig.device);
  const Access access{0x1000, 0x1010, true};
  first.begin_recording();
  first.enqueue(std::make_unique<Step>("a", &done_), {access});
  DriverExec exec{DriverGraph(first.end_recording())};
  Gate gate;
  second.enqueue(gate.work(), {access});
  EXPECT_THAT(error_of(LOCI_CODE_FAILED, [&] { exec.launch(first, {}); }), HasSubstr("race"));
  gate.open();
}

TEST_F(SimGraphTest, TellsItsNodes) {
  Rig rig;
  Stream stream(rig.device);
  const DriverGraph graph = record(stream, {"a", "b"});
  const DriverNode node = graph.node(1);
  EXPECT_EQ(node.kind, DriverNode::Kind::kKernel);
  EXPECT_EQ(std::string(node.name.data, node.name.size), "b");
  EXPECT_EQ(node.item, 1U);
  EXPECT_GT(graph.bytes(), 2 * sizeof(GraphNode));
}

}  // namespace
}  // namespace loci::sim
