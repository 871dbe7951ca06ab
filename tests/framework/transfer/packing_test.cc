#include "framework/transfer/packing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/dlpack.hpp>
#include <vector>

#include "framework/device/backend_tables.h"
#include "framework/device/device_manager.h"
#include "framework/plugin/layout_table.h"
#include "framework/plugin/plugin_manager.h"
#include "framework/tensor/tensor_impl.h"
#include "framework/transfer/transfer.h"
#include "tests/support/plugin_setup.h"

namespace loci::transfer {
namespace {

using ::testing::ElementsAre;

// The toy's layout has half of each element.
class PackingTest : public ::testing::Test {
 protected:
  PackingTest() {
    test::use_test_plugins("lib/loci/toy_plugin");
    packing_.device = &device::DeviceManager::instance().get("toy:0");
    packing_.library = device::kernel_libraries(plugin::PluginManager::instance(), "toy").front();
    packing_.layout = plugin::intern_layout("org.loci.test.toy", "halves", 12);
    packing_.variable = "w";
    packing_.consumer = "mul_0";
    constant_ = Tensor::from<float>({2, 4, 6}, {3}).to("toy:0");
    constant_.impl()->storage()->uses.wait();
    clear_rows();
  }

  std::vector<float> elements(const tensor::PackedForm& form) {
    std::vector<float> host(3);
    copy({packing_.device, form.buffer.data()}, {nullptr, host.data()}, 12, {},
         packing_.device->default_stream(), /*wait=*/true);
    return host;
  }
  static std::size_t packs() {
    std::size_t count = 0;
    for (const Row& row : rows()) count += row.labels.reason == Reason::kPack ? 1 : 0;
    return count;
  }

  Packing packing_;
  Tensor constant_;
};

TEST_F(PackingTest, PacksOnceAndSaysSo) {
  const Totals before = totals();
  const auto form = packed(constant_, packing_);
  EXPECT_EQ(packed(constant_, packing_), form);
  EXPECT_THAT(elements(*form), ElementsAre(1, 2, 3));
  ASSERT_EQ(packs(), 1U);
  for (const Row& row : rows()) {
    if (row.labels.reason != Reason::kPack) continue;
    EXPECT_STREQ(row.labels.variable, "w");
    EXPECT_STREQ(row.labels.consumer, "mul_0");
    EXPECT_EQ(row.from, Place("toy:0"));
    EXPECT_EQ(row.to, Place("toy:0"));
    EXPECT_EQ(row.bytes, 12U);
  }
  EXPECT_EQ(totals().local_copies, before.local_copies + 1);
}

TEST_F(PackingTest, PacksAgainAfterAChangeInPlace) {
  const auto form = packed(constant_, packing_);
  EXPECT_TRUE(tensor::is_current(*form, *constant_.impl()->storage()));
  constant_.copy_(Tensor::from<float>({20, 40, 60}, {3}).to("toy:0"));
  EXPECT_FALSE(tensor::is_current(*form, *constant_.impl()->storage()));
  EXPECT_THAT(elements(*packed(constant_, packing_)), ElementsAre(10, 20, 30));
  EXPECT_THAT(elements(*form), ElementsAre(1, 2, 3));
  EXPECT_EQ(packs(), 2U);
}

TEST_F(PackingTest, WhoeverHasTheAddressMayChangeItUnseen) {
  const auto form = packed(constant_, packing_);
  (void)constant_.read_data();
  EXPECT_TRUE(tensor::is_current(*form, *constant_.impl()->storage()));
  (void)constant_.raw_data();
  EXPECT_FALSE(tensor::is_current(*form, *constant_.impl()->storage()));
  EXPECT_NE(packed(constant_, packing_), packed(constant_, packing_));
}

TEST_F(PackingTest, WhatAnotherLibraryHasMayChangeUnseen) {
  const Tensor shared = Tensor::from<float>({1}, {1});
  EXPECT_FALSE(shared.impl()->storage()->is_exposed);
  DLManagedTensorVersioned* managed = to_dlpack(shared);
  EXPECT_TRUE(shared.impl()->storage()->is_exposed);
  EXPECT_TRUE(from_dlpack(managed).impl()->storage()->is_exposed);
}

// Each view has packed forms of its own.
TEST_F(PackingTest, AViewIsPackedByItself) {
  const Tensor rows = Tensor::from<float>({2, 4, 6, 8, 10, 12}, {2, 3}).to("toy:0");
  rows.impl()->storage()->uses.wait();
  EXPECT_THAT(elements(*packed(rows[0], packing_)), ElementsAre(1, 2, 3));
  EXPECT_THAT(elements(*packed(rows[1], packing_)), ElementsAre(4, 5, 6));
  EXPECT_EQ(packs(), 2U);
}

}  // namespace
}  // namespace loci::transfer
