// Parameters in the layouts that kernels like: packed once, and never stale.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <loci/loci.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t kRows = 64;
constexpr std::int64_t kInner = 96;
constexpr std::int64_t kColumns = 80;

std::vector<float> numbers(std::int64_t count, int seed) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>((i * 7 + seed * 13) % 17 - 8) / 8.0F);
  }
  return values;
}

class PackedConstantsTest : public ::testing::Test {
 protected:
  PackedConstantsTest() {
    const loci::ProgramGuard building(program_, startup_);
    const loci::Variable x = loci::data("x", {-1, kInner}, loci::kFloat32);
    weight_ = loci::create_parameter({kInner, kColumns}, loci::kFloat32,
                                     loci::initializer::constant(0), "w");
    out_ = loci::matmul(x, weight_);
    set_weight(1);
  }

  void set_weight(int seed) {
    weight_values_ = numbers(kInner * kColumns, seed);
    scope_.set("w", loci::Tensor::from(weight_values_, {kInner, kColumns}));
  }
  loci::Feed feed(std::int64_t rows) const {
    return {{"x", loci::Tensor::from(numbers(rows * kInner, 2), {rows, kInner})}};
  }
  std::vector<float> run(loci::Executor& executor, std::int64_t rows = kRows) const {
    return executor.run(program_, feed(rows), {out_})[0].to_vector<float>();
  }
  // The product with the weight as it should be.
  void expect_right(const std::vector<float>& got, std::int64_t rows = kRows) const {
    const std::vector<float> x = numbers(rows * kInner, 2);
    ASSERT_EQ(got.size(), static_cast<std::size_t>(rows * kColumns));
    double worst = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < kColumns; ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k < kInner; ++k) {
          sum += double{x[static_cast<std::size_t>(i * kInner + k)]} *
                 double{weight_values_[static_cast<std::size_t>(k * kColumns + j)]};
        }
        worst = std::max(worst, std::abs(sum - got[static_cast<std::size_t>(i * kColumns + j)]));
      }
    }
    EXPECT_LT(worst, 1e-4);
  }
  bool packs(loci::Executor& executor) const {
    return !loci::inspect::plan(executor, program_, feed(kRows), {out_}).packed.empty();
  }
  static std::size_t pack_rows() {
    const std::vector<loci::inspect::Transfer> rows = loci::inspect::transfers();
    return static_cast<std::size_t>(std::count_if(
        rows.begin(), rows.end(), [](const auto& row) { return row.reason == "pack"; }));
  }

  loci::Program program_;
  loci::Program startup_;
  loci::Scope scope_;
  loci::Variable weight_;
  loci::Variable out_;
  std::vector<float> weight_values_;
};

TEST_F(PackedConstantsTest, OnceForAllRunsPlansAndExecutors) {
  loci::Executor first("cpu", {}, scope_);
  const std::size_t before = pack_rows();
  for (int i = 0; i < 3; ++i) expect_right(run(first));
  EXPECT_EQ(pack_rows() - before, 1U);
  loci::Executor second("cpu", {}, scope_);
  expect_right(run(second));
  for (const std::int64_t rows : {1, 7, 128}) expect_right(run(first, rows), rows);
  EXPECT_EQ(pack_rows() - before, 1U);
}

// For so many rows another kernel is faster, which may like a layout of its own.
TEST_F(PackedConstantsTest, ManyRowsTakeAnotherKernel) {
  loci::Executor executor("cpu", {}, scope_);
  expect_right(run(executor, 512), 512);
  const auto plan = loci::inspect::plan(executor, program_, feed(512), {out_});
  EXPECT_NE(plan.operators[0].kernel, "org.loci.cpu/packed");
  EXPECT_EQ(loci::inspect::plan(executor, program_, feed(kRows), {out_}).operators[0].kernel,
            "org.loci.cpu/packed");
}

