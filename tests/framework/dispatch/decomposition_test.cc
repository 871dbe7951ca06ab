#include "framework/dispatch/decomposition.h"

#include <loci/ops.hpp>
#include <utility>

#include "tests/framework/dispatch/dispatch_fixture.h"

namespace loci::dispatch {
namespace {

using ops::DecomposeContext;
using ops::OpSchema;
using ops::TensorType;
using ops::Value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// The toy device has kernels of relu, elementwise_add without broadcasting, and scale.
class DecompositionTest : public DispatchTest {
 protected:
  // x -> out, of which nobody has a kernel. The registry keeps it.
  static void add_op(const char* name, ops::DecomposeFn fn) {
    if (ops::op_registry().contains(name)) return;
    OpSchema schema(name);
    schema.input("x").output("out").infer(
        [](ops::InferContext& ctx) { ctx.set_output("out", ctx.input("x")); });
    ops::op_registry().add(std::move(schema.decompose(std::move(fn))));
  }
  static Value called(const char* op, const Value& x) {
    return OpCall<Value>(op).input("x", x).result();
  }
  std::optional<Decomposition> of(const char* op, const Shape& shape, const char* place = "toy:0",
                                  DType dtype = kFloat32) {
    const OpSchema& schema = ops::op_registry().get(op);
    const Attributes attributes = schema.complete({});
    const TensorType type{dtype, shape};
    own_ = {};
    return decompose({schema, attributes, {{type}}, {{type}}}, device_at(place), &cache_, &own_);
  }
  static std::vector<std::string> names(const Decomposition& decomposition) {
    std::vector<std::string> list;
    for (const ops::ListedCall& call : decomposition.calls) list.push_back(call.schema->name());
    return list;
  }

  KernelCache cache_;
  Binding own_;  // of the device, if it has one
};

TEST_F(DecompositionTest, AnOpWithoutAKernelIsWrittenInOthers) {
  add_op("test_folded", [](DecomposeContext& ctx) {
    const Value x = ctx.input("x");
    ctx.set_output("out", elementwise_add(relu(x), x));
  });
  const auto found = of("test_folded", {4});
  ASSERT_TRUE(found);
  EXPECT_THAT(names(*found), ElementsAre("relu", "elementwise_add"));
  EXPECT_THAT(found->calls[1].inputs[0].values, ElementsAre(1));
  EXPECT_THAT(found->calls[1].inputs[1].values, ElementsAre(0));
  EXPECT_THAT(found->outputs, ElementsAre(ElementsAre(2)));
  EXPECT_EQ(found->refusals, "no plugin brings a kernel of test_folded for toy");
}

TEST_F(DecompositionTest, OneWithAKernelIsNot) { EXPECT_FALSE(of("relu", {4})); }

TEST_F(DecompositionTest, TheKernelThatMakesItNeedlessIsGiven) {
  EXPECT_FALSE(of("softmax", {4}, "cpu"));
  ASSERT_TRUE(own_.found());
  EXPECT_NE(own_.kernel, nullptr);
  EXPECT_TRUE(of("test_folded", {4}, "cpu"));
  EXPECT_FALSE(own_.found()) << "there is none";
}

TEST_F(DecompositionTest, EveryPartNeedsAKernel) {
  EXPECT_FALSE(of("softmax", {4})) << "toy has no reduce_max";
  EXPECT_FALSE(of("test_folded", {4}, "toy:0", kFloat64)) << "nor a relu of float64";
  EXPECT_TRUE(of("test_folded", {4}, "cpu")) << "the CPU has both";
}

TEST_F(DecompositionTest, PartsMayBeDecomposedThemselves) {
  add_op("test_folded_twice", [](DecomposeContext& ctx) {
    const Value once = called("test_folded", scale(ctx.input("x"), 2.0));
    ctx.set_output("out", called("test_folded", once));
  });
  const auto found = of("test_folded_twice", {4});
  ASSERT_TRUE(found);
  EXPECT_THAT(names(*found),
              ElementsAre("scale", "relu", "elementwise_add", "relu", "elementwise_add"));
  EXPECT_THAT(found->calls[3].inputs[0].values, ElementsAre(3));
  EXPECT_EQ(found->calls[4].first_output, 5);
  EXPECT_THAT(found->outputs, ElementsAre(ElementsAre(5)));
}

TEST_F(DecompositionTest, ResultsAreValuesOfTheirOwn) {
  add_op("test_same", [](DecomposeContext& ctx) { ctx.set_output("out", ctx.input("x")); });
  const auto found = of("test_same", {4}, "cpu");
  ASSERT_TRUE(found);
  EXPECT_THAT(names(*found), ElementsAre("assign"));
  EXPECT_THAT(found->outputs, ElementsAre(ElementsAre(1)));
}

// Its parts might have nothing to reduce, or extents that they could not count with.
TEST_F(DecompositionTest, WhatWritesNothingIsNotComputed) {
  const auto found = of("test_folded", {std::int64_t{1} << 40, 0});
  ASSERT_TRUE(found);
  EXPECT_THAT(names(*found), ElementsAre("fill_constant"));
  EXPECT_THAT(found->outputs, ElementsAre(ElementsAre(1)));
}

TEST_F(DecompositionTest, OneThatSetsNothingIsNone) {
  add_op("test_declining", [](DecomposeContext&) {});
  EXPECT_FALSE(of("test_declining", {4}));
}

TEST_F(DecompositionTest, RefusesOnesThatLeadNowhere) {
  add_op("test_endless", [](DecomposeContext& ctx) {
    ctx.set_output("out", called("test_endless", ctx.input("x")));
  });
  EXPECT_THAT([&] { (void)of("test_endless", {4}); },
              ThrowsMessage<Error>(
                  HasSubstr("[test_endless] its decomposition leads back to it, or too deep")));
}

TEST_F(DecompositionTest, RefusesCallsThatDoMoreThanCompute) {
  add_op("test_bounded_part", [](DecomposeContext& ctx) {
    (void)called("nonzero", ctx.input("x"));
    ctx.set_output("out", relu(ctx.input("x")));
  });
  EXPECT_THAT([&] { (void)of("test_bounded_part", {4}); },
              ThrowsMessage<Error>(HasSubstr(
                  "[test_bounded_part] its decomposition calls nonzero, which does more than")));
}

}  // namespace
}  // namespace loci::dispatch
