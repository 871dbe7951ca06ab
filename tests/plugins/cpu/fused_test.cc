// Fused products: what is no number, whoever computes them.
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/plugins/cpu/cpu_plugin.h"

namespace loci::testing {
namespace {

using Integers = std::vector<std::int64_t>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// x with one element that is no number, at the front.
Value with_nan(const Dims& dims) {
  Value value = random_value(LOCI_DTYPE_F32, dims, -1, 1, 1);
  std::memcpy(value.bytes.data(), &kNan, sizeof kNan);
  return value;
}

Call product(const std::string& implementation, bool residual) {
  Call call{"fused_matmul",
            {with_nan({64, 48}), random_value(LOCI_DTYPE_F32, {48, 40}, -1, 1, 2),
             random_value(LOCI_DTYPE_F32, {40}, -1, 1, 3),
             residual ? random_value(LOCI_DTYPE_F32, {64, 40}, -1, 1, 4) : absent()},
            {{LOCI_DTYPE_F32, {64, 40}}},
            {{"transpose_x", false}, {"transpose_y", false}, {"activation", std::string("relu")}}};
  call.implementation = implementation;
  if (implementation == "packed") call.constants = {1};
  return call;
}

// The whole first row is NaN, and nothing else.
TEST(Fused, ReluOfAProductKeepsWhatIsNoNumber) {
  for (const char* implementation : {"packed", "onednn", "portable"}) {
    for (const bool residual : {false, true}) {
      SCOPED_TRACE(std::string(implementation) + (residual ? " residual" : ""));
      const std::vector<double> out = run_one(product(implementation, residual));
      for (std::size_t i = 0; i < out.size(); ++i) {
        ASSERT_EQ(std::isnan(out[i]), i < 40) << "element " << i;
      }
    }
  }
}

TEST(Fused, ReluOfAConvolutionKeepsWhatIsNoNumber) {
  for (const char* implementation : {"winograd", "onednn", "portable"}) {
    SCOPED_TRACE(implementation);
    Call call{"fused_conv2d",
              {with_nan({1, 64, 28, 28}), random_value(LOCI_DTYPE_F32, {64, 64, 3, 3}, -1, 1, 2),
               random_value(LOCI_DTYPE_F32, {64}, -1, 1, 3), absent(), absent(), absent(), absent(),
               absent()},
              {{LOCI_DTYPE_F32, {1, 64, 28, 28}}},
              {{"strides", Integers{1, 1}},
               {"paddings", Integers{1, 1}},
               {"dilations", Integers{1, 1}},
               {"groups", std::int64_t{1}},
               {"padding_algorithm", std::string("EXPLICIT")},
               {"epsilon", 1e-5},
               {"activation", std::string("relu")}}};
    call.implementation = implementation;
    if (std::string(implementation) == "winograd") call.constants = {1};
    const std::vector<double> out = run_one(call);
    // Results of each filter that read the first pixel are NaN; its last one reads none near it.
    for (std::size_t filter = 0; filter < 64; ++filter) {
      for (const std::size_t pixel : {0, 1, 28, 29}) {
        EXPECT_TRUE(std::isnan(out[filter * 784 + pixel])) << filter << ", " << pixel;
      }
      EXPECT_FALSE(std::isnan(out[filter * 784 + 783])) << filter;
    }
  }
}

}  // namespace
}  // namespace loci::testing
