#include "framework/nn/arguments.h"

#include "tests/framework/nn/nn_fixture.h"

namespace loci::nn {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(ArgumentsTest, PositiveNumbersPass) {
  EXPECT_NO_THROW(check_positive("Linear", "size", 1));
  EXPECT_THAT([] { check_positive("Linear", "size", 0); },
              ThrowsMessage<Error>(HasSubstr("[Linear] size is 0; give at least 1")));
}

TEST(ArgumentsTest, AreWrittenOut) {
  EXPECT_STREQ(truth(true), "True");
  EXPECT_STREQ(truth(false), "False");
  EXPECT_EQ(list({2, 3}), "[2, 3]");
  EXPECT_EQ(describe(Tensor::from<float>({1, 2}, {2})), "float32 [2]");
}

TEST(ArgumentsTest, InitialisersOfTheOptionsComeFirst) {
  ParameterOptions options;
  EXPECT_EQ(weight_init(options, initializer::normal(0, 1)).op, "gaussian_random");
  EXPECT_EQ(std::get<double>(bias_init(options).attributes.at("value")), 0.0);
  options.weight_init = initializer::constant(3);
  options.bias_init = initializer::uniform(0, 1);
  EXPECT_EQ(weight_init(options, initializer::normal(0, 1)).op, "fill_constant");
  EXPECT_EQ(bias_init(options).op, "uniform_random");
}

}  // namespace
}  // namespace loci::nn
