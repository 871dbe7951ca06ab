// The author SDK for ops: definitions of a few lines, taken over by the core.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <loci/ops.hpp>
#include <loci/plugin/ops.hpp>
#include <loci/plugin/plugin.hpp>
#include <loci/program.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/ops/decompose_context.h"
#include "framework/ops/op_library.h"
#include "framework/ops/op_registry.h"
#include "framework/program/program_impl.h"
#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"
#include "tests/support/recording_emitter.h"

namespace loci::testing {
namespace {

using sdk::AttrDef;
using sdk::OpDef;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

void infer_every(sdk::Inference& op) {
  const sdk::AttributeReader attributes = op.attributes();
  if (attributes.boolean("boolean")) op.fail("it is true");
  loci_type type = op.input(0);
  type.rank = static_cast<std::int32_t>(attributes.integers("integers").size());
  for (int i = 0; i < type.rank; ++i) type.dims[i] = attributes.integer("integer");
  type.dtype = attributes.dtype("dtype");
  op.set_output(0, type);
  for (std::uint32_t i = 0; i < op.input_count(2); ++i) op.set_output(1, op.input(2, i), i);
  if (op.has_input(1)) op.set_output(7, type);
}

OpDef every_kind() {
  return OpDef("sdk.every", 5)
      .input("x", sdk::kFloatBits)
      .input("extra", sdk::kAllBits, LOCI_ARITY_OPTIONAL, LOCI_RESIDENCE_HOST)
      .input("list", sdk::kAllBits, LOCI_ARITY_VARIADIC)
      .output("out")
      .output("copies", LOCI_ARITY_VARIADIC)
      .attr(AttrDef::boolean("boolean", false))
      .attr(AttrDef::integer("integer", 3).integers_within(0, 9))
      .attr(AttrDef::real("real", 0.5).reals_within(0, 1))
      .attr(AttrDef::text("text", "same").one_of({"same", "valid"}))
      .attr(AttrDef::dtype("dtype", LOCI_DTYPE_I32))
      .attr(AttrDef::integers("integers", {1, 2}))
      .attr(AttrDef::reals("reals", {0.25}))
      .attr(AttrDef::texts("texts", {"a", "b"}))
      .attr(AttrDef::integer("needed", 0).required())
      .not_capturable("it reads on the host")
      .infer(infer_every);
}

void infer_like_x(sdk::Inference& op) { op.set_output(0, op.input(0)); }

void grad_cube(sdk::Gradient& op) {
  if (!op.wants(0)) return;
  if (op.attributes().real("factor") == 0) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "factor is 0");
  }
  const sdk::Value x = op.input(0);
  const loci_type type = op.type(x);
  const sdk::Value three = op.scalar(3, type.dtype);
  const sdk::Value squared = op.call("square").input("x", x).result();
  const sdk::Value slope =
      op.call("elementwise_mul").input("x", squared).input("y", three).result();
  op.set_input_grad(
      0, op.call("elementwise_mul").input("x", op.output_grad(0)).input("y", slope).result());
}

// Calls with every kind of attribute, then one that is refused.
void grad_calls(sdk::Gradient& op) {
  const sdk::Value x = op.input(0);
  const auto parts = op.call("split").input("x", x).attr("axis", 0).attr("num", 2).results();
  (void)op.call("concat").inputs("x", parts).attr("axis", std::int64_t{0}).result();
  (void)op.call("reduce_sum")
      .input("x", x)
      .attr("axes", std::vector<std::int64_t>{0})
      .attr("keep_dim", true)
      .result();
  (void)op.call("cast").input("x", op.output(0)).dtype("dtype", LOCI_DTYPE_F64).result();
  (void)op.call("relu").input("y", x).result();
}

OpDef differentiable(const char* name, sdk::GradientFn gradient) {
  return OpDef(name)
      .input("x", sdk::kFloatBits)
      .output("out")
      .attr(AttrDef::real("factor", 1.0))
      .infer(infer_like_x)
      .gradient(gradient);
}

