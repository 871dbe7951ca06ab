#include "tests/framework/nn/nn_fixture.h"

namespace loci::nn {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ParameterTest : public NnTest {};

TEST_F(ParameterTest, IsALeafThatRequiresAGradient) {
  const Tensor parameter = make_parameter({2, 3}, kFloat64, initializer::constant(0.5));
  EXPECT_TRUE(parameter.requires_grad());
  EXPECT_TRUE(parameter.is_leaf());
  EXPECT_EQ(parameter.shape(), (Shape{2, 3}));
  EXPECT_THAT(elements(parameter), Each(0.5));
}

TEST_F(ParameterTest, BuffersRequireNone) {
  const Tensor buffer = make_buffer({3}, kInt64, initializer::constant(7));
  EXPECT_FALSE(buffer.requires_grad());
  EXPECT_THAT(buffer.to_vector<std::int64_t>(), Each(7));
}

TEST_F(ParameterTest, LiesWhereTheGuardSays) {
  const DeviceGuard guard("sim:1");
  EXPECT_EQ(make_parameter({2}, kFloat32, initializer::constant(1)).place(), Place("sim:1"));
}

// A model draws the same first values whether it is built as a program or step by step.
TEST_F(ParameterTest, DrawsWhatAProgramDraws) {
  Program main;
  Program startup;
  const ProgramGuard building(main, startup);
  create_parameter({3, 4}, kFloat32, initializer::xavier({3, 4}), "first");
  create_parameter({5}, kFloat32, initializer::normal(1, 2), "second");
  const Scope scope;
  Executor("cpu", CompileOptions(), scope).run(startup);
  seed(0);
  const Tensor first = make_parameter({3, 4}, kFloat32, initializer::xavier({3, 4}));
  const Tensor second = make_parameter({5}, kFloat32, initializer::normal(1, 2));
  EXPECT_EQ(first.to_vector<float>(), scope.find("first").to_vector<float>());
  EXPECT_EQ(second.to_vector<float>(), scope.find("second").to_vector<float>());
}

TEST_F(ParameterTest, RefusesDtypesWithoutGradients) {
  EXPECT_THAT([] { make_parameter({2}, kInt64, initializer::constant(0)); },
              ThrowsMessage<Error>(HasSubstr("[nn] a parameter of int64 [2] has no gradient")));
}

TEST_F(ParameterTest, RefusesAnOpThatIsNotThere) {
  EXPECT_THAT(
      [] {
        make_buffer({2}, kFloat32, Initializer{"fill_constand", {}});
      },
      ThrowsMessage<Error>(HasSubstr("fill_constand")));
}

}  // namespace
}  // namespace loci::nn
