#include "plugins/sim/graph_table.h"

#include "tests/plugins/sim/sim_rig.h"

namespace loci::sim {
namespace {

using ::testing::HasSubstr;

TEST(SimGraphTableTest, IsBehindAHandleUnlessItIsSwitchedOff) {
  Rig rig;
  Stream stream(rig.device);
  EXPECT_EQ(rig.device.native_handle(nullptr, "sim.graphs"), &graph_driver());
  EXPECT_EQ(rig.device.native_handle(&stream, "sim.stream"), &stream);
  Rig without("graphs=0");
  EXPECT_EQ(without.device.native_handle(nullptr, "sim.graphs"), nullptr);
}

TEST(SimGraphTableTest, TellsFailuresByCodeAndMessage) {
  Rig rig;
  Stream stream(rig.device);
  const GraphDriver& driver = graph_driver();
  DriverGraph* graph = nullptr;
  EXPECT_EQ(driver.end(&stream, &graph), LOCI_CODE_INVALID_ARGUMENT);
  EXPECT_THAT(driver.message(), HasSubstr("records nothing"));
  EXPECT_EQ(driver.begin(&stream), 0);
  EXPECT_EQ(driver.status(&stream), DriverCapture::kActive);
  EXPECT_EQ(driver.end(&stream, &graph), 0);
  EXPECT_EQ(driver.node_count(graph), 0U);
  DriverExec* exec = nullptr;
  EXPECT_EQ(driver.instantiate(graph, &exec), 0);
  driver.destroy_graph(graph);
  const DriverLaunch launch;
  EXPECT_EQ(driver.launch(exec, &stream, &launch), 0);
  driver.destroy_exec(exec);
  stream.synchronize();
}

}  // namespace
}  // namespace loci::sim
