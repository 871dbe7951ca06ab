// The source of chains and, where NVRTC is, what its kernels do in the interpreter of PTX, which
// counts: fewer instructions than the kernel that interprets chains, and each element moved once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <string>
#include <vector>

#include "plugins/cuda/kernels/fused_elementwise/fused_compiler.h"
#include "plugins/cuda/kernels/fused_elementwise/fused_source.h"
#include "plugins/cuda/nvrtc_library.h"
#include "tests/plugins/cuda/image_rig.h"

namespace loci::cuda {
namespace {

using cuda_double::Counters;
using ::testing::HasSubstr;
using ::testing::Not;
using Dims = std::vector<std::int64_t>;

// A chain of one result, of inputs of one type.
struct ChainOfOne {
  ChainOfOne(loci_dtype type, std::vector<Dims> shapes, const Dims& out)
      : dtype(type), dims(std::move(shapes)), out_dims(out) {
    expression.inputs = static_cast<std::uint32_t>(dims.size());
  }
  ChainOfOne& then(std::string_view op, std::vector<std::uint32_t> operands,
                   std::vector<double> constants = {}) {
    expression.steps.push_back(
        {sdk::find_fusable_op(op), std::move(operands), std::move(constants), dtype});
    expression.results = {
        static_cast<std::uint32_t>(expression.inputs + expression.steps.size() - 1)};
    return *this;
  }

  [[nodiscard]] loci_arg argument(const Dims& shape) const {
    loci_arg argument{};
    argument.dims = shape.data();
    argument.dtype = dtype;
    argument.rank = static_cast<std::int32_t>(shape.size());
    return argument;
  }
  [[nodiscard]] FusedProgram program() const {
    std::vector<loci_arg> inputs;
    for (const Dims& shape : dims) inputs.push_back(argument(shape));
    const loci_arg output = argument(out_dims);
    const std::uint32_t input_slots[] = {0, expression.inputs};
    const std::uint32_t output_slots[] = {0, 1};
    loci_op_desc op{};
    op.inputs = inputs.data();
    op.outputs = &output;
    op.input_slots = input_slots;
    op.output_slots = output_slots;
    op.input_slot_count = 1;
    op.output_slot_count = 1;
    return compile_fused(sdk::OpDesc(op), expression);
  }
  [[nodiscard]] FusedSource source() const { return write_fused_source(program(), expression); }

