#include "framework/run/wait_label.h"

#include "framework/profiler/collector.h"
#include "framework/profiler/label_table.h"
#include "tests/framework/executor/runtime_fixture.h"

namespace loci::runtime {
namespace {

class WaitLabelTest : public RuntimeTest {};

TEST_F(WaitLabelTest, NamesTheDeviceWhileOperatorsAreRecorded) {
  EXPECT_EQ(wait_label(device_at("toy:0")), 0U);
  profiler::Collector::instance().begin({.level = profiler::Level::kOp});
  const profiler::LabelId label = wait_label(device_at("toy:0"));
  (void)profiler::Collector::instance().end();
  ASSERT_NE(label, 0U);
  EXPECT_EQ(profiler::LabelTable::instance().at(label).name, "synchronize");
  EXPECT_EQ(profiler::LabelTable::instance().at(label).place, "toy:0");
}

}  // namespace
}  // namespace loci::runtime
