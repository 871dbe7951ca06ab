#include "plugins/kernels/winograd.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/plugins/kernels/random_floats.h"
#include "tests/plugins/kernels/winograd_reference.h"
#include "tests/support/test_host.h"

namespace loci::kernels {
namespace {

using testing::convolve_in_double;
using testing::ConvReference;
using testing::random_floats;

struct ConvCase {
  std::array<std::int64_t, 4> x;  // [batch, channels, height, width]
  std::int64_t filters;
  std::vector<std::int64_t> paddings{1, 1};
};

// Those that this processor and this library have.
std::vector<Isa> instruction_sets() {
  std::vector<Isa> sets;
  for (const Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512}) {
    if (isa <= best_isa()) sets.push_back(isa);
  }
  return sets;
}

sdk::ConvShape shape_of(const ConvCase& subject) {
  sdk::ConvShape shape;
  sdk::WindowOptions options;
  options.paddings = subject.paddings;
  shape.window = sdk::resolve_window(options, {subject.x[2], subject.x[3]}, {3, 3});
  shape.batch = subject.x[0];
  shape.group_channels = subject.x[1];
  shape.group_filters = subject.filters;
  return shape;
}

struct Operands {
  explicit Operands(const sdk::ConvShape& shape)
      : x(random_floats(shape.batch * shape.group_channels * shape.image_size(), 1)),
        filter(random_floats(shape.group_filters * shape.group_channels * 9, 2)) {}
  std::vector<float> x;
  std::vector<float> filter;
};

// Memory that is aligned and filled with NaN, so that what is read before it is written shows.
class Workspace {
 public:
  explicit Workspace(const WinogradPlan& plan)
      : memory_(static_cast<std::size_t>(plan.workspace_bytes() / sizeof(float)) + 16, NAN) {}
  float* data() {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    return memory_.data() + (64 - address % 64) % 64 / sizeof(float);
  }

