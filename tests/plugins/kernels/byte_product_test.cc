#include "plugins/kernels/byte_product.h"

#include <gtest/gtest.h>

#include "tests/plugins/kernels/each_isa.h"

namespace loci::kernels {
namespace {

// The cases of matmul check the products, on whatever processor they run.
TEST(ByteProductTest, NeedsMoreThanTheBaseline) {
  for_each_isa([] {
    if (best_isa() == Isa::kBaseline) {
      EXPECT_FALSE(multiplies_bytes());
    }
  });
}

}  // namespace
}  // namespace loci::kernels
