#include "framework/planning/known_kernels.h"

#include "framework/plugin/plugin_manager.h"
#include "tests/framework/executor/programs_fixture.h"

namespace loci::planning {
namespace {

using KnownKernelsTest = executor::ProgramsTest;

TEST_F(KnownKernelsTest, AsksThePlaceOfTheGuard) {
  KnownKernels kernels("toy");
  EXPECT_TRUE(kernels.has("relu", kFloat32, "cpu"));
  EXPECT_TRUE(kernels.has("softmax", kFloat32, "cpu"));
  EXPECT_FALSE(kernels.has("softmax", kFloat32, ""));
  EXPECT_FALSE(kernels.has("relu", kInt32, "toy:0"));
  EXPECT_EQ(kernels.has("relu", kFloat32, ""), kernels.has("relu", kFloat32, "toy:0"));
  EXPECT_FALSE(kernels.has_changed());
}

TEST_F(KnownKernelsTest, APlaceThatIsGoneHasChanged) {
  const ContextGuard apart{Context()};
  plugins::SearchOptions options;
  options.directories = {test::plugin_directory(), test::build_path("lib/loci/toy_plugin")};
  plugins::configure(options);
  KnownKernels kernels("cpu");
  EXPECT_TRUE(kernels.has("relu", kFloat32, "toy"));
  EXPECT_FALSE(kernels.has_changed());
  plugin::PluginManager::instance().unload("org.loci.test.toy");
  EXPECT_TRUE(kernels.has_changed());
}

}  // namespace
}  // namespace loci::planning