TEST_F(PackedConstantsTest, ThePlanSaysWhatIsPacked) {
  loci::Executor executor("cpu", {}, scope_);
  const auto plan = loci::inspect::plan(executor, program_, feed(kRows), {out_});
  ASSERT_THAT(plan.packed, SizeIs(1));
  EXPECT_EQ(plan.packed[0].variable, "w");
  EXPECT_EQ(plan.packed[0].place, "cpu");
  EXPECT_EQ(plan.packed[0].consumer, plan.operators[0].name);
  EXPECT_GE(plan.packed[0].bytes, static_cast<std::uint64_t>(kInner * kColumns * 4));
  EXPECT_THAT(plan.packed[0].layout, ::testing::StartsWith("packed f32 [96, 80]"));
}

TEST_F(PackedConstantsTest, AWeightThatIsSetIsPackedAnew) {
  loci::Executor executor("cpu", {}, scope_);
  expect_right(run(executor));
  set_weight(5);
  expect_right(run(executor));
  scope_.find("w").mul_(loci::Tensor::scalar(2.0F));
  for (float& value : weight_values_) value *= 2;
  expect_right(run(executor));
  scope_.erase("w");
  set_weight(6);
  expect_right(run(executor));
}

TEST_F(PackedConstantsTest, AWeightThatIsWrittenThroughItsAddressIsNeverStale) {
  loci::Executor executor("cpu", {}, scope_);
  expect_right(run(executor));
  auto* elements = scope_.find("w").data<float>();
  for (int seed = 7; seed < 10; ++seed) {
    weight_values_ = numbers(kInner * kColumns, seed);
    std::copy(weight_values_.begin(), weight_values_.end(), elements);
    expect_right(run(executor));
  }
}

TEST_F(PackedConstantsTest, AWeightThatAnotherProgramTrainsIsPackedAnew) {
  loci::Program training;
  loci::Program initialising;
  {
    const loci::ProgramGuard building(training, initialising);
    const loci::Variable w = loci::create_parameter({kInner, kColumns}, loci::kFloat32,
                                                    loci::initializer::constant(0), "w");
    const loci::Variable loss = loci::mean(w);  // each element's gradient is 1 / count
    loci::optimizer::SGD(/*learning_rate=*/kInner * kColumns).minimize(loss);
  }
  loci::Executor executor("cpu", {}, scope_);
  executor.run(initialising);
  set_weight(3);
  expect_right(run(executor));
  for (int step = 0; step < 3; ++step) {
    executor.run(training);
    for (float& value : weight_values_) value -= 1;
    expect_right(run(executor));
  }
}

// Whoever updates a weight reads it plain in the same run.
TEST_F(PackedConstantsTest, WhatTheProgramChangesIsNoConstant) {
  {
    const loci::ProgramGuard building(program_, startup_);
    const loci::Variable loss = loci::mean(out_);
    loci::optimizer::SGD(0.5).minimize(loss);
  }
  loci::Executor executor("cpu", {}, scope_);
  executor.run(startup_);
  EXPECT_THAT(loci::inspect::plan(executor, program_, feed(kRows), {out_}).packed, IsEmpty());
}

TEST_F(PackedConstantsTest, WithOptimizationsThatKeepBitsNothingIsPacked) {
  loci::Executor executor("cpu", loci::CompileOptions::exact(), scope_);
  EXPECT_FALSE(packs(executor));
  expect_right(run(executor));
}

// To ask whether the device has a kernel of an operator that is fused, and so could be decomposed,
// prepares the kernel that runs: a library compiles the product of each size once.
TEST_F(PackedConstantsTest, AFusedProductIsPreparedOnce) {
  const loci::Program fused;
  const loci::Program unused;
  loci::Variable out;
  {
    const loci::ProgramGuard building(fused, unused);
    const loci::Variable x = loci::data("x", {-1, kInner}, loci::kFloat32);
    const loci::Variable w = loci::create_parameter({kInner, kColumns}, loci::kFloat32,
                                                    loci::initializer::constant(0), "w");
    out = loci::relu(loci::matmul(x, w));
  }
  loci::Executor executor("cpu", {}, scope_);
  for (const std::int64_t rows : {256, 300}) executor.run(fused, feed(rows), {out});
  std::uint64_t prepared = 0;
  for (const auto& each : loci::inspect::caches(executor).preparations) prepared += each.count;
  EXPECT_EQ(prepared, 2U);
}