 private:
  std::vector<float> memory_;
};

std::vector<float> run(const WinogradPlan& plan, const Operands& in,
                       const PlaneEpilogue& epilogue) {
  std::vector<float> packed(static_cast<std::size_t>(plan.filter.elements()), NAN);
  pack(plan.filter, in.filter.data(), packed.data());
  constexpr float kUntouched = 123;
  const auto size =
      static_cast<std::size_t>(plan.shape.batch * plan.shape.group_filters * plan.shape.windows());
  std::vector<float> out(size + 16, kUntouched);
  Workspace workspace(plan);
  const testing::TestHost threads;
  convolve(sdk::Host(threads.api()), plan, in.x.data(), packed.data(), epilogue, workspace.data(),
           out.data());
  for (std::size_t i = size; i < out.size(); ++i) EXPECT_EQ(out[i], kUntouched) << "beyond the end";
  out.resize(size);
  return out;
}

void expect_within_bound(const std::vector<float>& out, const ConvReference& reference) {
  ASSERT_EQ(out.size(), reference.sums.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    ASSERT_NEAR(static_cast<double>(out[i]), reference.sums[i], reference.bound[i])
        << "element " << i;
  }
}

void check(const ConvCase& subject, const std::vector<std::uint32_t>& threads = {3}) {
  const sdk::ConvShape shape = shape_of(subject);
  const Operands in(shape);
  for (const std::int64_t outputs : {2, 4}) {
    SCOPED_TRACE(::testing::Message()
                 << ::testing::PrintToString(subject.x) << " by " << subject.filters << " padded "
                 << ::testing::PrintToString(subject.paddings) << ", tiles of " << outputs);
    const ConvReference reference = convolve_in_double(shape, in.x, in.filter, outputs);
    for (const Isa isa : instruction_sets()) {
      SCOPED_TRACE(isa_name(isa));
      for (const std::uint32_t count : threads) {
        expect_within_bound(run(WinogradPlan(shape, outputs, count, isa), in, {}), reference);
      }
    }
  }
}

TEST(WinogradTest, ImagesOfAnySize) {
  for (std::int64_t height = 1; height <= 9; ++height) {
    for (std::int64_t width = 1; width <= 9; ++width) check({{1, 3, height, width}, 2});
  }
  check({{1, 2, 5, 7}, 3});
  check({{1, 2, 1, 40}, 3});
  check({{1, 2, 40, 1}, 3});
  check({{1, 5, 23, 31}, 3});
}

TEST(WinogradTest, AnyPadding) {
  for (std::int64_t top = 0; top <= 2; ++top) {
    for (std::int64_t bottom = 0; bottom <= 2; ++bottom) {
      check({{1, 2, 6, 7}, 2, {top, bottom, 2 - top, bottom}});
      check({{2, 2, 3, 3}, 2, {top, bottom, bottom, 2 - top}});
    }
  }
  check({{1, 1, 4, 5}, 2, {9, 7, 8, 11}});
}

TEST(WinogradTest, AnyNumberOfChannelsAndFilters) {
  for (const std::int64_t channels : {1, 3, 16, 17, 64, 65}) {
    for (const std::int64_t filters : {1, 7, 16, 33, 65}) {
      check({{1, channels, 5, 7}, filters});
    }
  }
}

TEST(WinogradTest, Batches) {
  check({{3, 17, 9, 6}, 18});
  check({{3, 65, 7, 7}, 64});
  check({{5, 4, 2, 3}, 5, {0, 1, 1, 0}});
}

TEST(WinogradTest, ThreadsShareBlocksOrPanels) {
  const ConvCase many{{1, 17, 62, 61}, 12};
  const ConvCase few{{1, 300, 7, 7}, 96};
  for (const std::int64_t outputs : {2, 4}) {
    EXPECT_FALSE(WinogradPlan(shape_of(many), outputs, 3).shares_inputs);
    EXPECT_GE(WinogradPlan(shape_of(many), outputs, 3).slots, 3);
    EXPECT_GE(WinogradPlan(shape_of(few), outputs, 3).slots, 3);
  }
  EXPECT_TRUE(WinogradPlan(shape_of(few), 4, 3).shares_inputs);
  check(many, {1, 3, 64});
  check(few, {1, 2, 64});
}

TEST(WinogradTest, ResultsDoNotDependOnThreads) {
  const sdk::ConvShape shape = shape_of({{2, 40, 30, 13}, 70});
  const Operands in(shape);
  for (const std::int64_t outputs : {2, 4}) {
    const std::vector<float> one = run(WinogradPlan(shape, outputs, 1), in, {});
    for (const std::uint32_t threads : {2U, 3U, 64U}) {
      EXPECT_EQ(run(WinogradPlan(shape, outputs, threads), in, {}), one) << threads << " threads";
    }
  }
}

// Far below the bound, which has to allow for roundings that all go one way.
TEST(WinogradTest, ErrorsAreAFewTimesThoseOfSummingProducts) {
  const sdk::ConvShape shape = shape_of({{1, 128, 14, 14}, 32});
  const Operands in(shape);
  for (const std::int64_t outputs : {2, 4}) {
    const ConvReference reference = convolve_in_double(shape, in.x, in.filter, outputs);
    const std::vector<float> out = run(WinogradPlan(shape, outputs, 3), in, {});
    double error = 0;
    double magnitude = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      error += std::pow(static_cast<double>(out[i]) - reference.sums[i], 2);
      magnitude += std::pow(reference.sums[i], 2);
    }
    // 6e-7 is what float32 sums of so many products are off by, one after the other.
    EXPECT_LT(std::sqrt(error / magnitude), outputs == 2 ? 6e-7 : 15e-7);
  }
}

TEST(WinogradTest, TheBoundGrowsByWhatTheOpSays) {
  EXPECT_DOUBLE_EQ(testing::winograd_growth(2), 64);
  EXPECT_NEAR(testing::winograd_growth(4), 564, 1);
}

TEST(WinogradTest, EpiloguesAreAppliedInOrder) {
  const sdk::ConvShape shape = shape_of({{2, 5, 7, 6}, 21});
  const Operands in(shape);
  const std::vector<float> scale = random_floats(21, 3);
  const std::vector<float> shift = random_floats(21, 4);
  const auto plane = static_cast<std::size_t>(shape.windows());
  for (const std::int64_t outputs : {2, 4}) {
    const ConvReference reference = convolve_in_double(shape, in.x, in.filter, outputs);
    const std::vector<float> residual =
        random_floats(static_cast<std::int64_t>(reference.sums.size()), 5);
    for (int parts = 0; parts < 16; ++parts) {
      SCOPED_TRACE(parts);
      PlaneEpilogue epilogue;
      if ((parts & 1) != 0) epilogue.factor = scale.data();
      if ((parts & 2) != 0) epilogue.offset = shift.data();
      if ((parts & 4) != 0) epilogue.residual = residual.data();
      if ((parts & 8) != 0) epilogue.activation = Activation::kRelu;
      ConvReference expected = reference;
      for (std::size_t i = 0; i < expected.sums.size(); ++i) {
        double& sum = expected.sums[i];
        const std::size_t filter = i / plane % 21;
        if (epilogue.factor != nullptr) sum *= static_cast<double>(scale[filter]);
        if (epilogue.offset != nullptr) sum += static_cast<double>(shift[filter]);
        if (epilogue.residual != nullptr) sum += static_cast<double>(residual[i]);
        expected.bound[i] += 3 * 0x1p-24 * (std::abs(sum) + 2);
        if ((parts & 8) != 0) sum = std::max(sum, 0.0);
      }
      for (const Isa isa : instruction_sets()) {
        expect_within_bound(run(WinogradPlan(shape, outputs, 3, isa), in, epilogue), expected);
      }
    }
  }
}