// x repeated to the extents that a list on the host gives.
void infer_sized(sdk::Inference& op) {
  loci_type type = op.input(0);
  type.rank = 2;
  type.dims[0] = type.dims[1] = LOCI_DIM_UNKNOWN;
  if (const auto extents = op.has_input(1) ? op.extents(1) : std::nullopt) {
    if (extents->size() != 2) op.fail("size has " + std::to_string(extents->size()) + " numbers");
    for (std::size_t i = 0; i < 2; ++i) type.dims[i] = (*extents)[i];
  }
  op.set_output(0, type);
}

// Some of the rows of x, drawn at random, and how many.
void infer_drawn(sdk::Inference& op) {
  op.set_output(0, op.input(0));
  loci_type count{};
  count.dtype = LOCI_DTYPE_I64;
  count.rank = 1;
  count.dims[0] = 1;
  op.set_output(1, count);
}

loci_op_cost cost_of_parts(const sdk::OpDesc& op) {
  return {static_cast<std::uint64_t>(op.input(0).numel()) * op.input_count(1), 7};
}

// Version 1 counted in percent, version 2 had a flag.
void upgrade_parts(sdk::Upgrade& op) {
  const sdk::AttributeReader file = op.attributes();
  if (op.from_version() == 1) op.set("factor", file.real("percent") / 100);
  if (op.from_version() == 2 && file.boolean("off")) op.set("factor", 0.0);
  op.remove("percent");
  op.remove("off");
}

void decompose_parts(sdk::Decomposition& op) {
  if (op.attributes().real("factor") == 0) return;
  sdk::Value sum = op.input(0);
  for (std::uint32_t i = 0; i < op.input_count(1); ++i) {
    sum = op.call("elementwise_add").input("x", sum).input("y", op.input(1, i)).result();
  }
  op.set_output(
      0, op.call("scale").input("x", sum).attr("scale", op.attributes().real("factor")).result());
}

OpDef parts() {
  return OpDef("sdk.parts", 3)
      .input("x", sdk::kFloatBits)
      .input("more", sdk::kFloatBits, LOCI_ARITY_VARIADIC)
      .output("out")
      .attr(AttrDef::real("factor", 1.0))
      .infer(infer_like_x)
      .cost(cost_of_parts)
      .upgrade(upgrade_parts)
      .decompose(decompose_parts);
}

class OpsPlugin {
 public:
  static constexpr std::string_view kId = "org.example.ops";
  static constexpr std::string_view kVersion = "1.2.3";

  OpsPlugin(const sdk::Host&, const sdk::Options&)
      : ops_({every_kind(), differentiable("sdk.cube", grad_cube),
              differentiable("sdk.calls", grad_calls), parts(),
              OpDef("sdk.sized")
                  .input("x", sdk::kFloatBits)
                  .extents_input("size")
                  .output("out")
                  .infer(infer_sized),
              OpDef("sdk.drawn")
                  .input("x", sdk::kFloatBits)
                  .random()
                  .bounded_output("out", "count")
                  .output("count")
                  .infer(infer_drawn)}) {}

  const void* interface(std::string_view name) {
    return name == LOCI_OPS_INTERFACE ? sdk::ops_table<OpsPlugin>() : nullptr;
  }
  [[nodiscard]] sdk::OpList& ops() { return ops_; }

 private:
  sdk::OpList ops_;
};

// The ops in the registry of this process, which keeps them.
class PluginOpsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    static plugin::Instance instance("org.example.ops", "ops.so",
                                     *sdk::describe_plugin<OpsPlugin>(nullptr));
    static const ops::OpLibrary kLibrary = ops::take_op_library(instance, {});
    for (const ops::OpSchema& schema : kLibrary.schemas) ops::op_registry().add(schema);
  }
};

