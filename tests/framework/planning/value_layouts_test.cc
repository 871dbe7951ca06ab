#include "framework/planning/value_layouts.h"

#include <loci/plugin/elementwise_functions.hpp>
#include <string_view>

#include "tests/framework/executor/programs_fixture.h"

namespace loci::planning {
namespace {

using execution::PlanPacked;
using execution::PlanValue;
using execution::StorageKind;
using execution::ValueId;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Convolutions that kernels of the CPU compute by Winograd's method, whatever its instructions.
class ValueLayoutsTest : public executor::ProgramsTest {
 protected:
  static constexpr std::int64_t kChannels = 32;

  Variable convolve(const Variable& x, std::int64_t size = 3, std::int64_t groups = 1) {
    const std::string name = "w" + std::to_string(filters_++);
    const Shape shape{kChannels, kChannels / groups, size, size};
    const Variable filter = create_parameter(shape, kFloat32, initializer::constant(0), name);
    scope_.set(name, randn(shape) * 0.1);
    Conv2dOptions options;
    options.paddings = {size / 2, size / 2};
    options.groups = groups;
    return conv2d(x, filter, options);
  }

  // A number for each channel.
  Variable channels(const std::string& name, double value) {
    scope_.set(name, full({kChannels}, value, kFloat32));
    return create_parameter({kChannels}, kFloat32, initializer::constant(value), name);
  }

  // The variables that are not plain.
  std::vector<std::string> laid_out(const std::vector<Variable>& fetches,
                                    const CompileOptions& options = {}) {
    std::vector<std::string> names;
    for (const Variable& fetch : fetches) names.push_back(fetch.name());
    const auto plan = compile({feed_of("x", kImages)}, names, "cpu", options);
    std::vector<std::string> list;
    for (const PlanValue& value : plan->values) {
      const bool is_value = value.storage == StorageKind::kArena;
      if (is_value && value.layout != LOCI_LAYOUT_PLAIN) list.emplace_back(value.name);
    }
    return list;
  }

  // With and without layouts, to the bit.
  void expect_same(const Variable& out) {
    CompileOptions plain;
    plain.chain_layouts = false;
    const Feed feed{{"x", randn(kImages)}};
    const auto laid_out = Executor("cpu", {}, scope_).run(main_, feed, {out})[0];
    const auto as_written = Executor("cpu", plain, scope_).run(main_, feed, {out})[0];
    EXPECT_EQ(laid_out.to_vector<float>(), as_written.to_vector<float>());
  }

