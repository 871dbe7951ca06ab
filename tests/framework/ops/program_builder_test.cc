#include "framework/ops/program_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "framework/core/abi/error.h"
#include "framework/core/abi/error_object.h"
#include "tests/support/recording_emitter.h"

namespace loci::ops {
namespace {

using core::to_abi;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Calls go through the C table, as a plugin's do.
class ProgramBuilderTest : public ::testing::Test {
 protected:
  ProgramBuilderTest() { x_ = builder_.id(emitter_.add("x", {kFloat32, {2, 3}})); }

  // Empty if it was carried out.
  static std::string message(loci_error* error) {
    if (error == nullptr) return {};
    std::string text = error->message;
    core::free_error(error);
    return text;
  }
  std::string append(const loci_call& call) {
    return message(api_.append(builder_.handle(), &call, &outputs_, &count_));
  }
  static loci_call call_of(const char* op, const std::vector<loci_call_input>& inputs,
                           const std::vector<loci_attr>& attrs = {}) {
    loci_call call{};
    call.struct_size = sizeof call;
    call.op = to_abi(op);
    call.inputs = inputs.data();
    call.input_count = inputs.size();
    call.attrs = attrs.data();
    call.attr_count = attrs.size();
    return call;
  }
  std::string constant(const loci_view& view) {
    loci_value value = LOCI_NO_VALUE;
    return message(api_.constant(builder_.handle(), &view, &value));
  }

