#include "framework/plugin/declared.h"

#include <gtest/gtest.h>

namespace loci::plugin {
namespace {

Record record_of(const std::string& kind) {
  Record record;
  record.report.stage = plugins::Stage::kManifestOk;
  record.report.id = "org.loci.test.one";
  record.manifest.kinds = {kind};
  record.manifest.device_types = {"npu"};
  record.manifest.reporters = {"table"};
  return record;
}

TEST(DeclaredTest, GoesByKindAndDeviceType) {
  EXPECT_TRUE(is_backend_for(record_of("backend"), "npu"));
  EXPECT_FALSE(is_backend_for(record_of("backend"), "cpu"));
  EXPECT_FALSE(is_backend_for(record_of("capture"), "npu"));
  EXPECT_TRUE(is_capturer_for(record_of("capture"), "npu"));
  EXPECT_FALSE(is_capturer_for(record_of("capture"), "cpu"));
  EXPECT_FALSE(is_capturer_for(record_of("backend"), "npu"));
  EXPECT_TRUE(brings_ops(record_of("ops")));
  EXPECT_FALSE(brings_ops(record_of("reporter")));
  EXPECT_TRUE(brings_reporter(record_of("reporter"), "table"));
  EXPECT_FALSE(brings_reporter(record_of("reporter"), "chart"));
  EXPECT_FALSE(brings_reporter(record_of("ops"), "table"));
}

TEST(DeclaredTest, WithoutAManifestItIsNothing) {
  Record record = record_of("backend");
  record.report.stage = plugins::Stage::kDiscovered;
  EXPECT_FALSE(is_backend_for(record, "npu"));
}

TEST(DeclaredTest, TellsWhyItIsNotThere) {
  Record record = record_of("backend");
  EXPECT_EQ(reason_against(record), "");
  record.report.unavailable = "no such card";
  EXPECT_EQ(reason_against(record), "no such card");
  record.report.failed = true;
  record.report.cause = "it is cut short";
  record.report.remedy = "build it again";
  EXPECT_EQ(reason_against(record),
            "got no further than MANIFEST_OK: it is cut short; build it again");
  record.report.disabled = true;
  EXPECT_EQ(reason_against(record), "org.loci.test.one is disabled");
}

}  // namespace
}  // namespace loci::plugin