  loci_dtype dtype;
  std::vector<Dims> dims;
  Dims out_dims;
  sdk::FusedExpression expression;
};

ChainOfOne mul_gelu_scale(const Dims& x, const Dims& y, loci_dtype dtype = LOCI_DTYPE_F32,
                          double factor = 0.3) {
  ChainOfOne chain(dtype, {x, y}, x);
  chain.then("elementwise_mul", {0, 1}).then("gelu", {2}, {1}).then("scale", {3}, {factor, 1.7});
  return chain;
}

TEST(ChainSourceTest, IsNamedByItsSteps) {
  EXPECT_EQ(mul_gelu_scale({8}, {8}).source().name, "fused_mul_gelu_scale");
  ChainOfOne chain(LOCI_DTYPE_F32, {{8}}, {8});
  for (std::uint32_t i = 0; i < 9; ++i) chain.then("exp", {i});
  EXPECT_EQ(chain.source().name, "fused_exp_exp_exp_exp_exp_exp_and_3_more");
}

// New sizes and constants compile nothing; another type or way to repeat does.
TEST(ChainSourceTest, DoesNotHangOnSizesAndConstants) {
  const std::string text = mul_gelu_scale({5, 8}, {8}).source().text;
  EXPECT_EQ(mul_gelu_scale({77, 12}, {12}).source().text, text);
  EXPECT_EQ(mul_gelu_scale({2, 3, 8}, {8}).source().text, text);
  EXPECT_EQ(mul_gelu_scale({5, 8}, {8}, LOCI_DTYPE_F32, 4).source().text, text);
  EXPECT_NE(mul_gelu_scale({5, 8}, {5, 8}).source().text, text);
  EXPECT_NE(mul_gelu_scale({5, 8}, {5, 1}).source().text, text);
  EXPECT_NE(mul_gelu_scale({5, 8}, {1}).source().text, text);
  EXPECT_NE(mul_gelu_scale({5, 8}, {8}, LOCI_DTYPE_F16).source().text, text);
}

TEST(ChainSourceTest, HasItsConstantsAsParameters) {
  const FusedSource source = mul_gelu_scale({8}, {8}).source();
  EXPECT_EQ(source.constants, (std::vector<std::uint64_t>{0x3e99999a, 0x3fd9999a}));
  EXPECT_THAT(source.text, HasSubstr("rounded<float>(Scale<float>{c0, c1}.value(v3))"));
}

TEST(ChainSourceTest, TakesVectorsOf16BytesUnlessStepsAreLong) {
  EXPECT_EQ(mul_gelu_scale({8}, {8}).source().lanes, 4);
  EXPECT_EQ(mul_gelu_scale({8}, {8}, LOCI_DTYPE_BF16).source().lanes, 8);
  EXPECT_EQ(mul_gelu_scale({8}, {8}, LOCI_DTYPE_F64).source().lanes, 2);
  ChainOfOne powers(LOCI_DTYPE_F32, {{8}}, {8});
  EXPECT_EQ(powers.then("elementwise_pow", {0, 0}).source().lanes, 1);
  ChainOfOne many(LOCI_DTYPE_F16, {{8}}, {8});
  for (std::uint32_t i = 0; i < 10; ++i) many.then("exp", {i});
  EXPECT_EQ(many.source().lanes, 2);
}

TEST(ChainSourceTest, LocatesOnlyWhatRepeats) {
  EXPECT_FALSE(mul_gelu_scale({5, 8}, {5, 8}).source().has_axes);
  EXPECT_FALSE(mul_gelu_scale({5, 8}, {1}).source().has_axes);
  EXPECT_TRUE(mul_gelu_scale({5, 8}, {8}).source().has_axes);
}

TEST(ChainSourceTest, KnowsWhatHasTheSameBitsByEveryVersion) {
  EXPECT_TRUE(mul_gelu_scale({8}, {8}).source().has_mathematics);
  ChainOfOne chain(LOCI_DTYPE_F32, {{8}}, {8});
  chain.then("elementwise_div", {0, 0}).then("sqrt", {1}).then("tanh_grad", {2, 0});
  EXPECT_FALSE(chain.source().has_mathematics);
}

class ChainTrafficTest : public ImageTest {
 protected:
  void SetUp() override {
    if (std::string_view(LOCI_TEST_NVRTC).empty()) GTEST_SKIP() << "the toolkit has no libnvrtc";
  }

  // `x` and `y` have `count` elements of a shape of rows.
  Counters compiled(const ChainOfOne& chain, const std::vector<std::uint64_t>& addresses) {
    const Driver none("/absent");
    static const NvrtcLibrary nvrtc(LOCI_TEST_NVRTC, none, false);
    const FusedSource source = chain.source();
    rig.load(nvrtc.compile(source.text, nvrtc.architecture(90), std::atomic<bool>(false)));
    const FusedAxes axes = chain.program().axes;
    const auto [x, y, out] = std::tuple(addresses[0], addresses[1], addresses[2]);
    const auto factor = static_cast<std::uint32_t>(source.constants[0]);
    const auto bias = static_cast<std::uint32_t>(source.constants[1]);
    const std::int64_t threads = (axes.count + source.lanes - 1) / source.lanes;
    if (source.has_axes) {
      return launch(source.name, threads, axes.count, axes, factor, bias, x, y, out);
    }
    return launch(source.name, threads, axes.count, factor, bias, x, y, out);
  }

  Counters interpreted(const ChainOfOne& chain, const std::vector<std::uint64_t>& addresses) {
    load("fused_elementwise");
    FusedProgram program = chain.program();
    program.inputs[0] = reinterpret_cast<const void*>(addresses[0]);
    program.inputs[1] = reinterpret_cast<const void*>(addresses[1]);
    program.outputs[0] = reinterpret_cast<void*>(addresses[2]);
    return launch("fused", program.axes.count, program);
  }

