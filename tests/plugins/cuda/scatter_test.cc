// Updates of elements and slices by more positions than a block sorts, whose order shows in the
// bits.
#include <loci/loci.hpp>
#include <string>

#include "tests/plugins/cuda/on_the_double.h"

namespace loci::test {
namespace {

using CudaScatterTest = OnTheDouble;

TEST_F(CudaScatterTest, UpdatesInTheOrderOfPositionsAsTheCpu) {
  constexpr std::int64_t kElements = 7;
  for (const std::int64_t count : {1024, 1025, 5000}) {
    std::vector<std::int64_t> index;
    std::vector<float> updates;
    for (std::int64_t i = 0; i < count; ++i) {
      index.push_back(i * i % kElements - (i % 2) * kElements);
      updates.push_back(1.0F / static_cast<float>(1 + i));
    }
    const auto results_at = [&](const char* place, const std::string& reduction) {
      const Tensor x = full({kElements}, 1.0, kFloat32, place);
      const Tensor positions = Tensor::from<std::int64_t>(index, {count}).to(place);
      const Tensor values = Tensor::from<float>(updates, {count}).to(place);
      std::vector<float> all =
          scatter_elements(x, positions, values, 0, reduction).to_vector<float>();
      const std::vector<float> slices =
          scatter_nd(x, reshape(positions, {count, 1}), values, reduction).to_vector<float>();
      all.insert(all.end(), slices.begin(), slices.end());
      return all;
    };
    for (const char* reduction : {"none", "add", "mul", "max", "min"}) {
      EXPECT_EQ(results_at("cuda:0", reduction), results_at("cpu", reduction))
          << count << " " << reduction;
    }
  }
}

}  // namespace
}  // namespace loci::test
