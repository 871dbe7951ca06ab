#include "tools/loci/model/tensor_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace loci::runner {
namespace {

TEST(TensorJsonTest, TypeHasDtypeAndShape) {
  EXPECT_EQ(type_json(kFloat32, {2, 3}).dump(), R"({"dtype":"float32","shape":[2,3]})");
  EXPECT_EQ(type_json(kInt64, {}).dump(), R"({"dtype":"int64","shape":[]})");
}

TEST(TensorJsonTest, ValuesAreFlat) {
  EXPECT_EQ(values_json(Tensor::from<std::int64_t>({1, -2, 3, 4}, {2, 2})).dump(), "[1,-2,3,4]");
  EXPECT_EQ(values_json(Tensor::from<float>({0.5F, -2.0F}, {2})).dump(), "[0.5,-2.0]");
  EXPECT_EQ(values_json(Tensor::scalar(true)).dump(), "[true]");
}

TEST(TensorJsonTest, SmallIntegersAreNumbersNotText) {
  EXPECT_EQ(values_json(Tensor::from<std::uint8_t>({65, 0}, {2})).dump(), "[65,0]");
}

TEST(TensorJsonTest, WhatIsNoNumberInJsonIsText) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(values_json(Tensor::from<double>({std::nan(""), infinity, -infinity}, {3})).dump(),
            R"(["nan","inf","-inf"])");
}

TEST(TensorJsonTest, HalvesAreNumbers) {
  const std::vector<std::uint16_t> bits{0x3e00};
  EXPECT_EQ(values_json(Tensor::from_bytes(bits.data(), {1}, kFloat16)).dump(), "[1.5]");
}

}  // namespace
}  // namespace loci::runner