  // How many times fewer instructions the compiled kernel takes; `bytes` is what has to be moved.
  template <class T>
  double compare(const ChainOfOne& chain, const std::vector<T>& x, const std::vector<T>& y) {
    const auto first = rig.array<T>(x);
    const auto second = rig.array<T>(y);
    const auto out = rig.array<T>(x.size());
    const std::vector<std::uint64_t> addresses = {first.address(), second.address(), out.address()};
    const Counters before = interpreted(chain, addresses);
    const std::vector<T> expected = out.get();
    const Counters after = compiled(chain, addresses);
    EXPECT_EQ(out.get(), expected);
    const auto ideal = static_cast<double>(2 * first.bytes() + second.bytes());
    const auto moved = static_cast<double>(after.global_bytes_read + after.global_bytes_written);
    EXPECT_LE(moved, 1.05 * ideal);
    EXPECT_LE(static_cast<double>(after.global_sectors), 1.1 * moved / 32);
    EXPECT_EQ(after.shared_requests, 0U);
    const double ratio = static_cast<double>(before.lane_instructions) /
                         static_cast<double>(after.lane_instructions);
    const auto elements = static_cast<double>(x.size());
    std::printf("an element takes %.1f instructions, interpreted %.1f: %.1f times as many\n",
                static_cast<double>(after.lane_instructions) / elements,
                static_cast<double>(before.lane_instructions) / elements, ratio);
    return ratio;
  }

  template <class T>
  static std::vector<T> counted(std::size_t count) {
    std::vector<T> values(count);
    std::iota(values.begin(), values.end(), T{1});
    return values;
  }
};

TEST_F(ChainTrafficTest, EqualShapesAreMovedOnceByAFractionOfTheInstructions) {
  const auto x = counted<float>(4096);
  EXPECT_GT(compare(mul_gelu_scale({64, 64}, {64, 64}), x, x), 3);
}

// A step's rounding to a half is one instruction, without a decision.
TEST_F(ChainTrafficTest, HalvesTooOfACountThatIsNoWholeVectors) {
  const auto x = counted<std::uint16_t>(4097);
  EXPECT_GT(compare(mul_gelu_scale({4097}, {4097}, LOCI_DTYPE_BF16), x, x), 8);
  EXPECT_GT(compare(mul_gelu_scale({4097}, {4097}, LOCI_DTYPE_F16), x, x), 8);
}

TEST_F(ChainTrafficTest, OneElementForAllIsReadOncePerThread) {
  const std::vector<float> y = {0.5F};
  const auto x = counted<float>(4096);
  const auto first = rig.array<float>(x);
  const auto second = rig.array<float>(y);
  const auto out = rig.array<float>(x.size());
  const Counters counters =
      compiled(mul_gelu_scale({64, 64}, {1}), {first.address(), second.address(), out.address()});
  EXPECT_EQ(counters.global_bytes_read, first.bytes() + 4096 / 4 * sizeof(float));
}

// The rows of x share y, as rows of a product share a bias: each reads it, in vectors.
TEST_F(ChainTrafficTest, RowsThatRepeatAreReadInVectors) {
  const auto x = counted<float>(4096);
  const auto y = counted<float>(64);
  const auto first = rig.array<float>(x);
  const auto second = rig.array<float>(y);
  const auto out = rig.array<float>(x.size());
  const std::vector<std::uint64_t> addresses = {first.address(), second.address(), out.address()};
  const ChainOfOne chain = mul_gelu_scale({64, 64}, {64});
  interpreted(chain, addresses);
  const std::vector<float> expected = out.get();
  const Counters counters = compiled(chain, addresses);
  EXPECT_EQ(out.get(), expected);
  EXPECT_EQ(counters.global_bytes_read, 2 * first.bytes());
  EXPECT_LE(counters.global_sectors * 32, 1.1 * 3 * static_cast<double>(first.bytes()));
  EXPECT_EQ(counters.lanes_by_opcode.count("div.s64"), 0U);
}

}  // namespace
}  // namespace loci::cuda
