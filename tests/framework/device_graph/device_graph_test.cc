// Rules H: what becomes of a device graph whose variables have other storage than before.
#include "framework/device_graph/device_graph.h"

#include "framework/device/device_manager.h"
#include "tests/framework/capture/native_fixture.h"

namespace loci::device_graph {
namespace {

using capture::in_native_context;
using capture::on_sim;
using capture::segment_sizes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// y = relu(x + x) * x over variables of a scope.
struct Doubling {
  Doubling() {
    const ProgramGuard building(main, startup);
    Variable x = data("x", {2}, kFloat32);
    x.set_persistable(true);
    Variable y = relu(x + x) * x;
    y.rename("y");
    y.set_persistable(true);
  }
  Program main;
  Program startup;
};

// Sets x in other storage than it has; what it had stays, so that the address is another one.
class Batches {
 public:
  explicit Batches(Scope scope) : scope_(std::move(scope)) {}
  void set(float first, float second) {
    kept_.push_back(scope_.find("x"));
    scope_.erase("x");
    scope_.set("x", on_sim({first, second}));
  }

 private:
  Scope scope_;
  std::vector<Tensor> kept_;
};

// Replays with another batch each time, all of which have to be read.
GraphStats stats_of_batches(int replays) {
  const Doubling model;
  const Scope scope;
  Executor executor("sim:0", CompileOptions::exact(), scope);
  scope.set("x", Tensor::from<float>({0, 0}, {2}));
  executor.run(model.main);
  Graph graph("sim:0");
  graph.capture_begin();
  executor.run(model.main);
  graph.capture_end();
  Batches batches(scope);
  for (int i = 1; i <= replays; ++i) {
    const auto value = static_cast<float>(i);
    batches.set(value, -value);
    graph.replay();
    EXPECT_THAT(scope.find("y").to_vector<float>(), ElementsAre(2 * value * value, 0));
  }
  EXPECT_THAT(segment_sizes(graph), ElementsAre(::testing::Gt(0)));
  return graph.stats();
}

TEST(DeviceGraphTest, H1_AddressesAreExchangedInPlace) {
  in_native_context({{"SIM", "race=1,delay_us=20"}}, [] {
    const GraphStats stats = stats_of_batches(4);
    EXPECT_GT(stats.patches, 0U);
    EXPECT_EQ(stats.recaptures, 0U);
    EXPECT_EQ(stats.reinstantiations, 0U);
  });
}

TEST(DeviceGraphTest, H1_WhereTheyCannotBeItIsCapturedAgainAndUpdated) {
  in_native_context({{"SIM_GRAPH_NO_PATCH", "1"}, {"SIM", "race=1,delay_us=20"}}, [] {
    const GraphStats stats = stats_of_batches(4);
    EXPECT_EQ(stats.patches, 0U);
    EXPECT_GT(stats.recaptures, 0U);
    EXPECT_EQ(stats.reinstantiations, 0U);
  });
}

TEST(DeviceGraphTest, H1_WhatRefusesTheUpdateIsInstantiatedAgain) {
  in_native_context({{"SIM_GRAPH_NO_PATCH", "1"}, {"SIM_GRAPH_NO_UPDATE", "1"}}, [] {
    const GraphStats stats = stats_of_batches(4);
    EXPECT_GT(stats.recaptures, 0U);
    EXPECT_EQ(stats.reinstantiations, stats.recaptures);
  });
}

// H2: replays that are queued keep what they were launched with.
TEST(DeviceGraphTest, H2_AnExchangeIsForLaterReplaysAlone) {
  in_native_context({{"SIM", "race=1,delay_us=500"}}, [] {
    const Doubling model;
    const Scope scope;
    Executor executor("sim:0", CompileOptions::exact(), scope);
    scope.set("x", Tensor::from<float>({1, 1}, {2}));
    executor.run(model.main);
    Graph graph("sim:0");
    graph.capture_begin();
    executor.run(model.main);
    graph.capture_end();
    Batches batches(scope);
    std::vector<Tensor> results;
    for (int i = 1; i <= 3; ++i) {
      batches.set(static_cast<float>(i), 0);
      graph.replay();
      results.push_back(full({2}, 0, kFloat32, "sim:0"));
      results.back().copy_(scope.find("y"));
    }
    for (int i = 1; i <= 3; ++i) {
      EXPECT_EQ(results[static_cast<std::size_t>(i - 1)].to_vector<float>()[0],
                static_cast<float>(2 * i * i));
    }
  });
}

// An exchange that fails: neither that replay nor a later one runs with addresses of old.
TEST(DeviceGraphTest, WhatFailsToFollowIsCapturedAgain) {
  in_native_context({{"SIM_GRAPH_NO_PATCH", "1"}, {"SIM_GRAPH_FAIL_END", "2"}}, [] {
    const Doubling model;
    const Scope scope;
    Executor executor("sim:0", CompileOptions::exact(), scope);
    scope.set("x", Tensor::from<float>({1, 1}, {2}));
    executor.run(model.main);
    Graph graph("sim:0");
    graph.capture_begin();
    executor.run(model.main);
    graph.capture_end();
    Batches batches(scope);
    batches.set(3, 0);
    EXPECT_THAT([&] { graph.replay(); },
                ::testing::ThrowsMessage<Error>(HasSubstr("ending a graph")));
    graph.replay();
    EXPECT_THAT(scope.find("y").to_vector<float>(), ElementsAre(18, 0));
    EXPECT_EQ(graph.stats().recaptures, 1U);
  });
}

// Copies of four bytes from each place of a memory to another, each behind some of the others.
class Copies final : public GraphItems {
 public:
  struct Item {
    int from;
    int to;
    std::vector<std::uint32_t> waits;
  };
  Copies(device::Device& device, void* memory, std::vector<Item> items)
      : device_(device), memory_(static_cast<char*>(memory)), items_(std::move(items)) {}

