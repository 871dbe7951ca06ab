#include "framework/ops/plugin_op.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "framework/plugin/plugin_manager.h"

namespace loci::ops {
namespace {

using ::testing::ElementsAre;

TEST(PluginOpTest, NoPluginBringsNoOps) {
  plugin::PluginManager manager{std::string()};
  OpRegistry registry;
  add_plugin_ops(registry, manager);
  EXPECT_THAT(registry.names(), ElementsAre());
}

}  // namespace
}  // namespace loci::ops
