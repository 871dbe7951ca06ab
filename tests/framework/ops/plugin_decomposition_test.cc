#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <string>

#include "framework/ops/call_list.h"
#include "framework/ops/decompose_context.h"
#include "tests/support/registered_op.h"

namespace loci::ops {
namespace {

using test_support::failing;
using test_support::op_functions;
using test_support::OpTable;
using test_support::output_slot;
using test_support::register_op;
using test_support::slot;
using test_support::text;
using ::testing::HasSubstr;

// relu(input) as one value of the builder.
loci_error* call_relu(const loci_decomposition& op, loci_value input, loci_value* result) {
  const loci_call_input slot_of_x{text("x"), &input, 1};
  loci_call call{};
  call.struct_size = sizeof call;
  call.op = text("relu");
  call.inputs = &slot_of_x;
  call.input_count = 1;
  const loci_value* made = nullptr;
  loci_error* error = op.builder_api->append(op.builder, &call, &made, nullptr);
  if (error == nullptr) *result = made[0];
  return error;
}

class PluginDecompositionTest : public ::testing::Test {
 protected:
  PluginDecompositionTest() {
    OpTable table("test.decomposed");
    table.inputs.push_back(slot("size", LOCI_ARITY_OPTIONAL));
    table.inputs.push_back(slot("more", LOCI_ARITY_VARIADIC));
    table.outputs.push_back(output_slot("parts", LOCI_ARITY_VARIADIC));
    table.def.decompose = test_support::call_decompose;
    register_op(std::move(table));
  }
  ~PluginDecompositionTest() override { op_functions = {}; }

  bool run() {
    const OpSchema& schema = op_registry().get("test.decomposed");
    const Attributes attributes = schema.complete({});
    const ValueSlots inputs{{list_.value(0)}, {}, {list_.value(1), list_.value(0)}};
    const TypeSlots outputs{{{kFloat32, {2}}}, {{kFloat32, {3}}}};
    DecomposeContext context(schema, attributes, inputs, outputs, list_);
    const bool is = context.run();
    results_ = context.outputs();
    return is;
  }
  std::string error() {
    try {
      (void)run();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  CallList list_{{{kFloat32, {2}}, {kFloat32, {3}}}};
  ValueSlots results_;
};

TEST_F(PluginDecompositionTest, WritesTheOperatorInOthers) {
  op_functions.decompose = [](const loci_decomposition& op) -> loci_error* {
    EXPECT_EQ(op.attrs[0].real, 1.0);
    EXPECT_EQ(op.inputs[op.input_slots[1]], LOCI_NO_VALUE);
    EXPECT_EQ(op.input_slots[3] - op.input_slots[2], 2U);
    EXPECT_EQ(op.outputs[0], LOCI_NO_VALUE);
    if (loci_error* failed = call_relu(op, op.inputs[0], &op.outputs[op.output_slots[0]])) {
      return failed;
    }
    op.outputs[op.output_slots[1]] = op.inputs[op.input_slots[2]];
    return nullptr;
  };
  EXPECT_TRUE(run());
  EXPECT_EQ(results_[0][0].id, 2);
  EXPECT_EQ(results_[1][0].id, 1);
  ASSERT_EQ(list_.calls().size(), 1U);
  EXPECT_EQ(list_.calls()[0].schema->name(), "relu");
}

TEST_F(PluginDecompositionTest, MayHaveNoneForTheseArguments) {
  op_functions.decompose = [](const loci_decomposition&) -> loci_error* { return nullptr; };
  EXPECT_FALSE(run());
}

TEST_F(PluginDecompositionTest, MistakesNameTheOp) {
  op_functions.decompose = [](const loci_decomposition&) {
    return failing(LOCI_CODE_FAILED, "not today");
  };
  EXPECT_EQ(error(), "[test.decomposed] its decomposition: not today");
  op_functions.decompose = [](const loci_decomposition& op) -> loci_error* {
    op.outputs[0] = 99;
    return nullptr;
  };
  EXPECT_THAT(error(),
              HasSubstr("[test.decomposed] its decomposition: [builder] there is no value 99"));
  op_functions.decompose = [](const loci_decomposition& op) -> loci_error* {
    op.outputs[0] = op.inputs[0];
    return nullptr;
  };
  EXPECT_EQ(error(), "[test.decomposed] its decomposition leaves output 'parts' unset");
}

}  // namespace
}  // namespace loci::ops
