// The tensors in numpy_files.h and safetensors_files.h hold these elements.
#pragma once

#include <gtest/gtest.h>
#include <loci/abi/half.h>

#include <cstdint>
#include <cstring>
#include <loci/tensor.hpp>

namespace loci::io_test {

template <class T>
void expect_elements(const Tensor& tensor, int first, double unit) {
  const std::vector<T> elements = tensor.to_vector<T>();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    EXPECT_EQ(static_cast<double>(elements[i]), (static_cast<double>(i) * 3 + first) * unit) << i;
  }
}

template <class Convert>
void expect_half_elements(const Tensor& tensor, Convert convert) {
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, static_cast<const char*>(tensor.raw_data()) + 2 * i, sizeof(bits));
    EXPECT_EQ(convert(bits), static_cast<float>(i * 3 - 4) / 4) << i;
  }
}

inline void expect_elements_of_files(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kBool:
      for (std::int64_t i = 0; i < tensor.numel(); ++i) {
        EXPECT_EQ(tensor.data<bool>()[i], i % 2 == 1) << i;
      }
      return;
    case DType::kInt8: return expect_elements<std::int8_t>(tensor, -4, 1);
    case DType::kInt16: return expect_elements<std::int16_t>(tensor, -4, 1);
    case DType::kInt32: return expect_elements<std::int32_t>(tensor, -4, 1);
    case DType::kInt64: return expect_elements<std::int64_t>(tensor, -4, 1);
    case DType::kUInt8: return expect_elements<std::uint8_t>(tensor, 1, 1);
    case DType::kUInt16: return expect_elements<std::uint16_t>(tensor, 1, 1);
    case DType::kUInt32: return expect_elements<std::uint32_t>(tensor, 1, 1);
    case DType::kUInt64: return expect_elements<std::uint64_t>(tensor, 1, 1);
    case DType::kFloat32: return expect_elements<float>(tensor, -4, 0.25);
    case DType::kFloat64: return expect_elements<double>(tensor, -4, 0.25);
    case DType::kFloat16: return expect_half_elements(tensor, loci_f16_to_f32);
    case DType::kBFloat16: return expect_half_elements(tensor, loci_bf16_to_f32);
    default: ADD_FAILURE() << "no such file";
  }
}

}  // namespace loci::io_test
