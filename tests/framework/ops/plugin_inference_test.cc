#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <loci/error.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/infer_probe.h"
#include "tests/support/registered_op.h"

namespace loci::ops {
namespace {

using test_support::failing;
using test_support::infer;
using test_support::op_functions;
using test_support::OpTable;
using test_support::output_slot;
using test_support::register_op;
using test_support::slot;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kOp = "test.inferred";

loci_type type(loci_dtype dtype, std::initializer_list<std::int64_t> dims) {
  loci_type result{};
  result.dtype = dtype;
  result.rank = static_cast<std::int32_t>(dims.size());
  std::copy(dims.begin(), dims.end(), result.dims);
  return result;
}

class PluginInferenceTest : public ::testing::Test {
 protected:
  PluginInferenceTest() {
    OpTable table(kOp);
    table.inputs.push_back(slot("more", LOCI_ARITY_VARIADIC));
    table.inputs.push_back(slot("size", LOCI_ARITY_OPTIONAL));
    table.outputs.push_back(output_slot("parts", LOCI_ARITY_VARIADIC));
    table.attrs[0].flags = LOCI_ATTR_DEF_LIMITED;
    table.attrs[0].real_maximum = 2.0;
    register_op(std::move(table));
    op_functions.infer = [](const loci_inference& op) {
      return op.set_output(op.sink, 0, 0, &op.inputs[0]);
    };
  }
  ~PluginInferenceTest() override { op_functions = {}; }

