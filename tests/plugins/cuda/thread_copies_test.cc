// Copies of pageable memory by several threads, which share the stream that they have by default.
#include <gtest/gtest.h>

#include <loci/tensor.hpp>
#include <thread>
#include <vector>

#include "tests/support/cuda_double.h"

namespace loci::test {
namespace {

TEST(CudaThreadCopiesTest, EachReadsWhatItWrote) {
  use_cuda_double("checks=all");
  std::vector<int> wrong(4);
  const auto copy = [&wrong](std::size_t number) {
    const std::vector<std::int64_t> elements(1000, static_cast<std::int64_t>(number));
    for (int round = 0; round < 100; ++round) {
      const Tensor there = Tensor::from<std::int64_t>(elements, {1000}).to("cuda:0");
      if (there.to_vector<std::int64_t>() != elements) ++wrong[number];
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < wrong.size(); ++i) threads.emplace_back(copy, i);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace loci::test
