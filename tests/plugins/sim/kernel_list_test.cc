#include "plugins/sim/kernel_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/plugin/error.hpp>
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
  EXPECT_THAT(missing, ::testing::UnorderedElementsAreArray(absent_ops()));
}

TEST(KernelListTest, OthersCanBeLeftOut) {
  const std::set<std::string_view> here = ops_of(sim_kernels("softmax+layer_norm"));
  EXPECT_EQ(here.count("softmax"), 0U);
  EXPECT_EQ(here.count("layer_norm"), 0U);
  EXPECT_EQ(here.count("log_softmax"), 1U);
  try {
    (void)sim_kernels("softmax+nonzero");
    ADD_FAILURE() << "nonzero has no kernel";
  } catch (const sdk::Error& error) {
    EXPECT_STREQ(error.what(),
                 "[sim] LOCI_SIM: without names 'nonzero', of which there is no kernel; give names "
                 "of ops with + between them");
  }
}

}  // namespace
}  // namespace loci::sim
