// Programs whose launches are captured by themselves, at sim:0 with its capturer.
#include "framework/execution/frame_graph.h"

#include <algorithm>
#include <loci/inspect.hpp>
#include <loci/profiler.hpp>
#include <map>
#include <numeric>
#include <set>
#include <thread>

#include "framework/profiler/profile.h"
#include "framework/profiler/profile_file.h"
#include "tests/framework/capture/native_fixture.h"
#include "tests/support/scratch_directory.h"

namespace loci::execution {
namespace {

using capture::in_native_context;
using capture::on_sim;
using capture::WithCapturer;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kSteps = 6;

// A step of training of Adam with dropout, fed with x of [4, 3] and label of [4, 1].
struct Model {
  Model() {
    const ProgramGuard building(main, startup);
    const Variable x = data("x", {4, 3}, kFloat32);
    const Variable label = data("label", {4, 1}, kFloat32);
    const Variable hidden = dropout(relu(layers::fc(x, 5)), 0.25);
    loss = mean(square_error_cost(layers::fc(hidden, 1), label));
    optimizer::Adam(0.05).minimize(loss);
  }
  Program main;
  Program startup;
  Variable loss;
};

Tensor batch(int step, std::int64_t columns) {
  std::vector<float> elements(static_cast<std::size_t>(4 * columns));
  std::iota(elements.begin(), elements.end(), static_cast<float>(step) - 3);
  return Tensor::from(elements, {4, columns}) * 0.125F;
}

struct Outcome {
  std::vector<float> losses;
  inspect::PlanCapture told;
};

enum class FedFrom { kHost, kDevice };

Outcome train(GraphCapture capture, FedFrom from = FedFrom::kHost) {
  config::set_seed(7);
  const Model model;
  CompileOptions options = CompileOptions::exact();
  options.capture = capture;
  Executor executor("sim:0", options, Scope());
  executor.run(model.startup);
  Outcome outcome;
  Feed feed;
  std::vector<Fetch> fetch{Fetch(model.loss)};
  if (from == FedFrom::kDevice) fetch = {Fetch(model.loss).at(Place("sim:0"))};
  std::vector<Feed> kept;  // so that each batch has an address of its own
  for (int step = 0; step < kSteps; ++step) {
    feed = {{"x", batch(step, 3)}, {"label", batch(2 * step, 1)}};
    if (from == FedFrom::kDevice) {
      for (auto& [name, tensor] : feed) tensor = tensor.to(Place("sim:0"));
    }
    kept.push_back(feed);
    outcome.losses.push_back(executor.run(model.main, feed, fetch)[0].item<float>());
  }
  outcome.told = inspect::capture(executor, model.main, feed, fetch);
  return outcome;
}

std::uint64_t native_items(const inspect::PlanCapture& told) {
  return std::accumulate(told.parts.begin(), told.parts.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const inspect::CapturedPart& part) {
                           return sum + (part.is_native ? part.items : 0);
                         });
}

TEST(FrameGraphTest, CapturedRunsArePlainOnesToTheBit) {
  in_native_context({{"SIM", "race=1,delay_us=20"}}, [] {
    const Outcome plain = train(GraphCapture::kOff);
    const Outcome captured = train(GraphCapture::kAuto);
    EXPECT_EQ(captured.losses, plain.losses);
    EXPECT_EQ(plain.told.captures, 0U);
    EXPECT_EQ(captured.told.captures, 1U);
    EXPECT_EQ(captured.told.replays, static_cast<std::uint64_t>(kSteps - 1));
    EXPECT_GT(native_items(captured.told), 10U);
    EXPECT_GT(captured.told.bytes, 0U);
    EXPECT_THAT(captured.told.to_string(), HasSubstr("launches and copies in 1 graph, captured"));
  });
}

TEST(FrameGraphTest, AddressesOfFeedsAndFetchesAreExchanged) {
  in_native_context({{"SIM", "race=1,delay_us=20"}}, [] {
    const Outcome plain = train(GraphCapture::kOff, FedFrom::kDevice);
    const Outcome captured = train(GraphCapture::kAuto, FedFrom::kDevice);
    EXPECT_EQ(captured.losses, plain.losses);
    EXPECT_GE(captured.told.patches, static_cast<std::uint64_t>(2 * (kSteps - 2)));
    EXPECT_EQ(captured.told.recaptures, 0U);
  });
}

// Captured again once: from then on what runs bind is copied to where the graph has it.
TEST(FrameGraphTest, WhereNobodyCanExchangeThemTheyAreCopied) {
  for (const char* also : {"SIM_GRAPH_NO_PATCH", "SIM_GRAPH_NO_UPDATE"}) {
    in_native_context({{"SIM_GRAPH_NO_PATCH", "1"}, {also, "1"}, {"SIM", "race=1,delay_us=20"}},
                      [] {
                        const Outcome plain = train(GraphCapture::kOff, FedFrom::kDevice);
                        const Outcome captured = train(GraphCapture::kAuto, FedFrom::kDevice);
                        EXPECT_EQ(captured.losses, plain.losses);
                        EXPECT_EQ(captured.told.patches, 0U);
                        EXPECT_EQ(captured.told.recaptures, 2U);
                        EXPECT_EQ(captured.told.replays, static_cast<std::uint64_t>(kSteps - 1));
                      });
  }
}

TEST(FrameGraphTest, AVariableInOtherMemoryIsReadFromThere) {
  for (const char* no_patch : {"0", "1"}) {
    in_native_context({{"SIM_GRAPH_NO_PATCH", no_patch}}, [] {
      Program main;
      Program startup;
      Variable y;
      {
        const ProgramGuard building(main, startup);
        Variable w = data("w", {2}, kFloat32);
        w.set_persistable(true);
        y = relu(w + w) * w;
      }
      CompileOptions options;
      options.capture = GraphCapture::kAuto;
      options.disabled_passes = {"elementwise_fusion"};  // of one launch no graph is made
      const Scope scope;
      Executor executor("sim:0", options, scope);
      std::vector<Tensor> kept;
      for (int i = 1; i <= 5; ++i) {
        const auto value = static_cast<float>(i);
        scope.erase("w");
        scope.set("w", kept.emplace_back(on_sim({value, -value})));
        EXPECT_THAT(executor.run(main, {}, {y})[0].to_vector<float>(),
                    ElementsAre(2 * value * value, 0));
      }
      EXPECT_GT(native_items(inspect::capture(executor, main, {}, {y})), 1U);
    });
  }
}

TEST(FrameGraphTest, WhatCannotBeCapturedIsLaunchedByTheHost) {
  in_native_context({}, [] {
    Program main;
    Program startup;
    Variable y;
    {
      const ProgramGuard building(main, startup);
      Variable x = data("x", {2}, kFloat32);
      x = relu(x + x) * x;
      Variable there;
      {
        const DeviceGuard host("cpu");
        there = sqrt(x);
      }
      y = relu(there * there) + x;
    }
    CompileOptions options;
    options.optimization = Optimization::kNone;
    options.capture = GraphCapture::kAuto;
    Executor executor("sim:0", options, Scope());
    for (int i = 1; i <= 4; ++i) {
      const auto value = static_cast<float>(i);
      const Feed feed{{"x", Tensor::from<float>({value, 0}, {2})}};
      EXPECT_FLOAT_EQ(executor.run(main, feed, {y})[0].to_vector<float>()[0], 4 * value * value);
    }
    const inspect::PlanCapture told =
        inspect::capture(executor, main, {{"x", Tensor::from<float>({1, 0}, {2})}}, {y});
    std::vector<std::string> reasons;
    std::uint64_t graphs = 0;
    for (const inspect::CapturedPart& part : told.parts) {
      if (part.is_native) ++graphs;
      if (!part.is_native) reasons.push_back(part.reason);
    }
    EXPECT_EQ(graphs, 2U);
    EXPECT_THAT(reasons, ::testing::Contains(HasSubstr("cpu does its work at once")));
    EXPECT_THAT(reasons, ::testing::Contains(HasSubstr("is copied between places")));
  });
}

TEST(FrameGraphTest, ACaptureThatFailsLeavesItToTheHost) {
  in_native_context({{"SIM_GRAPH_FAIL_END", "1"}}, [] {
    const Outcome plain = train(GraphCapture::kOff);
    const Outcome captured = train(GraphCapture::kAuto);
    EXPECT_EQ(captured.losses, plain.losses);
    EXPECT_EQ(native_items(captured.told), 0U);
    EXPECT_EQ(captured.told.replays, 0U);
    EXPECT_THAT(captured.told.to_string(), HasSubstr("org.loci.sim_graph failed: "));
  });
}

TEST(FrameGraphTest, WithoutACapturerThePlanIsTheList) {
  in_native_context(
      {},
      [] {
        const Outcome plain = train(GraphCapture::kOff);
        const Outcome captured = train(GraphCapture::kAuto);
        EXPECT_EQ(captured.losses, plain.losses);
        EXPECT_EQ(native_items(captured.told), 0U);
        EXPECT_THAT(captured.told.to_string(), HasSubstr("there is no capturer for sim"));
      },
      WithCapturer::kNo);
}

TEST(FrameGraphTest, RunsAtTheSameTimeHaveGraphsOfTheirOwn) {
  in_native_context({{"SIM", "race=1,delay_us=50"}}, [] {
    Program main;
    Program startup;
    Variable y;
    {
      const ProgramGuard building(main, startup);
      const Variable x = data("x", {2}, kFloat32);
      y = relu(x + x) * x;
    }
    CompileOptions options;
    options.capture = GraphCapture::kAuto;
    Executor executor("sim:0", options, Scope());
    const Context context = Context::current();
    const auto many = [&](int first) {
      const ContextGuard guard(context);
      for (int i = first; i < first + 20; ++i) {
        const auto value = static_cast<float>(i);
        const Feed feed{{"x", Tensor::from<float>({value, 0}, {2})}};
        EXPECT_EQ(executor.run(main, feed, {y})[0].to_vector<float>()[0], 2 * value * value);
      }
    };
    std::thread other([&] { many(100); });
    many(1);
    other.join();
  });
}

// Counts the calls by the names of rows.
std::map<std::string, std::uint64_t> calls_in(const loci_profile& profile) {
  std::map<std::string, std::uint64_t> calls;
  for (std::uint64_t i = 0; i < profile.node_count; ++i) {
    const loci_profile_label& label = profile.labels[profile.nodes[i].label];
    calls[std::string(label.name.data, label.name.size)] += profile.nodes[i].calls;
  }
  return calls;
}

TEST(FrameGraphTest, ATracedFunctionCapturesItself) {
  in_native_context({}, [] {
    CompileOptions options;
    options.capture = GraphCapture::kAuto;
    options.disabled_passes = {"elementwise_fusion"};  // of one launch no graph is made
    const CompiledFunction step = compile(
        [](const std::vector<Tensor>& in) -> std::vector<Tensor> { return {relu(in[0]) * in[0]}; },
        {on_sim({0, 0})}, {}, options);
    const test::ScratchDirectory scratch;
    const std::string path = scratch.path("traced.profile");
    Profiler profiler(ProfilerOptions().no_reporter().profile_path(path));
    for (int i = 1; i <= 4; ++i) {
      const auto value = static_cast<float>(i);
      EXPECT_THAT(step({on_sim({value, -value})})[0].to_vector<float>(),
                  ElementsAre(value * value, 0));
    }
    EXPECT_THAT(profiler.stop(), ::testing::IsEmpty());
    const profiler::Profile profile(profiler::read_profile(path));
    EXPECT_EQ(calls_in(profile.abi())["replay_graph"], 3U);
  });
}

// The operators have their rows and the device's time, though nobody launches them one by one.
TEST(FrameGraphTest, AProfileHasTheOperatorsAndTheGraph) {
  in_native_context({{"SIM", "delay_us=20"}}, [] {
    const Model model;
    CompileOptions options = CompileOptions::exact();
    options.capture = GraphCapture::kAuto;
    Executor executor("sim:0", options, Scope());
    executor.run(model.startup);
    const Feed feed{{"x", batch(1, 3)}, {"label", batch(2, 1)}};
    const test::ScratchDirectory scratch;
    const std::string path = scratch.path("captured.profile");
    Profiler profiler(ProfilerOptions().tracer_option("OpDetail").no_reporter().profile_path(path));
    for (int i = 0; i < 3; ++i) executor.run(model.main, feed, {model.loss});
    EXPECT_THAT(profiler.stop(), ::testing::IsEmpty());
    const profiler::Profile profile(profiler::read_profile(path));
    const loci_profile& told = profile.abi();
    std::map<std::string, std::uint64_t> calls = calls_in(told);
    EXPECT_EQ(calls["mul"], 6U);
    EXPECT_EQ(calls["capture_graph"], 1U);
    EXPECT_EQ(calls["instantiate_graph"], 1U);
    EXPECT_EQ(calls["replay_graph"], 2U);
    std::set<std::uint64_t> replays;
    for (std::uint64_t i = 0; i < told.device_span_count; ++i) {
      EXPECT_NE(told.device_spans[i].span, LOCI_PROFILE_NONE) << "work of nobody";
      replays.insert(told.device_spans[i].replay);
    }
    EXPECT_THAT(replays, ElementsAre(0, 1, 2));
  });
}

// Two heads, each long enough to be worth a branch, over one trunk; trained.
struct TwoHeads {
  TwoHeads() {
    const ProgramGuard building(main, startup);
    const Variable x = data("x", {4, 3}, kFloat32);
    const Variable label = data("label", {4, 1}, kFloat32);
    const Variable trunk = relu(layers::fc(x, 5));
    Variable sum;
    for (int head = 0; head < 2; ++head) {
      Variable y = trunk;
      for (int i = 0; i < 3; ++i) y = tanh(layers::fc(y, 4));
      sum = head == 0 ? y : sum + y;
    }
    loss = mean(square_error_cost(layers::fc(sum, 1), label));
    optimizer::Adam(0.05).minimize(loss);
  }
  Program main;
  Program startup;
  Variable loss;
};

Outcome train_heads(GraphCapture capture, int streams, Optimization optimization) {
  config::set_seed(7);
  const TwoHeads model;
  CompileOptions options = CompileOptions::exact();
  options.optimization = optimization;
  options.capture = capture;
  options.streams = streams;
  Executor executor("sim:0", options, Scope());
  executor.run(model.startup);
  Outcome outcome;
  std::vector<Tensor> kept;  // so that each batch has an address of its own
  Feed feed;
  const std::vector<Fetch> fetch{Fetch(model.loss).at(Place("sim:0"))};
  for (int step = 0; step < kSteps; ++step) {
    kept.push_back(batch(step, 3).to(Place("sim:0")));
    kept.push_back(batch(2 * step, 1).to(Place("sim:0")));
    feed = {{"x", kept[kept.size() - 2]}, {"label", kept.back()}};
    kept.push_back(executor.run(model.main, feed, fetch)[0]);
    outcome.losses.push_back(kept.back().item<float>());
  }
  outcome.told = inspect::capture(executor, model.main, feed, fetch);
  return outcome;
}

std::uint64_t branches_of(const inspect::PlanCapture& told) {
  std::uint64_t most = 0;
  for (const inspect::CapturedPart& part : told.parts) most = std::max(most, part.branches);
  return most;
}

// The checker takes what no edge orders for what may meet.
TEST(FrameGraphTest, GraphsThatForkAreChainsToTheBit) {
  for (const Optimization optimization : {Optimization::kNone, Optimization::kExact}) {
    in_native_context({{"SIM", "race=1,delay_us=20"}}, [&] {
      const Outcome plain = train_heads(GraphCapture::kOff, 1, optimization);
      const Outcome chain = train_heads(GraphCapture::kAuto, 1, optimization);
      const Outcome forked = train_heads(GraphCapture::kAuto, 4, optimization);
      EXPECT_EQ(branches_of(chain.told), 1U);
      EXPECT_GT(branches_of(forked.told), 1U);
      EXPECT_THAT(forked.told.to_string(), HasSubstr("launches run side by side"));
      EXPECT_THAT(chain.told.to_string(), ::testing::Not(HasSubstr("side by side")));
      EXPECT_EQ(chain.losses, plain.losses);
      EXPECT_EQ(forked.losses, plain.losses);
      EXPECT_EQ(forked.told.patches, chain.told.patches);
      EXPECT_EQ(forked.told.recaptures, 0U);
    });
  }
}

TEST(FrameGraphTest, AGraphThatForksIsRecordedAnew) {
  in_native_context({{"SIM_GRAPH_NO_PATCH", "1"}, {"SIM", "race=1"}}, [&] {
    const Outcome plain = train_heads(GraphCapture::kOff, 1, Optimization::kExact);
    const Outcome forked = train_heads(GraphCapture::kAuto, 4, Optimization::kExact);
    EXPECT_GT(branches_of(forked.told), 1U);
    EXPECT_EQ(forked.losses, plain.losses);
    EXPECT_EQ(forked.told.recaptures, 2U);
    EXPECT_EQ(forked.told.reinstantiations, 0U);
  });
}

TEST(FrameGraphTest, WithoutACapturerNothingForks) {
  in_native_context(
      {},
      [] {
        const Outcome plain = train_heads(GraphCapture::kOff, 1, Optimization::kExact);
        const Outcome list = train_heads(GraphCapture::kAuto, 4, Optimization::kExact);
        EXPECT_EQ(list.losses, plain.losses);
        EXPECT_EQ(list.told.arena_bytes, plain.told.arena_bytes);
      },
      WithCapturer::kNo);
}

TEST(FrameGraphTest, AFailingOperatorIsNamed) {
  in_native_context({{"SIM", "fail_task=40"}}, [] {
    try {
      for (int i = 0; i < 20; ++i) train(GraphCapture::kAuto);
      FAIL() << "the fault that is asked for has to come";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::ContainsRegex("\\[[a-z_]+\\] [a-z_]+_[0-9]+ at sim:0"));
    }
  });
}

}  // namespace
}  // namespace loci::execution
