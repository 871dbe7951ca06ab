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
  EXPECT_TRUE(prepared_code(one, relu(kFloat32, 3)).is_new);
  EXPECT_FALSE(prepared_code(one, relu(kFloat32, 3)).is_new);
  EXPECT_TRUE(prepared_code(other, relu(kFloat32, 3)).is_new);
  EXPECT_TRUE(prepared_code(one, relu(kFloat64, 3)).is_new);
  EXPECT_TRUE(prepared_code(one, relu(kFloat32, 4)).is_new);
  EXPECT_FALSE(prepared_code(one, relu(kFloat64, 3)).is_new);
  EXPECT_TRUE(prepared_code(one, scaled(1)).is_new);
  EXPECT_TRUE(prepared_code(one, scaled(2)).is_new);
}

TEST_F(NewCodeTest, TheOffsetOfARandomOperatorIsNoNewCode) {
  const loci_kernel_def def{};
  EXPECT_TRUE(prepared_code(def, dropped(0)).is_new);
  EXPECT_FALSE(prepared_code(def, dropped(1)).is_new);
}

TEST_F(NewCodeTest, HasRunInWhicheverKernelItWasPrepared) {
  const loci_kernel_def def{};
  const Code code = prepared_code(def, relu(kFloat32, 3));
  EXPECT_FALSE(code.has_run);
  EXPECT_FALSE(prepared_code(def, relu(kFloat32, 3)).has_run);
  note_code_has_run(code.id);
  EXPECT_TRUE(prepared_code(def, relu(kFloat32, 3)).has_run);
}

}  // namespace
}  // namespace loci::dispatch
