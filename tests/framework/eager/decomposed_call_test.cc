#include "framework/eager/decomposed_call.h"

#include "framework/ops/decompose_context.h"
#include "framework/ops/op_registry.h"
#include "framework/transfer/transfer.h"
#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ops::DecomposeContext;
using ops::OpSchema;
using ops::Value;
using ::testing::ElementsAre;

// out = 2 relu(x) + y, spare = relu(x), of which nobody has a kernel; d x = 3 d out, so that the
// gradient is not that of the parts.
class DecomposedCallTest : public EagerTest {
 protected:
  DecomposedCallTest() {
    if (ops::op_registry().contains("test_joined")) return;
    OpSchema schema("test_joined");
    schema.input("y", ops::kFloats, ops::Arity::kOptional).input("x", ops::kFloats);
    schema.output("out").output("none", ops::Arity::kOptional).output("spare");
    schema.infer([](ops::InferContext& ctx) {
      ctx.set_output("out", ctx.input("x"));
      ctx.set_output("spare", ctx.input("x"));
    });
    schema.gradient(
        [](ops::GradContext& ctx) { ctx.set_input_grad("x", scale(ctx.output_grad("out"), 3.0)); });
    ops::op_registry().add(std::move(schema.decompose([](DecomposeContext& ctx) {
      const Value bent = relu(ctx.input("x"));
      const Value twice = scale(bent, 2.0);
      const Value y = ctx.input("y");
      ctx.set_output("out", y.defined() ? elementwise_add(twice, y) : twice);
      ctx.set_output("spare", bent);
    })));
  }

  static std::vector<Tensor> joined(const Tensor& x, const Tensor& y = {}) {
    return OpCall<Tensor>("test_joined").input("y", y).input("x", x).results();
  }
  static std::size_t copies() { return transfer::rows().size(); }
};

TEST_F(DecomposedCallTest, RunsWhereTheOpWould) {
  for (const char* place : {"cpu", "sim:0"}) {
    const Tensor x = vector({-1, 3}).to(place);
    const Tensor y = vector({10, 20}).to(place);
    synchronize();  // the ledger has the copies then
    const std::size_t before = copies();
    const std::vector<Tensor> both = joined(x, y);
    synchronize();
    EXPECT_EQ(copies(), before) << place;
    EXPECT_EQ(both[0].place(), Place(place));
    EXPECT_THAT(floats(both[0]), ElementsAre(10, 26));
    EXPECT_FALSE(both[1].defined());
    EXPECT_THAT(floats(both[2]), ElementsAre(0, 3));
    EXPECT_THAT(floats(joined(x)[0]), ElementsAre(0, 6));
  }
}

TEST_F(DecomposedCallTest, ThePolicyHasNothingToForbid) {
  const FallbackGuard strict(FallbackPolicy::kError);
  EXPECT_THAT(floats(joined(vector({-1, 3}).to("sim:1"))[0]), ElementsAre(0, 6));
}

TEST_F(DecomposedCallTest, AGuardMovesItsInputs) {
  const DeviceGuard guard("sim:0");
  const std::vector<Tensor> both = joined(vector({-1, 3}), vector({1, 1}).to("sim:1"));
  EXPECT_EQ(both[0].place(), Place("sim:0"));
  EXPECT_THAT(floats(both[0]), ElementsAre(1, 7));
}

TEST_F(DecomposedCallTest, TheGradientIsTheOps) {
  const Tensor x = variable({-1, 3}, "sim:0");
  const Tensor out = joined(x)[0];
  reduce_sum(out).backward();
  EXPECT_THAT(floats(x.grad()), ElementsAre(3, 3));
}

}  // namespace
}  // namespace loci::eager