TEST_F(PackedConstantsTest, CanBeTurnedOff) {
  loci::CompileOptions options;
  options.pack_constants = false;
  loci::Executor executor("cpu", options, scope_);
  EXPECT_FALSE(packs(executor));
  expect_right(run(executor));
}

TEST_F(PackedConstantsTest, BlocksOfLoopsReadThemToo) {
  loci::Variable product;
  loci::Program looping;
  {
    const loci::ProgramGuard building(looping, startup_);
    const loci::Variable x = loci::data("x", {kInner, kInner}, loci::kFloat32);
    const loci::Variable w = loci::create_parameter({kInner, kInner}, loci::kFloat32,
                                                    loci::initializer::constant(0), "square");
    const loci::Variable zero = loci::fill_constant({1}, 0, loci::kInt64);
    const loci::Variable one = loci::fill_constant({1}, 1, loci::kInt64);
    const loci::Variable three = loci::fill_constant({1}, 3, loci::kInt64);
    product = loci::while_loop(
        [&](const std::vector<loci::Variable>& v) { return loci::less_than(v[0], three); },
        [&](const std::vector<loci::Variable>& v) {
          return std::vector<loci::Variable>{loci::elementwise_add(v[0], one),
                                             loci::matmul(v[1], w)};
        },
        std::vector<loci::Variable>{zero, x})[1];
  }
  std::vector<float> doubled(kInner * kInner);
  for (std::size_t i = 0; i < kInner; ++i) doubled[i * kInner + i] = 2;
  scope_.set("square", loci::Tensor::from(doubled, {kInner, kInner}));
  loci::Executor executor("cpu", {}, scope_);
  const std::vector<float> x = numbers(kInner * kInner, 2);
  const loci::Feed fed{{"x", loci::Tensor::from(x, {kInner, kInner})}};
  const std::size_t before = pack_rows();
  for (int i = 0; i < 2; ++i) {
    const auto got = executor.run(looping, fed, {product})[0].to_vector<float>();
    for (std::size_t k = 0; k < x.size(); ++k) ASSERT_FLOAT_EQ(got[k], x[k] * 8);
  }
  const std::size_t planned = loci::inspect::plan(executor, looping, fed, {product}).packed.size();
  EXPECT_EQ(pack_rows() - before, planned);
  EXPECT_EQ(planned, 1U);
}

TEST_F(PackedConstantsTest, RunsInThreadsShareWhatIsPacked) {
  loci::Executor executor("cpu", {}, scope_);
  std::vector<std::thread> threads;
  std::vector<std::vector<float>> results(4);
  for (std::vector<float>& result : results) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) result = run(executor);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<float>& result : results) expect_right(result);
}

// A copy of it elsewhere is plain: packing would have to be done in each run.
TEST_F(PackedConstantsTest, AWeightWithAnotherHomeIsReadPlain) {
  loci::Program guarded;
  loci::Variable out;
  {
    const loci::ProgramGuard building(guarded, loci::Program());
    const loci::Variable x = loci::data("x", {kRows, kInner}, loci::kFloat32);
    loci::Variable w;
    {
      const loci::DeviceGuard there("sim:0");
      w = loci::create_parameter({kInner, kColumns}, loci::kFloat32, loci::initializer::constant(0),
                                 "w");
    }
    out = loci::matmul(x, w);
  }
  loci::Executor executor("cpu", {}, scope_);
  const auto got = executor.run(guarded, feed(kRows), {out})[0].to_vector<float>();
  expect_right(got);
  EXPECT_THAT(loci::inspect::plan(executor, guarded, feed(kRows), {out}).packed, IsEmpty());
}

}  // namespace
