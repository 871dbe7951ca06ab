#include "tools/loci/probe/environment_digest.h"

#include <gtest/gtest.h>

#include <vector>

namespace loci::runner {
namespace {

std::uint64_t digest(std::vector<const char*> entries) {
  entries.push_back(nullptr);
  return environment_digest(entries.data());
}

// The published values of FNV-1a.
TEST(EnvironmentDigestTest, HashesAsPublished) {
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325U);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8U);
}

TEST(EnvironmentDigestTest, TakesWhatPluginsMayActOn) {
  for (const char* entry : {"LOCI_SIM=oom", "LD_LIBRARY_PATH=/x", "CUDA_VISIBLE_DEVICES=1"}) {
    EXPECT_NE(digest({entry}), digest({})) << entry;
  }
  EXPECT_NE(digest({"LOCI_SIM=a"}), digest({"LOCI_SIM=b"}));
}

TEST(EnvironmentDigestTest, LeavesTheRest) {
  for (const char* entry : {"PATH=/x", "LOCI_LOG=debug", "LOCI_PLUGIN_PATH=/x", "MY_LOCI_SIM=1"}) {
    EXPECT_EQ(digest({entry}), digest({})) << entry;
  }
  EXPECT_EQ(digest({"LOCI_A=1", "LOCI_B=2"}), digest({"LOCI_B=2", "HOME=/", "LOCI_A=1"}));
}

}  // namespace
}  // namespace loci::runner