TEST_F(PluginOpsTest, ADefinitionArrivesAsItWasWritten) {
  const ops::OpSchema& schema = ops::op_registry().get("sdk.every");
  EXPECT_EQ(schema.version(), 5);
  EXPECT_EQ(schema.plugin(), "org.example.ops");
  EXPECT_EQ(schema.capture_refusal(), "it reads on the host");
  EXPECT_EQ(schema.inputs()[1].residence, ops::Residence::kHost);
  EXPECT_EQ(schema.inputs()[2].arity, ops::Arity::kVariadic);
  EXPECT_FALSE(schema.gradient_fn());
  EXPECT_EQ(schema.complete({{"needed", std::int64_t{1}}}),
            (Attributes{{"boolean", false},
                        {"integer", std::int64_t{3}},
                        {"real", 0.5},
                        {"text", std::string("same")},
                        {"dtype", kInt32},
                        {"integers", std::vector<std::int64_t>{1, 2}},
                        {"reals", std::vector<double>{0.25}},
                        {"texts", std::vector<std::string>{"a", "b"}},
                        {"needed", std::int64_t{1}}}));
}

TEST_F(PluginOpsTest, ExtentsComeFromValues) {
  const auto sized = [] { return test_support::infer("sdk.sized").input("x", {1}); };
  EXPECT_EQ(sized().shape(), (Shape{-1, -1}));
  EXPECT_EQ(sized().host_values("size", {3, 4}).shape(), (Shape{3, 4}));
  EXPECT_EQ(sized().input("size", {2}, kInt32).shape(), (Shape{-1, -1})) << "not known yet";
  EXPECT_THAT(sized().host_values("size", {3}).error(),
              HasSubstr("[sdk.sized] size has 1 numbers"));
  EXPECT_TRUE(ops::op_registry().get("sdk.sized").inputs()[1].gives_extents);
}

TEST_F(PluginOpsTest, RandomAndBoundedAsTheHostsOwn) {
  const ops::OpSchema& drawn = ops::op_registry().get("sdk.drawn");
  EXPECT_TRUE(drawn.is_random());
  EXPECT_EQ(drawn.inputs()[1].name, "state");
  EXPECT_EQ(drawn.find_attribute("offset")->default_value, Attribute(std::int64_t{0}));
  EXPECT_EQ(drawn.outputs()[0].extent, ops::Extent::kBounded);
  EXPECT_EQ(drawn.outputs()[0].count, "count");
  // A program gives each operator the state, and a place in its order.
  const Program program;
  const ProgramGuard building(program);
  const Variable x = data("x", {4, 2}, kFloat32);
  for (std::int64_t place = 0; place < 2; ++place) {
    const Variable out = OpCall<Variable>("sdk.drawn").input("x", x).result();
    EXPECT_EQ(out.shape(), (Shape{-1, 2}));
    const program::Operator& op = program.impl()->main().ops.back();
    EXPECT_EQ(op.attributes.at("offset"), Attribute(place));
    EXPECT_EQ(program.impl()->main().var(op.inputs[1].front()).name, "@random_state");
  }
}

TEST_F(PluginOpsTest, CostsAreThoseOfThePlugin) {
  const ops::Cost cost = test_support::infer("sdk.parts")
                             .input("x", {2, 3})
                             .input("more", {2, 3})
                             .input("more", {2, 3})
                             .cost();
  EXPECT_EQ(cost.flops, 12);
  EXPECT_EQ(cost.bytes, 7);
}

TEST_F(PluginOpsTest, OlderAttributesAreUpgraded) {
  const ops::UpgradeFn& upgrade = ops::op_registry().get("sdk.parts").upgrade_fn();
  Attributes first{{"percent", 50.0}};
  upgrade(1, first);
  EXPECT_EQ(first, (Attributes{{"factor", 0.5}}));
  Attributes second{{"factor", 2.0}, {"off", true}};
  upgrade(2, second);
  EXPECT_EQ(second, (Attributes{{"factor", 0.0}}));
  Attributes damaged{{"percent", true}};
  EXPECT_THAT([&] { upgrade(1, damaged); },
              ThrowsMessage<Error>(HasSubstr("[sdk.parts] its upgrade from version 1: [sdk.parts] "
                                             "the attribute 'percent' is of another kind")));
}

