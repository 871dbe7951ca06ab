// Programs whose parts run at the same time on software accelerators, with the race checker on.
#include <algorithm>
#include <atomic>
#include <loci/profiler.hpp>
#include <set>
#include <thread>

#include "framework/profiler/profile.h"
#include "framework/profiler/profile_file.h"
#include "tests/plugins/sim/sim_program.h"
#include "tests/support/scratch_directory.h"

namespace loci {
namespace {

class SimParallelTest : public test::SimProgramTest {
 protected:
  static CompileOptions with_streams(int streams) {
    CompileOptions options = CompileOptions::exact();
    options.streams = streams;
    return options;
  }

  // Four branches of x on sim:0, one on sim:1 and one on the CPU, in that order, and their sum.
  Variable branches(const Variable& x) {
    Variable sum = scale(x, 0.5);
    for (const char* place : {"sim:0", "sim:0", "sim:0", "sim:0", "sim:1", "cpu"}) {
      const DeviceGuard guard(place);
      Variable branch = x;
      for (int i = 0; i < 4; ++i) branch = tanh(matmul(branch, parameter()));
      branches_.push_back(branch);
    }
    for (const Variable& branch : branches_) sum = elementwise_add(sum, branch);
    return sum;
  }
  static Variable parameter() {
    return create_parameter({kExtent, kExtent}, kFloat32, initializer::uniform(-1.0, 1.0));
  }
  static Feed feed() {
    std::vector<float> values(kExtent * kExtent);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7) - 3;
    return {{"x", Tensor::from(values, {kExtent, kExtent})}};
  }

  static constexpr std::int64_t kExtent = 12;
  std::vector<Variable> branches_;
};

TEST_F(SimParallelTest, EveryBitIsThatOfOneStream) {
  const Variable out = branches(data("x", {kExtent, kExtent}, kFloat32));
  Executor(Place("sim:0"), with_streams(1), scope_).run(startup_);
  Executor one("sim:0", with_streams(1), scope_);
  const std::vector<float> expected = one.run(main_, feed(), {out}).front().to_vector<float>();
  for (const int streams : {2, 3, 4, 8}) {
    Executor executor("sim:0", with_streams(streams), scope_);
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(executor.run(main_, feed(), {out}).front().to_vector<float>(), expected);
    }
  }
}

// Beside a loop and within it.
TEST_F(SimParallelTest, LoopsKeepTheirBitsBesideBranches) {
  const Variable x = data("x", {kExtent, kExtent}, kFloat32);
  const Variable n = fill_constant({1}, 5, kInt64);
  std::vector<Variable> weights;
  for (int i = 0; i < 3; ++i) weights.push_back(parameter());
  const std::vector<Variable> last =
      while_loop([&](const std::vector<Variable>& v) { return less_than(v[0], n); },
                 [&](const std::vector<Variable>& v) {
                   Variable sum = v[1];
                   for (const Variable& w : weights)
                     sum = elementwise_add(sum, tanh(matmul(v[1], w)));
                   const DeviceGuard guard("cpu");
                   sum = elementwise_add(sum, relu(v[1]));
                   return std::vector<Variable>{elementwise_add(v[0], full_like(v[0], 1)), sum};
                 },
                 {fill_constant({1}, 0, kInt64), x});
  const Variable out = elementwise_add(branches(x), tanh(last[1]));
  Executor(Place("sim:0"), with_streams(1), scope_).run(startup_);
  Executor one("sim:0", with_streams(1), scope_);
  const std::vector<float> expected = one.run(main_, feed(), {out}).front().to_vector<float>();
  for (const int streams : {2, 4}) {
    Executor executor("sim:0", with_streams(streams), scope_);
    std::set<int> used;
    for (const auto& op : inspect::plan(executor, main_, feed(), {out}).operators) {
      used.insert(op.stream);
    }
    EXPECT_GE(used.size(), static_cast<std::size_t>(streams)) << "a loop forces no stream";
    for (int i = 0; i < 10; ++i) {
      ASSERT_EQ(executor.run(main_, feed(), {out}).front().to_vector<float>(), expected);
    }
  }
}

