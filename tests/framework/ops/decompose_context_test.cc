#include "framework/ops/decompose_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/ops.hpp>

#include "framework/ops/call_list.h"

namespace loci::ops {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// x and optional rows -> out and optional spare, decomposed by `fn`.
OpSchema schema_of(DecomposeFn fn) {
  OpSchema schema("twice");
  schema.input("x").input("rows", kAllDTypes, Arity::kOptional).attr("factor", 2.0);
  schema.output("out").output("spare", Arity::kOptional);
  return schema.decompose(std::move(fn));
}

class DecomposeContextTest : public ::testing::Test {
 protected:
  bool run(DecomposeFn fn) {
    const OpSchema schema = schema_of(std::move(fn));
    const Attributes attributes = schema.complete({});
    const ValueSlots inputs{{list_.value(0)}, {}};
    DecomposeContext context(schema, attributes, inputs, outputs_, list_);
    const bool is = context.run();
    results_ = context.outputs();
    return is;
  }
  std::string mistake(DecomposeFn fn) {
    try {
      (void)run(std::move(fn));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInternal);
      return error.what();
    }
    return "no error";
  }

  CallList list_{{{kFloat32, {3}}}};
  TypeSlots outputs_{{{kFloat32, {3}}}, {}};
  ValueSlots results_;
};

TEST_F(DecomposeContextTest, SeesArgumentsAndSetsOutputs) {
  EXPECT_TRUE(run([](DecomposeContext& ctx) {
    EXPECT_EQ(ctx.input_count("rows"), 0U);
    EXPECT_FALSE(ctx.input("rows").defined());
    EXPECT_EQ(ctx.output_count("spare"), 0U);
    ctx.set_output("out", scale(ctx.input("x"), ctx.attr<double>("factor")));
  }));
  ASSERT_EQ(results_[0].size(), 1U);
  EXPECT_EQ(results_[0][0].id, 1);
  EXPECT_TRUE(results_[1].empty());
}

TEST_F(DecomposeContextTest, WithoutOutputsThereIsNone) {
  EXPECT_FALSE(run([](DecomposeContext&) {}));
}

TEST_F(DecomposeContextTest, MistakesNameTheOp) {
  EXPECT_EQ(
      mistake([](DecomposeContext& ctx) { ctx.set_output("out", cast(ctx.input("x"), kFloat64)); }),
      "[twice] its decomposition gives float64[3] for output 'out', which is float32[3]");
  EXPECT_EQ(mistake([](DecomposeContext& ctx) { (void)ctx.input("z"); }),
            "[twice] its decomposition asks for the slot 'z', which it lacks");
  EXPECT_EQ(mistake([](DecomposeContext& ctx) { ctx.set_output("out", ctx.input("x"), 1); }),
            "[twice] its decomposition sets result 1 of output 'out', which has 1");
  outputs_[1].push_back({kFloat32, {3}});
  EXPECT_EQ(mistake([](DecomposeContext& ctx) { ctx.set_output("out", ctx.input("x")); }),
            "[twice] its decomposition leaves output 'spare' unset");
}

}  // namespace
}  // namespace loci::ops
