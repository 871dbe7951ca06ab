#include "framework/profiler/stat_names.h"

#include <gtest/gtest.h>

namespace loci::profiler {
namespace {

TEST(StatNamesTest, ANameHasOneNumberForGood) {
  const StatId load = stat_id("names: load");
  const StatId store = stat_id("names: store");
  EXPECT_NE(load, store);
  EXPECT_EQ(stat_id("names: load"), load);
  const std::string& name = stat_name(load);
  EXPECT_EQ(name, "names: load");
  for (int i = 0; i < 1000; ++i) stat_id("names: " + std::to_string(i));
  EXPECT_EQ(&stat_name(load), &name);
}

}  // namespace
}  // namespace loci::profiler
