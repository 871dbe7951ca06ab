#include "framework/plugin/declared.h"

#include <gtest/gtest.h>

#include "framework/device/backend_tables.h"
#include "framework/device_graph/capturer_library.h"
#include "framework/ops/op_library.h"
#include "framework/reporting/reporter_library.h"

namespace loci::plugin {
namespace {

using device::kBackendKind;
using device_graph::kCaptureKind;
using ops::kOpsKind;
using reporting::kReporterKind;

Record record_of(const std::string& kind) {
  Record record;
  record.report.stage = plugins::Stage::kManifestOk;
  record.report.id = "org.loci.test.one";
  record.manifest.kinds = {kind};
  record.manifest.lists["device_types"] = {"npu"};
  record.manifest.lists["reporters"] = {"table"};
  return record;
}

TEST(DeclaredTest, GoesByKindAndDeviceType) {
  EXPECT_TRUE(declares(record_of("backend"), kBackendKind, "npu"));
  EXPECT_FALSE(declares(record_of("backend"), kBackendKind, "cpu"));
  EXPECT_FALSE(declares(record_of("capture"), kBackendKind, "npu"));
  EXPECT_TRUE(declares(record_of("capture"), kCaptureKind, "npu"));
  EXPECT_FALSE(declares(record_of("capture"), kCaptureKind, "cpu"));
  EXPECT_FALSE(declares(record_of("backend"), kCaptureKind, "npu"));
  EXPECT_TRUE(declares(record_of("ops"), kOpsKind));
  EXPECT_FALSE(declares(record_of("reporter"), kOpsKind));
  EXPECT_TRUE(declares(record_of("reporter"), kReporterKind, "table"));
  EXPECT_FALSE(declares(record_of("reporter"), kReporterKind, "chart"));
  EXPECT_FALSE(declares(record_of("ops"), kReporterKind, "table"));
}

TEST(DeclaredTest, WithoutAManifestItIsNothing) {
  Record record = record_of("backend");
  record.report.stage = plugins::Stage::kDiscovered;
  EXPECT_FALSE(declares(record, kBackendKind, "npu"));
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
