#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

#include "tests/support/infer_probe.h"
#include "tests/support/registered_op.h"

namespace loci::ops {
namespace {

using test_support::failing;
using test_support::infer;
using test_support::op_functions;
using test_support::OpTable;
using test_support::register_op;
using test_support::slot;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class PluginCostTest : public ::testing::Test {
 protected:
  PluginCostTest() {
    OpTable table("test.priced");
    table.inputs.push_back(slot("size", LOCI_ARITY_OPTIONAL));
    table.inputs.push_back(slot("more", LOCI_ARITY_VARIADIC));
    table.def.cost = test_support::call_cost;
    register_op(std::move(table));
    op_functions.infer = [](const loci_inference& op) {
      return op.set_output(op.sink, 0, 0, &op.inputs[0]);
    };
  }
  ~PluginCostTest() override { op_functions = {}; }
};

TEST_F(PluginCostTest, SeesTheTypesOfAllArguments) {
  op_functions.cost = [](const loci_op_desc& op, loci_op_cost* cost) -> loci_error* {
    EXPECT_EQ(op.attrs[0].real, 3.0);
    EXPECT_EQ(op.inputs[op.input_slots[1]].dtype, LOCI_DTYPE_NONE);
    EXPECT_EQ(op.input_slots[3] - op.input_slots[2], 2U);
    EXPECT_EQ(op.inputs[op.input_slots[2] + 1].dims[0], 7);
    EXPECT_EQ(op.flops, 0U);
    cost->flops = static_cast<std::uint64_t>(op.outputs[0].dims[0]) * 10;
    cost->bytes = UINT64_MAX;
    return nullptr;
  };
  const Cost cost = infer("test.priced")
                        .input("x", {2, 3})
                        .input("more", {5})
                        .input("more", {7})
                        .attr("alpha", 3.0)
                        .cost();
  EXPECT_EQ(cost.flops, 20);
  EXPECT_EQ(cost.bytes, INT64_MAX) << "what does not fit is the most that does";
}

TEST_F(PluginCostTest, AnErrorNamesTheOp) {
  op_functions.cost = [](const loci_op_desc&, loci_op_cost*) {
    return failing(LOCI_CODE_FAILED, "no idea");
  };
  EXPECT_THAT([] { (void)infer("test.priced").input("x", {2}).cost(); },
              ThrowsMessage<Error>(HasSubstr("[test.priced] its cost: no idea")));
}

TEST_F(PluginCostTest, WithoutOneItIsThatOfAnElementwiseOp) {
  register_op(OpTable("test.unpriced"));
  const Cost cost = infer("test.unpriced").input("x", {2, 3}).cost();
  EXPECT_EQ(cost.flops, 6);
  EXPECT_EQ(cost.bytes, 48);
}

}  // namespace
}  // namespace loci::ops