  const Shape kImages{2, kChannels, 20, 19};
  Variable x_ = data("x", kImages, kFloat32);
  int filters_ = 0;
};

TEST_F(ValueLayoutsTest, WhatOnlyTheyUseIsLaidOutAsTheyLike) {
  const Variable first = convolve(x_);
  const Variable second = convolve(first);
  const Variable third = convolve(second);
  EXPECT_THAT(laid_out({third}), ElementsAre(first.name(), second.name()));
  expect_same(third);
}

TEST_F(ValueLayoutsTest, WhatOthersReadIsNot) {
  const Variable fetched = convolve(x_);
  const Variable read = convolve(fetched);
  const Variable end = convolve(read);
  const Variable elsewhere = scale(read, 2.0);
  EXPECT_THAT(laid_out({fetched, end, elsewhere}), IsEmpty());
  expect_same(end);
}

TEST_F(ValueLayoutsTest, AResidualLiesAsTheResultDoes) {
  const Variable first = convolve(x_);
  const Variable block = relu(elementwise_add(convolve(convolve(first)), first));
  const Variable end = convolve(block);
  EXPECT_EQ(laid_out({end}).size(), 3U);
  expect_same(end);
}

// The result of the block is fetched, and its residual plain like it; all else may still be laid
// out.
TEST_F(ValueLayoutsTest, WhatAKernelDeclinesIsPlainAgain) {
  const Variable first = convolve(x_);
  const Variable inner = convolve(first);
  const Variable block = relu(elementwise_add(convolve(inner), first));
  EXPECT_THAT(laid_out({block}), ElementsAre(inner.name()));
  expect_same(block);
}

// The end of a long chain is fetched, so that each of its operators declines once the next one has.
TEST_F(ValueLayoutsTest, ALongChainThatEndsPlainLeavesTheRestLaidOut) {
  const Variable first = convolve(x_);
  Variable end = convolve(first);
  for (int i = 0; i < 12; ++i) end = relu(end);
  CompileOptions single;
  single.disabled_passes = {"elementwise_fusion", "epilogue_fusion"};
  EXPECT_THAT(laid_out({end}, single), ElementsAre(first.name()));
  expect_same(end);
}

// It lies as its convolutions like, though somebody asks for its extents.
TEST_F(ValueLayoutsTest, AShapeThatIsAskedForIsNoUse) {
  CompileOptions as_written = CompileOptions::none();
  as_written.chain_layouts = true;
  const Variable first = convolve(x_);
  const Variable second = convolve(first);
  const Variable ones = full_like(first, 1.0);
  EXPECT_THAT(laid_out({second, ones}, as_written), ElementsAre(first.name()));
  Executor executor("cpu", as_written, scope_);
  EXPECT_EQ(executor.run(main_, {{"x", randn(kImages)}}, {ones})[0].to_vector<float>(),
            std::vector<float>(static_cast<std::size_t>(kImages.numel()), 1.0F));
}

// A norm by the statistics of its batch, and all gradients: only what leaves the program is plain.
TEST_F(ValueLayoutsTest, ATrainingStepIsLaidOutThere) {
  const Variable first = convolve(x_);
  const Variable normal = batch_norm(first, channels("scale", 1), channels("bias", 0),
                                     channels("mean", 0), channels("variance", 1));
  const Variable positive = relu(normal);
  const Variable second = convolve(positive);
  Pool2dOptions global;
  global.pooling_type = "avg";
  global.global_pooling = true;
  const Variable loss = mean(tanh(pool2d(second, global)));
  const Program& program = main_;
  const Variable filter = program.find("w0");
  const Variable gradient = gradients(loss, {filter}).front();
  CompileOptions single;
  single.disabled_passes = {"elementwise_fusion"};
  const std::vector<std::string> names = laid_out({loss, gradient}, single);
  for (const Variable& value : {first, normal, positive, second}) {
    EXPECT_THAT(names, ::testing::Contains(value.name()));
    EXPECT_THAT(names, ::testing::Contains(value.name() + "@GRAD"));
  }
  EXPECT_EQ(names.size(), 8U);
}

// Plain planes are pooled by another kernel of the plugin, which is faster there and has no
// layouts.
TEST_F(ValueLayoutsTest, AKernelThatLeavesPlainValuesToAnotherTakesThemLaidOut) {
  Pool2dOptions options;
  options.pooling_type = "avg";
  options.global_pooling = true;
  const Variable first = convolve(x_);
  const Variable out = pool2d(first, options);
  const auto kernel_of_pooling = [&](const CompileOptions& chosen) {
    return compile({feed_of("x", kImages)}, {out.name()}, "cpu", chosen)->operators.back().kernel;
  };
  EXPECT_THAT(laid_out({out}), ElementsAre(first.name()));
  EXPECT_EQ(kernel_of_pooling({}), "org.loci.cpu/onednn");
  CompileOptions plain;
  plain.chain_layouts = false;
  EXPECT_EQ(kernel_of_pooling(plain), "org.loci.cpu/portable");
}

// Plain planes have a kernel of their own, which packs nothing: the filter is packed for another
// one once its images are laid out.
TEST_F(ValueLayoutsTest, TheFirstKernelThatTakesValuesLaidOutIsTaken) {
  const Variable first = convolve(x_);
  const Variable depthwise = convolve(first, 5, kChannels);
  const Variable end = convolve(depthwise);
  EXPECT_THAT(laid_out({end}), ElementsAre(first.name(), depthwise.name()));
  const auto check = [&](const CompileOptions& options, const char* kernel, int packed_filters) {
    const auto plan = compile({feed_of("x", kImages)}, {end.name()}, "cpu", options);
    EXPECT_EQ(plan->operators[1].kernel, kernel);
    const ValueId filter = plan->instructions[1].inputs[1];
    EXPECT_EQ(std::count_if(plan->packed.begin(), plan->packed.end(),
                            [&](const PlanPacked& packed) { return packed.value == filter; }),
              packed_filters);
  };
  check({}, "org.loci.cpu/packed", 1);
  CompileOptions plain;
  plain.chain_layouts = false;
  check(plain, "org.loci.cpu/planes", 0);
  expect_same(end);
}

// The functions of the table take images as they lie, each by itself.
TEST_F(ValueLayoutsTest, FunctionsOfOneElementLeaveValuesLaidOut) {
  CompileOptions single;
  single.disabled_passes = {"elementwise_fusion", "epilogue_fusion"};
#define LOCI_NAME(op, Function) #op,
  for (const char* op : {LOCI_FLOAT_FUNCTIONS(LOCI_NAME) LOCI_NUMBER_FUNCTIONS(LOCI_NAME)}) {
#undef LOCI_NAME
    SCOPED_TRACE(op);
    // All functions but one are defined between 0 and 1.
    const double from = std::string_view(op) == "acosh" ? 1 : 0;
    const Variable argument = sigmoid(convolve(x_)) + from;
    const Variable value = OpCall<Variable>(op).input("x", argument).result();
    const Variable end = convolve(value);
    EXPECT_THAT(laid_out({end}, single), ::testing::IsSupersetOf({argument.name(), value.name()}));
    expect_same(end);
  }
}

TEST_F(ValueLayoutsTest, OptionsLeaveValuesPlain) {
  const Variable end = convolve(convolve(x_));
  EXPECT_EQ(laid_out({end}).size(), 1U);
  EXPECT_THAT(laid_out({end}, CompileOptions::exact()), IsEmpty());
  EXPECT_THAT(laid_out({end}, CompileOptions::none()), IsEmpty());
  CompileOptions plain;
  plain.chain_layouts = false;
  EXPECT_THAT(laid_out({end}, plain), IsEmpty());
}

}  // namespace
}  // namespace loci::planning