TEST_F(SimParallelTest, ThePlanTellsOfStreamsAndWaits) {
  const Variable out = branches(data("x", {kExtent, kExtent}, kFloat32));
  const Executor one("sim:0", with_streams(1), scope_);
  Executor four("sim:0", with_streams(4), scope_);
  four.run(startup_);
  std::set<int> streams;
  std::vector<std::string> awaited;
  for (const auto& op : inspect::plan(four, main_, feed(), {out}).operators) {
    if (op.place == "sim:0") streams.insert(op.stream);
    awaited.insert(awaited.end(), op.waits_for.begin(), op.waits_for.end());
  }
  EXPECT_EQ(streams.size(), 4U);
  EXPECT_FALSE(awaited.empty());
  for (const auto& copy : inspect::plan(four, main_, feed(), {out}).transfers) {
    EXPECT_EQ(copy.synchronous, copy.reason == "feed") << copy.variable;
  }
  for (const auto& op : inspect::plan(one, main_, feed(), {out}).operators) {
    EXPECT_EQ(op.stream, 0);
    EXPECT_TRUE(op.waits_for.empty());
  }
}

TEST_F(SimParallelTest, AProfileCountsEachOperatorOnce) {
  const Variable out = branches(data("x", {kExtent, kExtent}, kFloat32));
  Executor executor("sim:0", with_streams(4), scope_);
  executor.run(startup_);
  executor.run(main_, feed(), {out});
  test::ScratchDirectory scratch;
  const std::string path = scratch.path("parallel.profile");
  {
    Profiler profiler(ProfilerOptions().no_reporter().profile_path(path));
    for (int i = 0; i < 3; ++i) executor.run(main_, feed(), {out});
  }
  const profiler::Profile profile(profiler::read_profile(path));
  const loci_profile& abi = profile.abi();
  std::uint64_t calls = 0;
  for (std::uint64_t i = 0; i < abi.node_count; ++i) {
    const loci_profile_label& label = abi.labels[abi.nodes[i].label];
    if (std::string(label.name.data, label.name.size) == "tanh") calls += abi.nodes[i].calls;
  }
  EXPECT_EQ(calls, 3U * 6 * 4);
  EXPECT_EQ(abi.quality->unattributed_device_spans, 0U);
}

TEST_F(SimParallelTest, TrainsWhileOtherBranchesRun) {
  const Variable x = data("x", {kExtent, kExtent}, kFloat32);
  const Variable loss = mean(square(branches(x)));
  optimizer::Momentum(0.01).minimize(loss);
  const auto losses = [&](int streams) {
    const Scope scope;
    Executor executor("sim:0", with_streams(streams), scope);
    executor.run(startup_);
    std::vector<float> values;
    for (int i = 0; i < 5; ++i) {
      values.push_back(executor.run(main_, feed(), {loss}).front().item<float>());
    }
    return values;
  };
  const std::vector<float> expected = losses(1);
  EXPECT_NE(expected.front(), expected.back());
  EXPECT_EQ(losses(4), expected);
  EXPECT_EQ(losses(2), expected);
}

TEST_F(SimParallelTest, RunsFromSeveralThreadsShareStreams) {
  const Variable out = branches(data("x", {kExtent, kExtent}, kFloat32));
  Executor executor("sim:0", with_streams(4), scope_);
  executor.run(startup_);
  const auto expected = executor.run(main_, feed(), {out}).front().to_vector<float>();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        const auto got = executor.run(main_, feed(), {out}).front().to_vector<float>();
        if (got != expected) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(SimParallelTest, AFailureInABranchIsTheRunsAndLeavesNothingBehind) {
  const Variable out = branches(data("x", {kExtent, kExtent}, kFloat32));
  Executor executor("sim:0", with_streams(4), scope_);
  executor.run(startup_);
  const auto expected = executor.run(main_, feed(), {out}).front().to_vector<float>();
  for (std::int64_t at = 1; at <= 12; ++at) {
    faults("sim:0").task = at;
    EXPECT_THROW(executor.run(main_, feed(), {out}), Error) << at;
    faults("sim:1").launch = 1 + at % 4;
    EXPECT_THROW(executor.run(main_, feed(), {out}), Error) << at;
    EXPECT_EQ(executor.run(main_, feed(), {out}).front().to_vector<float>(), expected);
  }
}

}  // namespace
}  // namespace loci