  test_support::RecordingEmitter emitter_;
  ProgramBuilder builder_{emitter_};
  const loci_builder_api& api_ = ProgramBuilder::api();
  loci_value x_ = LOCI_NO_VALUE;
  const loci_value* outputs_ = nullptr;
  std::uint64_t count_ = 0;
};

loci_attr real(const char* name, double value) {
  loci_attr attr{};
  attr.name = to_abi(name);
  attr.kind = LOCI_ATTR_FLOAT;
  attr.real = value;
  return attr;
}

TEST_F(ProgramBuilderTest, AppendsByPositionAndByName) {
  const std::vector<loci_call_input> by_position{{{nullptr, 0}, &x_, 1}, {{nullptr, 0}, &x_, 1}};
  EXPECT_EQ(append(call_of("elementwise_add", by_position)), "");
  ASSERT_EQ(count_, 1u);
  const loci_value sum = outputs_[0];
  const std::vector<loci_call_input> by_name{{to_abi("x"), &sum, 1}};
  const std::vector<loci_attr> attrs{real("scale", 2.0)};
  EXPECT_EQ(append(call_of("scale", by_name, attrs)), "");
  EXPECT_THAT(emitter_.calls(),
              ElementsAre("%0 = elementwise_add(x: x, y: x)", "%1 = scale(x: %0, scale: 2)"));
}

TEST_F(ProgramBuilderTest, AnAbsentValueLeavesASlotEmpty) {
  const loci_value filter = builder_.id(emitter_.add("w", {kFloat32, {1, 1, 1, 1}}));
  const loci_value image = builder_.id(emitter_.add("image", {kFloat32, {1, 1, 2, 2}}));
  const loci_value none = LOCI_NO_VALUE;
  const std::vector<loci_call_input> inputs{
      {{nullptr, 0}, &image, 1}, {{nullptr, 0}, &filter, 1}, {{nullptr, 0}, &none, 1}};
  EXPECT_EQ(append(call_of("conv2d", inputs)), "");
  EXPECT_THAT(emitter_.calls(), ElementsAre("%0 = conv2d(x: image, filter: w)"));
}

TEST_F(ProgramBuilderTest, OutPointersMayBeNull) {
  const std::vector<loci_call_input> inputs{{{nullptr, 0}, &x_, 1}};
  const loci_call call = call_of("relu", inputs);
  EXPECT_EQ(message(api_.append(builder_.handle(), &call, nullptr, nullptr)), "");
  EXPECT_EQ(emitter_.calls().size(), 1u);
}

TEST_F(ProgramBuilderTest, RefusesWhatDoesNotFit) {
  const std::vector<loci_call_input> one{{{nullptr, 0}, &x_, 1}};
  EXPECT_THAT(append(call_of("rellu", one)), HasSubstr("did you mean 'relu'"));
  EXPECT_THAT(append(call_of("", one)), HasSubstr("there is no such op"));
  const std::vector<loci_call_input> two(2, one[0]);
  EXPECT_EQ(append(call_of("relu", two)), "[builder] relu is called with 2 inputs; it has 1");
  const std::vector<loci_attr> odd(2, real("scale", 1.0));
  EXPECT_EQ(append(call_of("relu", one, odd)),
            "[builder] relu is called with 2 attributes; it has 0");
  std::vector<loci_attr> bad{real("scale", 1.0)};
  bad[0].kind = 70;
  EXPECT_EQ(append(call_of("scale", one, bad)),
            "[builder] the attribute 'scale' of scale is of the kind 70, which there is not");
  loci_call null = call_of("relu", one);
  null.inputs = nullptr;
  EXPECT_EQ(append(null), "[builder] relu is called with 1 inputs at NULL; it has 1");
  null = call_of("scale", one, bad);
  null.attrs = nullptr;
  EXPECT_EQ(append(null), "[builder] scale is called with 1 attributes at NULL; it has 2");
  const std::vector<loci_call_input> empty{{{nullptr, 0}, nullptr, 3}};
  EXPECT_EQ(append(call_of("relu", empty)), "[builder] the input 'x' of relu has 3 values at NULL");
  const std::vector<loci_call_input> endless{{{nullptr, 0}, &x_, UINT64_MAX}};
  EXPECT_THAT(append(call_of("relu", endless)), HasSubstr("has 18446744073709551615 values"));
  EXPECT_THAT(append(call_of("relu", {})), HasSubstr("[relu] input 'x' is missing"));
  EXPECT_TRUE(emitter_.calls().empty());
}

TEST_F(ProgramBuilderTest, AShorterCallLacksItsTail) {
  const std::vector<loci_call_input> inputs{{{nullptr, 0}, &x_, 1}};
  const std::vector<loci_attr> attrs{real("scale", 2.0)};
  loci_call call = call_of("scale", inputs, attrs);
  call.struct_size = offsetof(loci_call, attrs);
  EXPECT_EQ(append(call), "");
  EXPECT_THAT(emitter_.calls(), ElementsAre("%0 = scale(x: x)"));
}

TEST_F(ProgramBuilderTest, ConstantsAreCopied) {
  std::vector<float> elements{0.5F, 1.0F};
  const std::int64_t dims[] = {2};
  loci_view view{};
  view.data = elements.data();
  view.dims = dims;
  view.rank = 1;
  view.bytes = 2 * sizeof(float);
  view.dtype = LOCI_DTYPE_F32;
  EXPECT_EQ(constant(view), "");
  std::int32_t whole = 7;
  view = {};
  view.data = &whole;
  view.bytes = sizeof whole;
  view.dtype = LOCI_DTYPE_I32;
  EXPECT_EQ(constant(view), "");
  EXPECT_THAT(emitter_.calls(),
              ElementsAre("%0 = assign_value(shape: [2], values: [0.5, 1])",
                          "%1 = assign_value(dtype: int32, integers: [7], shape: [])"));
}

TEST_F(ProgramBuilderTest, RefusesConstantsThatAreNone) {
  float element = 1;
  const std::int64_t dims[] = {INT64_MAX, INT64_MAX, 4};
  const std::int64_t unknown[] = {-1};
  loci_view good{};
  good.data = &element;
  good.bytes = sizeof element;
  good.dtype = LOCI_DTYPE_F32;
  loci_view view = good;
  view.bytes = 8;
  EXPECT_EQ(constant(view), "[builder] a constant of float32[] has 8 bytes; it needs 4");
  view = good;
  view.data = nullptr;
  EXPECT_EQ(constant(view), "[builder] a constant of float32[] has 4 bytes at NULL; it needs 4");
  view = good;
  view.dtype = 77;
  EXPECT_EQ(constant(view), "[builder] a constant is of the dtype code 77, which there is not");
  view = good;
  view.dims = dims;
  view.rank = 3;
  EXPECT_THAT(constant(view), HasSubstr("is too large; it has 1048576 bytes at most"));
  view.dims = nullptr;
  EXPECT_EQ(constant(view), "[builder] a constant has its extents at NULL");
  view.dims = unknown;
  view.rank = 1;
  EXPECT_THAT(constant(view), HasSubstr("an unknown extent; give it dense"));
  view = good;
  view.strides = dims;
  EXPECT_THAT(constant(view), HasSubstr("has strides, a layout"));
  view = good;
  view.layout = 5;
  EXPECT_THAT(constant(view), HasSubstr("has strides, a layout"));
}

TEST_F(ProgramBuilderTest, KnowsTypes) {
  loci_type type{};
  EXPECT_EQ(message(api_.type_of(builder_.handle(), x_, &type)), "");
  EXPECT_EQ(type.dtype, LOCI_DTYPE_F32);
  EXPECT_EQ(type.rank, 2);
  EXPECT_EQ(type.dims[1], 3);
  EXPECT_EQ(message(api_.type_of(builder_.handle(), 5, &type)),
            "[builder] there is no value 5; the builder has given 1");
  EXPECT_EQ(message(api_.type_of(builder_.handle(), LOCI_NO_VALUE, &type)),
            "[builder] an absent value has no type");
}

// Only a whole program may add such things.
TEST_F(ProgramBuilderTest, RefusesInAGradientWhatAddsToTheProgram) {
  loci_value value = LOCI_NO_VALUE;
  loci_block block = -1;
  loci_type type{};
  type.dtype = LOCI_DTYPE_F32;
  EXPECT_THAT(message(api_.input(builder_.handle(), to_abi("fed"), &type, &value)),
              HasSubstr("this is the builder of a gradient, which adds to a program that others "
                        "have begun: it takes no inputs"));
  int released = 0;
  loci_parameter parameter{};
  parameter.struct_size = sizeof parameter;
  parameter.release = [](void* count) { ++*static_cast<int*>(count); };
  parameter.context = &released;
  EXPECT_THAT(message(api_.parameter(builder_.handle(), &parameter, &value)),
              HasSubstr("it takes no parameters"));
  EXPECT_EQ(released, 1);
  EXPECT_THAT(message(api_.output(builder_.handle(), x_)), HasSubstr("it takes no outputs"));
  EXPECT_THAT(message(api_.block_begin(builder_.handle(), nullptr, 0, nullptr)),
              HasSubstr("it takes no blocks"));
  EXPECT_THAT(message(api_.block_end(builder_.handle(), nullptr, 0, &block)),
              HasSubstr("it takes no blocks"));
  const std::vector<loci_call_input> inputs{{to_abi("x"), &x_, 1}};
  loci_call call = call_of("relu", inputs);
  call.name = to_abi("mine");
  EXPECT_THAT(append(call), HasSubstr("it takes no names"));
  call.name = {};
  const loci_str name = to_abi("y");
  call.output_names = &name;
  call.output_name_count = 1;
  EXPECT_THAT(append(call), HasSubstr("it takes no names"));
  call.output_name_count = 0;
  block = 0;
  call.blocks = &block;
  call.block_count = 1;
  EXPECT_THAT(append(call), HasSubstr("it takes no blocks"));
  EXPECT_TRUE(emitter_.calls().empty());
}

TEST_F(ProgramBuilderTest, RefusesDamagedLists) {
  const std::vector<loci_call_input> inputs{{to_abi("x"), &x_, 1}};
  loci_call call = call_of("relu", inputs);
  call.output_name_count = 1;
  EXPECT_THAT(append(call), HasSubstr("a call has 1 names of outputs at NULL"));
  call.output_name_count = 0;
  call.block_count = 2;
  EXPECT_THAT(append(call), HasSubstr("a call has 2 blocks at NULL"));
  EXPECT_THAT(message(api_.block_begin(builder_.handle(), nullptr, 3, nullptr)),
              HasSubstr("a list has 3 values at NULL"));
}

}  // namespace
}  // namespace loci::ops
