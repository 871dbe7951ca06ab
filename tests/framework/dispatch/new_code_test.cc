#include "framework/dispatch/new_code.h"

#include "framework/ops/op_registry.h"
#include "tests/framework/dispatch/dispatch_fixture.h"

namespace loci::dispatch {
namespace {

class NewCodeTest : public DispatchTest {
 protected:
  static OpDesc relu(DType dtype, std::int64_t extent) {
    const ArgumentType type{dtype, Shape{extent}, LOCI_RESIDENCE_DEVICE};
    return {ops::op_registry().get("relu"), {}, {{type}}, {{type}}};
  }
  static OpDesc scaled(double by) {
    const ArgumentType type{kFloat32, Shape{3}, LOCI_RESIDENCE_DEVICE};
    const ops::OpSchema& schema = ops::op_registry().get("scale");
    return {schema, schema.complete({{"scale", by}}), {{type}}, {{type}}};
  }
  static OpDesc dropped(std::int64_t offset) {
    const ArgumentType type{kFloat32, Shape{3}, LOCI_RESIDENCE_DEVICE};
    const ops::OpSchema& schema = ops::op_registry().get("dropout");
    ArgumentSlots inputs(schema.inputs().size());
    ArgumentSlots outputs(schema.outputs().size());
    inputs[0] = {type};
    outputs[0] = {type};
    return {schema, schema.complete({{"offset", offset}}), inputs, outputs};
  }
};

TEST_F(NewCodeTest, EachKindIsNewOnce) {
  const loci_kernel_def one{};
  const loci_kernel_def other{};
  EXPECT_TRUE(is_new_code(one, relu(kFloat32, 3)));
  EXPECT_FALSE(is_new_code(one, relu(kFloat32, 3)));
  EXPECT_TRUE(is_new_code(other, relu(kFloat32, 3)));
  EXPECT_TRUE(is_new_code(one, relu(kFloat64, 3)));
  EXPECT_TRUE(is_new_code(one, relu(kFloat32, 4)));
  EXPECT_FALSE(is_new_code(one, relu(kFloat64, 3)));
  EXPECT_TRUE(is_new_code(one, scaled(1)));
  EXPECT_TRUE(is_new_code(one, scaled(2)));
}

TEST_F(NewCodeTest, TheOffsetOfARandomOperatorIsNoNewCode) {
  const loci_kernel_def def{};
  EXPECT_TRUE(is_new_code(def, dropped(0)));
  EXPECT_FALSE(is_new_code(def, dropped(1)));
}

}  // namespace
}  // namespace loci::dispatch
