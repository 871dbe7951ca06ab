#include "framework/profiler/profile_diff_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/framework/profiler/diff_runs.h"

namespace loci::profiler {
namespace {

using nlohmann::json;
using profiler_test::crop_run;
using profiler_test::slice_run;
using test_support::RecordingBuilder;

TEST(ProfileDiffJsonTest, HoldsTheWholeComparison) {
  const json diff =
      json::parse(diff_json(compare(Profile(slice_run().build()), Profile(crop_run().build()))));
  EXPECT_EQ(diff["step"]["delta_ns"], -300000);
  EXPECT_NEAR(diff["step"]["percent"].get<double>(), -29.9730, 1e-3);
  EXPECT_EQ(diff["step"]["significance"], "yes");
  EXPECT_EQ(diff["step"]["a"]["median_ns"], 1000900.0);
  EXPECT_EQ(diff["step"]["a"]["low_ns"], 1000200.0);
  EXPECT_EQ(diff["step"]["a"]["high_ns"], 1001600.0);
  EXPECT_EQ(diff["step"]["a"]["steps"], 10);
  std::int64_t sum = 0;
  for (const json& row : diff["rows"]) sum += row["delta_ns"].get<std::int64_t>();
  EXPECT_EQ(sum, -300000);
  const json& first = diff["rows"][0];
  EXPECT_EQ(first["kind"], "only_b");
  EXPECT_EQ(first["path"][1], (json{{"kind", "op"}, {"name", "crop"}, {"instance", "crop_0"}}));
  EXPECT_EQ(diff["rows"][1]["kind"], "idle");
  EXPECT_TRUE(diff["rows"][1]["path"].empty());
  EXPECT_EQ(diff["waited_transfers"]["a"]["calls"], 20);
  EXPECT_EQ(diff["waited_transfers"]["b"]["calls"], 0);
  EXPECT_EQ(diff["transfers"][1]["variable"], "starts");
  EXPECT_EQ(diff["transfers"][1]["host_waited"], true);
  EXPECT_EQ(diff["transfers"][1]["a"]["bytes_per_step"], 8.0);
  EXPECT_TRUE(diff["notes"].empty());
}

TEST(ProfileDiffJsonTest, InfiniteChangeIsNull) {
  RecordingBuilder a;
  a.step(0, 0);
  RecordingBuilder b;
  b.step(0, 10);
  const json diff = json::parse(diff_json(compare(Profile(a.build()), Profile(b.build()))));
  EXPECT_TRUE(diff["step"]["percent"].is_null());
  EXPECT_EQ(diff["step"]["significance"], "unknown");
}

TEST(ProfileDiffJsonTest, NamesThatAreNoTextAreReplaced) {
  RecordingBuilder a;
  a.step(0, 10).op("m", "\xff\"\n", 0, 10);
  const json diff =
      json::parse(diff_json(compare(Profile(a.build()), Profile(RecordingBuilder().build()))));
  EXPECT_EQ(diff["rows"][0]["path"][0]["instance"], "\xEF\xBF\xBD\"\n");
}

}  // namespace
}  // namespace loci::profiler
