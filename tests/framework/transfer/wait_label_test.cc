#include "framework/transfer/wait_label.h"

#include <gtest/gtest.h>

#include "framework/profiler/collector.h"
#include "framework/profiler/label_table.h"
#include "tests/support/fake_device.h"

namespace loci::transfer {
namespace {

TEST(WaitLabelTest, NamesTheDeviceWhileOperatorsAreRecorded) {
  test::FakeBackend fake{{}};
  const device::Device device(fake.backend(), Place("fake:0"));
  EXPECT_EQ(wait_label(device), 0U);
  profiler::Collector::instance().begin({.level = profiler::Level::kOp});
  const profiler::LabelId label = wait_label(device);
  (void)profiler::Collector::instance().end();
  ASSERT_NE(label, 0U);
  EXPECT_EQ(profiler::LabelTable::instance().at(label).name, "synchronize");
  EXPECT_EQ(profiler::LabelTable::instance().at(label).place, "fake:0");
}

}  // namespace
}  // namespace loci::transfer