  // The type that inference says for `out`.
  static void give(const loci_type& given) {
    op_functions.infer = [given](const loci_inference& op) {
      return op.set_output(op.sink, 0, 0, &given);
    };
  }
  static Error error() {
    try {
      (void)infer(kOp).input("x", {2, 3}).types();
    } catch (const Error& error) {
      return error;
    }
    return {ErrorCode::kFailed, "no error"};
  }
};

TEST_F(PluginInferenceTest, SeesArgumentsAndAttributes) {
  double alpha = 0;
  std::vector<loci_type> inputs;
  std::vector<std::uint32_t> slots;
  op_functions.infer = [&](const loci_inference& op) {
    alpha = op.attrs[0].real;
    slots.assign(op.input_slots, op.input_slots + op.input_slot_count + 1);
    inputs.assign(op.inputs, op.inputs + slots.back());
    return op.set_output(op.sink, 0, 0, &op.inputs[1]);
  };
  const auto probe = infer(kOp).input("x", {2}).input("more", {-1, 3}).input("more", {4});
  EXPECT_EQ(test_support::InferProbe(probe).attr("alpha", 1.5).types(),
            (std::vector<TensorType>{{kFloat32, {-1, 3}}}));
  EXPECT_EQ(alpha, 1.5);
  EXPECT_EQ(slots, (std::vector<std::uint32_t>{0, 1, 3, 4}));
  EXPECT_EQ(inputs[0].dims[0], 2);
  EXPECT_EQ(inputs[1].dims[0], LOCI_DIM_UNKNOWN);
  EXPECT_EQ(inputs[3].dtype, LOCI_DTYPE_NONE);  // the absent optional one
}

TEST_F(PluginInferenceTest, GivesVariadicOutputs) {
  op_functions.infer = [](const loci_inference& op) -> loci_error* {
    const loci_type part = type(LOCI_DTYPE_I64, {7});
    for (std::uint32_t i = 0; i < 3; ++i) {
      if (loci_error* error = op.set_output(op.sink, 1, i, &part)) return error;
    }
    return op.set_output(op.sink, 0, 0, &op.inputs[0]);
  };
  const auto types = infer(kOp).input("x", {2}).types();
  ASSERT_EQ(types.size(), 4u);
  EXPECT_EQ(types[3], (TensorType{kInt64, {7}}));
}

TEST_F(PluginInferenceTest, ARefusalNamesOpAndArguments) {
  op_functions.infer = [](const loci_inference&) {
    return core::new_error(LOCI_CODE_INVALID_ARGUMENT, "x has 3 columns; give it 4",
                           core::new_error(LOCI_CODE_FAILED, "the root of it", nullptr));
  };
  const Error refused = error();
  EXPECT_STREQ(refused.what(),
               "[test.inferred] x has 3 columns; give it 4; inputs: x 'x_in' float32[2, 3]");
  EXPECT_EQ(refused.details(), "the root of it");
  EXPECT_EQ(refused.code(), ErrorCode::kInvalidArgument);
  op_functions.infer = [](const loci_inference&) {
    return failing(LOCI_CODE_OUT_OF_MEMORY, "none is left");
  };
  EXPECT_STREQ(error().what(), "[test.inferred] none is left");
  EXPECT_EQ(error().code(), ErrorCode::kOutOfMemory);
}

TEST_F(PluginInferenceTest, AnExceptionIsADefectOfThePlugin) {
  op_functions.infer = [](const loci_inference&) -> loci_error* {
    throw std::runtime_error("out of infer");
  };
  EXPECT_EQ(error().code(), ErrorCode::kInternal);
  EXPECT_THAT(error().what(), AllOf(HasSubstr("[test.inferred]"),
                                    HasSubstr("its infer let an exception escape: out of infer")));
}

TEST_F(PluginInferenceTest, LimitsAreCheckedBeforeThePluginIsAsked) {
  bool asked = false;
  op_functions.infer = [&](const loci_inference&) -> loci_error* {
    asked = true;
    return nullptr;
  };
  EXPECT_THAT(infer(kOp).input("x", {2}).attr("alpha", 2.5).error(),
              HasSubstr("[test.inferred] attribute 'alpha' is 2.5; give a number from 0 to 2"));
  EXPECT_THAT(infer(kOp).input("x", {2}, kInt64).error(), HasSubstr("input 'x' is int64"));
  EXPECT_FALSE(asked);
}

TEST_F(PluginInferenceTest, RefusesTypesThatAreNone) {
  const auto refusal = [&](const loci_type& given) {
    give(given);
    return std::string(error().what());
  };
  const std::string begin = "[test.inferred] inference: output 'out' ";
  EXPECT_EQ(refusal(type(LOCI_DTYPE_NONE, {})),
            begin + "is of the dtype code 0, which there is not");
  EXPECT_THAT(refusal(type(LOCI_DTYPE_C64, {})), HasSubstr("is of the dtype code 18"));
  loci_type bad = type(LOCI_DTYPE_F32, {});
  bad.rank = 9;
  EXPECT_EQ(refusal(bad), begin + "is of rank 9; a tensor has 0 to 8 dimensions");
  bad.rank = -1;
  EXPECT_THAT(refusal(bad), HasSubstr("is of rank -1"));
  EXPECT_EQ(refusal(type(LOCI_DTYPE_F32, {2, -2})),
            begin + "has the extent -2; only -1, unknown, is negative");
  EXPECT_THAT(refusal(type(LOCI_DTYPE_F32, {INT64_MAX, 2})), HasSubstr("more than 2^63 bytes"));
}

TEST_F(PluginInferenceTest, RefusesOutputsThatAreNot) {
  const auto refusal = [&](std::uint32_t slot_index, std::uint32_t index) {
    op_functions.infer = [=](const loci_inference& op) {
      return op.set_output(op.sink, slot_index, index, &op.inputs[0]);
    };
    return std::string(error().what());
  };
  EXPECT_EQ(refusal(2, 0), "[test.inferred] inference sets output slot 2; there are 2");
  EXPECT_THAT(refusal(UINT32_MAX, 0), HasSubstr("inference sets output slot 4294967295"));
  EXPECT_THAT(refusal(0, 1),
              HasSubstr("inference sets result 1 of output 'out'; it has 1 at most"));
  EXPECT_THAT(refusal(1, UINT32_MAX), HasSubstr("of output 'parts'; it has 65536 at most"));
  op_functions.infer = [](const loci_inference&) -> loci_error* { return nullptr; };
  EXPECT_THAT(error().what(), HasSubstr("inference leaves output 'out' unset"));
  op_functions.infer = [](const loci_inference& op) -> loci_error* {
    if (loci_error* failed = op.set_output(op.sink, 0, 0, &op.inputs[0])) return failed;
    return op.set_output(op.sink, 1, 2, &op.inputs[0]);
  };
  EXPECT_THAT(error().what(), HasSubstr("inference leaves a result of output 'parts' unset"));
}

}  // namespace
}  // namespace loci::ops