  [[nodiscard]] std::string type(std::size_t) const override { return "copy"; }
  void issue_captured(std::size_t item, const device::Device&, loci_stream* stream) const override {
    loci_copy call{};
    call.struct_size = sizeof call;
    call.source_end = LOCI_END_DEVICE;
    call.target_end = LOCI_END_DEVICE;
    call.source = memory_ + 4 * items_[item].from;
    call.target = memory_ + 4 * items_[item].to;
    call.row_bytes = 4;
    call.rows = 1;
    std::uint32_t blocked = 0;
    device_.check(device_.api().copy(device_.handle(), &call, stream, &blocked), "copying");
  }
  void visit_addresses(std::size_t, std::size_t, const AddressVisitor&) const override {}
  [[nodiscard]] const std::vector<std::uint32_t>* dependencies(std::size_t item) const override {
    return &items_[item].waits;
  }

 private:
  device::Device& device_;
  char* memory_;
  std::vector<Item> items_;
};

TEST(DeviceGraphTest, ForksAndJoinsAsItsItemsSay) {
  in_native_context({{"SIM", "race=1"}}, [] {
    const Tensor memory = on_sim({1, 0, 0, 0, 0});
    device::Device& device = device::DeviceManager::instance().get(Place("sim:0"));
    const Copies copies(device, memory.raw_data(),
                        {{0, 0, {}}, {0, 1, {}}, {1, 2, {1}}, {1, 3, {1}}, {2, 4, {0, 2, 3}}});
    Executable executable(core::in_context<Capturers>().of(device).capturer, copies, 1, 5);
    EXPECT_EQ(executable.graph().dump(),
              "0 copy of 4 bytes within the device, item 1\n"
              "1 copy of 4 bytes within the device, item 2\n"
              "2 copy of 4 bytes within the device, item 3, behind 0\n"
              "3 copy of 4 bytes within the device, item 4, behind 1 and 2\n")
        << "item 0 is not of it";
    loci_graph_launch launch{};
    launch.struct_size = sizeof launch;
    launch.stream = device.default_stream();
    executable.launch(launch);
    EXPECT_THAT(memory.to_vector<float>(), ElementsAre(1, 1, 1, 1, 1));
  });
}

}  // namespace
}  // namespace loci::device_graph