TEST(WinogradTest, ResidualsMayBeTheResult) {
  const sdk::ConvShape shape = shape_of({{1, 4, 6, 7}, 5});
  const Operands in(shape);
  const WinogradPlan plan(shape, 4, 1);
  std::vector<float> packed(static_cast<std::size_t>(plan.filter.elements()));
  pack(plan.filter, in.filter.data(), packed.data());
  const std::vector<float> before = random_floats(5 * 42, 3);
  PlaneEpilogue epilogue;
  epilogue.residual = before.data();
  const std::vector<float> apart = run(plan, in, epilogue);
  std::vector<float> out = before;
  epilogue.residual = out.data();
  Workspace workspace(plan);
  const testing::TestHost threads;
  convolve(sdk::Host(threads.api()), plan, in.x.data(), packed.data(), epilogue, workspace.data(),
           out.data());
  EXPECT_EQ(out, apart);
}

// A value that is no number reaches all outputs of whose windows it is part, and none beyond the
// tiles that hold it.
TEST(WinogradTest, WhatIsNotFiniteStaysWithinItsTiles) {
  const sdk::ConvShape shape = shape_of({{1, 3, 13, 14}, 4});
  constexpr std::int64_t kRow = 6;
  constexpr std::int64_t kColumn = 7;
  for (const float value :
       {NAN, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
    for (const std::int64_t outputs : {2, 4}) {
      Operands in(shape);
      const ConvReference reference = convolve_in_double(shape, in.x, in.filter, outputs);
      in.x[static_cast<std::size_t>((13 + kRow) * 14 + kColumn)] = value;
      const std::vector<float> out = run(WinogradPlan(shape, outputs, 3), in, {});
      for (std::size_t i = 0; i < out.size(); ++i) {
        const auto row = static_cast<std::int64_t>(i) / 14 % 13;
        const auto column = static_cast<std::int64_t>(i) % 14;
        const bool depends = std::abs(row - kRow) <= 1 && std::abs(column - kColumn) <= 1;
        // Inputs of a tile, with the padding of 1.
        const auto holds = [&](std::int64_t output, std::int64_t input) {
          const std::int64_t begin = output / outputs * outputs - 1;
          return input >= begin && input < begin + outputs + 2;
        };
        if (depends) {
          EXPECT_FALSE(std::isfinite(out[i])) << row << ", " << column;
        } else if (!holds(row, kRow) || !holds(column, kColumn)) {
          EXPECT_NEAR(static_cast<double>(out[i]), reference.sums[i], reference.bound[i])
              << row << ", " << column;
        }
      }
    }
  }
}

TEST(WinogradTest, NanIsNoNegativeNumber) {
  const sdk::ConvShape shape = shape_of({{1, 1, 4, 4}, 1});
  Operands in(shape);
  in.x[5] = NAN;
  const std::vector<float> residual(16, 1);
  for (const float* other : {static_cast<const float*>(nullptr), residual.data()}) {
    PlaneEpilogue epilogue;
    epilogue.residual = other;
    epilogue.activation = Activation::kRelu;
    EXPECT_TRUE(std::isnan(run(WinogradPlan(shape, 4, 1), in, epilogue)[5]));
  }
}

TEST(WinogradFilterTest, SaysHowMuchMemoryItTakes) {
  const WinogradFilter two{64, 32, 2, 32};
  EXPECT_EQ(two.elements(), 64 * 32 * 16);
  const WinogradFilter four{65, 3, 4, 32};
  EXPECT_EQ(four.panels(), 3);
  EXPECT_EQ(four.elements(), 96 * 3 * 36);
}

}  // namespace
}  // namespace loci::kernels
