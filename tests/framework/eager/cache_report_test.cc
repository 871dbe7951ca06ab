#include <loci/inspect.hpp>

#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

class CacheReportTest : public EagerTest {};

TEST_F(CacheReportTest, CountsTheKernelsOfCalls) {
  const Tensor x = ones({3, 5, 7, 11});
  const inspect::Caches before = inspect::imperative_caches();
  reduce_sum(x, {1, 3});
  const inspect::Caches after = inspect::imperative_caches();
  EXPECT_GT(after.kernels, before.kernels);
  EXPECT_GT(after.kernel_bytes, before.kernel_bytes);
  EXPECT_EQ(after.most_kernel_bytes, std::uint64_t{32} << 20);
  EXPECT_EQ(after.plans, 0U);
}

}  // namespace
}  // namespace loci::eager
