#include "plugins/sim/time_model.h"

#include <gtest/gtest.h>

namespace loci::sim {
namespace {

TEST(TimeModelTest, CostsNothingUnlessDescribed) {
  const TimeModel model{Settings()};
  EXPECT_EQ(model.copy(Route::kToDevice, 1 << 30).count(), 0);
  EXPECT_EQ(model.launch(1e12).count(), 0);
}

TEST(TimeModelTest, CopiesTakeLatencyAndBytesOverBandwidth) {
  Settings settings;
  settings.copy_latency_us = 5;
  settings.h2d_gbps = 10;
  settings.d2h_gbps = 5;
  settings.peer_gbps = 50;
  settings.local_gbps = 1000;
  const TimeModel model(settings);
  EXPECT_EQ(model.copy(Route::kToDevice, 1000000).count(), 5000 + 100000);
  EXPECT_EQ(model.copy(Route::kToHost, 1000000).count(), 5000 + 200000);
  EXPECT_EQ(model.copy(Route::kPeer, 1000000).count(), 5000 + 20000);
  EXPECT_EQ(model.copy(Route::kLocal, 1000000).count(), 5000 + 1000);
}

TEST(TimeModelTest, LaunchesTakeLatencyAndFlops) {
  Settings settings;
  settings.launch_us = 3;
  settings.gflops = 2;
  EXPECT_EQ(TimeModel(settings).launch(1000).count(), 3000 + 500);
}

TEST(TimeModelTest, TimeHasAnEnd) {
  Settings settings;
  settings.gflops = 1e-300;
  EXPECT_EQ(TimeModel(settings).launch(1e300).count(), 1000000000000000000);
}

}  // namespace
}  // namespace loci::sim
