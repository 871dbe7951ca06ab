#include "framework/ops/assigned_value.h"

#include <gtest/gtest.h>

#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

void expect_attributes(const Tensor& value, const Attributes& expected) {
  const Attributes attributes = assigned_value(value);
  EXPECT_EQ(attributes, expected);
  auto probe = test_support::infer("assign_value");
  for (const auto& [name, attribute] : attributes) probe.attr(name, attribute);
  EXPECT_EQ(probe.types()[0], (TensorType{value.dtype(), value.shape()}));
}

TEST(AssignedValueTest, FloatsAreValues) {
  expect_attributes(Tensor::from<float>({0.5F, -1.0F}, {2, 1}),
                    {{"shape", std::vector<std::int64_t>{2, 1}},
                     {"dtype", kFloat32},
                     {"values", std::vector<double>{0.5, -1.0}}});
}

TEST(AssignedValueTest, OthersAreIntegers) {
  expect_attributes(Tensor::scalar<std::int8_t>(-7), {{"shape", std::vector<std::int64_t>{}},
                                                      {"dtype", kInt8},
                                                      {"integers", std::vector<std::int64_t>{-7}}});
  expect_attributes(Tensor::from<bool>({true, false}, {2}),
                    {{"shape", std::vector<std::int64_t>{2}},
                     {"dtype", kBool},
                     {"integers", std::vector<std::int64_t>{1, 0}}});
}

}  // namespace
}  // namespace loci::ops
