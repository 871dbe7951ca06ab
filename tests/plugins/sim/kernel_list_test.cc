#include "plugins/sim/kernel_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace loci::sim {
namespace {

std::set<std::string_view> ops_of(const kernels::KernelDefs& kernels) {
  std::set<std::string_view> ops;
  for (const sdk::KernelDef& kernel : kernels) ops.insert(kernel.op);
  return ops;
}

TEST(KernelListTest, AllPortableKernelsButThoseLeftOut) {
  const std::set<std::string_view> here = ops_of(sim_kernels());
  std::set<std::string_view> missing;
  for (const std::string_view op : ops_of(kernels::portable_kernels())) {
    if (here.count(op) == 0) missing.insert(op);
  }
  EXPECT_THAT(missing, ::testing::UnorderedElementsAreArray(kAbsentOps));
}

}  // namespace
}  // namespace loci::sim
