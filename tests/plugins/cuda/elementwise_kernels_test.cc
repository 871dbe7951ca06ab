// Elementwise kernels in the interpreter of PTX: how many instructions an element takes, and how
// exact what devices only approximate is. The interpreter rounds such instructions once, so that
// bounds leave room for what devices' own are off by.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/plugins/cuda/image_rig.h"

namespace loci::cuda {
namespace {

using cuda_double::Counters;
using Real = long double;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Real kRoundoff = 0x1p-24L;
constexpr Real kRootHalf = 0.707106781186547524400844362104849039L;
constexpr Real kDensityAtZero = 0.398942280401432677939946059934381868L;

Real normal(Real x) { return std::erfc(-x * kRootHalf) / 2; }
Real density(Real x) { return kDensityAtZero * std::exp(-x * x / 2); }

class ElementwiseKernelsTest : public ImageTest {
 protected:
  static constexpr std::size_t kCount = 65536;

  // Runs a kernel of one operand, or of two: (in..., out, count).
  template <class T, class... In>
  Counters run(const std::string& name, unsigned blocks, const cuda_double::DeviceArray<T>& out,
               const In&... in) {
    const auto count = static_cast<std::int64_t>(out.bytes() / sizeof(T));
    return rig.launch(name, {blocks}, {kBlockThreads}, in..., out, count);
  }

  // In so many turns of a thread that little counts besides.
  template <class T, class... More>
  double instructions(const std::string& name, const More&... more) {
    const auto x = rig.zeros<T>(kCount);
    const Counters counters = run(name, 2, rig.array<T>(kCount), x, more...);
    return static_cast<double>(counters.lane_instructions) / kCount;
  }

  std::vector<float> values(const std::string& name, const std::vector<float>& x) {
    const auto in = rig.array<float>(x);
    const auto out = rig.array<float>(x.size());
    run(name, 2, out, in);
    return out.get();
  }

  // Small and large ones, of both signs.
  static std::vector<float> points(Real most) {
    std::vector<float> x;
    for (Real size = 1e-6L; size < most; size *= 1.003L) {
      x.push_back(static_cast<float>(size));
      x.push_back(static_cast<float>(-size));
    }
    return x;
  }
};

// In PTX, whose conversions of halves and additions of indices are more than the device's own.
TEST_F(ElementwiseKernelsTest, TakesFewInstructionsAnElement) {
  load("unary");
  EXPECT_LE(instructions<float>("gelu_f32"), 28);
  EXPECT_LE(instructions<std::uint16_t>("gelu_bf16"), 28);
  EXPECT_LE(instructions<std::uint16_t>("gelu_f16"), 28);
  EXPECT_LE(instructions<float>("relu_f32"), 8);
  load("activation_grad");
  EXPECT_LE(instructions<float>("gelu_grad_f32", rig.zeros<float>(kCount)), 34);
}

// A quotient is one instruction of PTX, and ten of a device's, besides a branch.
TEST_F(ElementwiseKernelsTest, SigmoidDividesByTheReciprocal) {
  load("unary");
  const auto x = rig.zeros<float>(64);
  const Counters counters = run("sigmoid_f32", 1, rig.array<float>(64), x);
  for (const auto& [opcode, lanes] : counters.lanes_by_opcode) {
    EXPECT_THAT(opcode, Not(HasSubstr("div"))) << lanes;
  }
}

// Results down to 2^-126 keep their digits, but for those of the exponent.
TEST_F(ElementwiseKernelsTest, GeluIsExactOnBothSides) {
  load("unary");
  const std::vector<float> x = points(12.9L);
  const std::vector<float> out = values("gelu_f32", x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Real value = x[i] * normal(x[i]);
    const Real roundoffs = x[i] < 0 ? Real{x[i]} * x[i] + 10 : 8;
    ASSERT_LE(std::abs(out[i] - value), 0.9L * roundoffs * kRoundoff * std::abs(value)) << x[i];
  }
}

TEST_F(ElementwiseKernelsTest, GeluKnowsItsLimits) {
  load("unary");
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> out =
      values("gelu_f32", {kInfinity, -kInfinity, 0.0F, -0.0F, 3e38F, -3e38F, std::nanf(""), 20});
  EXPECT_EQ(std::vector<float>(out.begin(), out.begin() + 6),
            (std::vector<float>{kInfinity, 0, 0, 0, 3e38F, 0}));
  EXPECT_TRUE(std::isnan(out[6]));
  EXPECT_EQ(out[7], 20);
}

TEST_F(ElementwiseKernelsTest, GradientOfGeluIsExact) {
  load("activation_grad");
  const std::vector<float> x = points(30);
  const auto of = rig.array<float>(x);
  const auto ones = rig.array<float>(std::vector<float>(x.size(), 1));
  const auto x_grad = rig.array<float>(x.size());
  run("gelu_grad_f32", 2, x_grad, of, ones);
  const std::vector<float> out = x_grad.get();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Real at = x[i];
    const Real bound = 5 * (1 + std::abs(at) * (1 + at * at / 2) * density(at));
    ASSERT_LE(std::abs(out[i] - (normal(at) + at * density(at))), bound * kRoundoff) << x[i];
  }
}

TEST_F(ElementwiseKernelsTest, SigmoidKeepsTheDigitsOfSmallResults) {
  load("unary");
  const std::vector<float> x = points(87);
  const std::vector<float> out = values("sigmoid_f32", x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Real value = 1 / (1 + std::exp(-Real{x[i]}));
    ASSERT_LE(std::abs(out[i] - value), 5 * kRoundoff * value) << x[i];
  }
}

// A launch of one element takes time in which nothing else runs.
TEST_F(ElementwiseKernelsTest, OneElementIsShort) {
  load("binary");
  const auto x = rig.array<float>(std::vector<float>{1.5F});
  const auto out = rig.array<float>(1);
  const Counters counters = run("elementwise_add_f32", 1, out, x, x);
  EXPECT_EQ(out.get(), std::vector<float>{3});
  // All but one thread leave at once.
  EXPECT_LE(counters.lane_instructions, 256U * 23);
  EXPECT_EQ(counters.global_requests, 3U);
}

}  // namespace
}  // namespace loci::cuda
