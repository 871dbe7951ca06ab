#include "tools/loci/profile/diff_json.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/tools/loci/sample_diff.h"
#include "tools/loci/output.h"

namespace loci::runner {
namespace {

using nlohmann::json;
using runner_test::slice_to_crop;

TEST(DiffJsonTest, HoldsTheWholeComparison) {
  const json diff = diff_json(slice_to_crop());
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
  EXPECT_TRUE(diff["notes"].is_array());
  EXPECT_TRUE(diff["notes"].empty());
}

TEST(DiffJsonTest, MembersComeInTheirOrder) {
  const nlohmann::ordered_json diff = diff_json(slice_to_crop());
  std::vector<std::string> names;
  for (const auto& [name, value] : diff.items()) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"step", "rows", "transfers", "waited_transfers",
                                             "other_transfers", "notes"}));
}

TEST(DiffJsonTest, InfiniteChangeIsNull) {
  profiling::ProfileDiff diff;
  diff.step.percent = std::numeric_limits<double>::infinity();
  diff.step.significance = profiling::Significance::kUnknown;
  const json shown = diff_json(diff);
  EXPECT_TRUE(shown["step"]["percent"].is_null());
  EXPECT_EQ(shown["step"]["significance"], "unknown");
}

TEST(DiffJsonTest, NamesThatAreNoTextAreReplaced) {
  profiling::ProfileDiff diff;
  diff.rows = {
      runner_test::row(profiling::DiffRow::Kind::kOnlyA, {{LOCI_SPAN_OP, "m", "\xff\"\n"}}, 10, 0)};
  ::testing::internal::CaptureStdout();
  print_json(diff_json(diff));
  const json shown = json::parse(::testing::internal::GetCapturedStdout());
  EXPECT_EQ(shown["rows"][0]["path"][0]["instance"], "\xEF\xBF\xBD\"\n");
}

TEST(DiffJsonTest, NotesAreSentences) {
  profiling::ProfileDiff diff = slice_to_crop();
  diff.b.build = "other";
  const json shown = diff_json(diff);
  EXPECT_EQ(shown["notes"], json({"the builds differ: 'test' in A, 'other' in B"}));
}

}  // namespace
}  // namespace loci::runner
