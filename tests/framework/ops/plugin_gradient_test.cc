#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/gradient_probe.h"
#include "tests/support/registered_op.h"

namespace loci::ops {
namespace {

using test_support::failing;
using test_support::gradient_of;
using test_support::op_functions;
using test_support::OpTable;
using test_support::output_slot;
using test_support::register_op;
using test_support::slot;
using test_support::text;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr const char* kOp = "test.differentiated";

// A call with one argument in the first slot.
loci_error* call_unary(const loci_gradient& op, const char* name, loci_value value,
                       loci_value* result) {
  loci_call_input input{{nullptr, 0}, &value, 1};
  loci_call call{};
  call.struct_size = sizeof call;
  call.op = text(name);
  call.inputs = &input;
  call.input_count = 1;
  const loci_value* values = nullptr;
  loci_error* error = op.builder_api->append(op.builder, &call, &values, nullptr);
  if (error == nullptr) *result = values[0];
  return error;
}

class PluginGradientTest : public ::testing::Test {
 protected:
  PluginGradientTest() {
    OpTable table(kOp);
    table.inputs.push_back(slot("more", LOCI_ARITY_VARIADIC));
    table.inputs.push_back(slot("size", LOCI_ARITY_OPTIONAL));
    table.outputs.push_back(output_slot("second"));
    register_op(std::move(table));
    op_functions.infer = [](const loci_inference& op) -> loci_error* {
      if (loci_error* error = op.set_output(op.sink, 0, 0, &op.inputs[0])) return error;
      return op.set_output(op.sink, 1, 0, &op.inputs[0]);
    };
  }
  ~PluginGradientTest() override { op_functions = {}; }

  static auto fails_with(const std::string& message) {
    return ThrowsMessage<Error>(
        HasSubstr(fmt::format("[test.differentiated] its gradient: {}", message)));
  }
  static void run() { gradient_of(kOp).with("x", {2}).run(); }
};

TEST_F(PluginGradientTest, WritesOperators) {
  op_functions.gradient = [](const loci_gradient& op) {
    return call_unary(op, "relu", op.output_grads[0], &op.input_grads[0]);
  };
  auto probe = gradient_of(kOp).with("x", {2}).run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = relu(x: d_out)"));
  EXPECT_EQ(probe.grad("x"), "%0");
}

TEST_F(PluginGradientTest, SeesTheOperator) {
  std::vector<std::uint8_t> wanted;
  std::vector<loci_value> inputs;
  std::vector<loci_value> grads;
  double alpha = 0;
  op_functions.gradient = [&](const loci_gradient& op) -> loci_error* {
    const std::uint32_t count = op.input_slots[op.input_slot_count];
    wanted.assign(op.wanted, op.wanted + count);
    inputs.assign(op.inputs, op.inputs + count);
    grads.assign(op.output_grads, op.output_grads + op.output_slots[op.output_slot_count]);
    alpha = op.attrs[0].real;
    op.input_grads[2] = op.output_grads[0];
    return nullptr;
  };
  auto probe = gradient_of(kOp)
                   .with("x", {2})
                   .with("more", {2})
                   .with("more", {2})
                   .attr("alpha", 3.0)
                   .unwanted("x")
                   .no_output_grad("second")
                   .run();
  EXPECT_EQ(alpha, 3.0);
  EXPECT_THAT(wanted, ElementsAre(0, 1, 1, 0));
  ASSERT_EQ(inputs.size(), 4u);
  EXPECT_NE(inputs[2], LOCI_NO_VALUE);
  EXPECT_EQ(inputs[3], LOCI_NO_VALUE);
  ASSERT_EQ(grads.size(), 2u);
  EXPECT_NE(grads[0], LOCI_NO_VALUE);
  EXPECT_EQ(grads[1], LOCI_NO_VALUE);
  EXPECT_EQ(probe.grad("more", 1), "d_out");
  EXPECT_EQ(probe.grad("x"), "none");
}

TEST_F(PluginGradientTest, ErrorsNameTheOpAndTheCall) {
  op_functions.gradient = [](const loci_gradient&) {
    return failing(LOCI_CODE_UNSUPPORTED, "beta is 0");
  };
  EXPECT_THAT(run, fails_with("beta is 0"));
  op_functions.gradient = [](const loci_gradient&) -> loci_error* {
    throw std::runtime_error("out of gradient");
  };
  EXPECT_THAT(run, ThrowsMessage<Error>(HasSubstr("let an exception escape: out of gradient")));
  // The gradient hands back an error of the builder.
  op_functions.gradient = [](const loci_gradient& op) {
    return call_unary(op, "rellu", op.inputs[0], &op.input_grads[0]);
  };
  EXPECT_THAT(run, fails_with("[rellu] there is no such op; did you mean 'relu'"));
}

TEST_F(PluginGradientTest, RefusesIdsThatAreNone) {
  for (const loci_value id : {loci_value{99}, loci_value{-2}, INT64_MAX, INT64_MIN}) {
    op_functions.gradient = [id](const loci_gradient& op) -> loci_error* {
      op.input_grads[0] = id;
      return nullptr;
    };
    EXPECT_THAT(run, fails_with(fmt::format("[builder] there is no value {}", id)));
    op_functions.gradient = [id](const loci_gradient& op) {
      return call_unary(op, "relu", id, &op.input_grads[0]);
    };
    EXPECT_THAT(run, fails_with(fmt::format("[builder] there is no value {}", id)));
  }
}

}  // namespace
}  // namespace loci::ops