TEST_F(PluginOpsTest, DecompositionsAreWrittenInOps) {
  const ops::OpSchema& schema = ops::op_registry().get("sdk.parts");
  const ops::TensorType type{kFloat32, {2}};
  const auto written = [&](double factor) {
    test_support::RecordingEmitter emitter;
    const Attributes attributes = schema.complete({{"factor", factor}});
    const ops::ValueSlots inputs{{emitter.add("x", type)},
                                 {emitter.add("a", type), emitter.add("b", type)}};
    const ops::TypeSlots outputs{{type}};
    ops::DecomposeContext context(schema, attributes, inputs, outputs, emitter);
    EXPECT_EQ(context.run(), factor != 0);
    return emitter.calls();
  };
  EXPECT_THAT(written(2.0),
              ElementsAre("%0 = elementwise_add(x: x, y: a)", "%1 = elementwise_add(x: %0, y: b)",
                          "%2 = scale(x: %1, scale: 2)"));
  EXPECT_THAT(written(0.0), ::testing::IsEmpty());
}

TEST_F(PluginOpsTest, InferenceReadsAndFills) {
  const auto probe = [] {
    return test_support::infer("sdk.every").input("x", {2}).attr("needed", std::int64_t{0});
  };
  auto with_list = probe();
  with_list.input("list", {4}, kBool).input("list", {5}, kInt8);
  const std::vector<ops::TensorType> types = with_list.types();
  ASSERT_EQ(types.size(), 3u);
  EXPECT_EQ(types[0], (ops::TensorType{kInt32, {3, 3}}));
  EXPECT_EQ(types[2], (ops::TensorType{kInt8, {5}}));
  EXPECT_THAT(probe().attr("boolean", true).error(),
              HasSubstr("[sdk.every] it is true; inputs: x 'x_in' float32[2]"));
  EXPECT_THAT(probe().attr("integer", std::int64_t{10}).error(),
              HasSubstr("attribute 'integer' is 10; give a number from 0 to 9"));
  EXPECT_THAT(probe().attr("text", std::string("full")).error(),
              HasSubstr("attribute 'text' is 'full'; give 'same' or 'valid'"));
  // A refusal of the host comes back as the plugin's exception.
  auto with_extra = probe();
  with_extra.input("extra", {});
  EXPECT_THAT([&] { (void)with_extra.types(); },
              ThrowsMessage<Error>(HasSubstr("inference sets output slot 7; there are 2")));
}

TEST_F(PluginOpsTest, GradientsAreWrittenInOps) {
  auto probe = test_support::gradient_of("sdk.cube").with("x", {2}).run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = assign_value(shape: [], values: [3])",
                                         "%1 = square(x: x)", "%2 = elementwise_mul(x: %1, y: %0)",
                                         "%3 = elementwise_mul(x: d_out, y: %2)"));
  EXPECT_EQ(probe.grad("x"), "%3");
  auto unwanted = test_support::gradient_of("sdk.cube").with("x", {2}).unwanted("x").run();
  EXPECT_TRUE(unwanted.calls().empty());
  EXPECT_THAT(
      [] { test_support::gradient_of("sdk.cube").with("x", {2}).attr("factor", 0.0).run(); },
      ThrowsMessage<Error>(HasSubstr("[sdk.cube] its gradient: factor is 0")));
}

TEST_F(PluginOpsTest, CallsTakeEveryKindOfAttribute) {
  auto probe = test_support::gradient_of("sdk.calls").with("x", {2});
  EXPECT_THAT([&] { probe.run(); },
              ThrowsMessage<Error>(HasSubstr("[sdk.calls] its gradient: relu has no input y")));
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = split(x: x, num: 2)", "%1 = concat(x: %0.0, x: %0.1)",
                          "%2 = reduce_sum(x: x, axes: [0], keep_dim: true)",
                          "%3 = cast(x: out, dtype: float64)"));
}

}  // namespace
}  // namespace loci::testing
