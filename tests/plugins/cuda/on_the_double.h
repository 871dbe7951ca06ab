// Tests of kernels on an emulated device, with all checks.
#pragma once

#include <gtest/gtest.h>

#include <loci/fallback.hpp>
#include <loci/tensor.hpp>
#include <numeric>
#include <vector>

#include "tests/support/cuda_double.h"

namespace loci::test {

class OnTheDouble : public ::testing::Test {
 protected:
  // The double reads its settings when a process first uses it.
  static void SetUpTestSuite() { use_cuda_double("checks=all"); }

  // 1, 2, 3, ...
  template <class T>
  static Tensor counted(std::int64_t count) {
    std::vector<T> elements(static_cast<std::size_t>(count));
    std::iota(elements.begin(), elements.end(), T{1});
    return Tensor::from<T>(elements, {count}).to("cuda:0");
  }

 private:
  const FallbackGuard on_the_device_{FallbackPolicy::kError};
};

}  // namespace loci::test
