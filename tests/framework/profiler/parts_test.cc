#include "framework/profiler/parts.h"

#include <gtest/gtest.h>

namespace loci::profiler {
namespace {

Label at(Part part) { return LabelTable::instance().at(label_of(part)); }

TEST(PartsTest, HaveFixedNames) {
  EXPECT_EQ(at(Part::kRun), (Label{.kind = LOCI_SPAN_RUN, .name = "run"}));
  EXPECT_EQ(at(Part::kFeed).name, "feed");
  EXPECT_EQ(at(Part::kFetch).name, "fetch");
  EXPECT_EQ(at(Part::kInitVariables).name, "init_variables");
  EXPECT_EQ(at(Part::kEagerRelease).name, "eager_release");
  EXPECT_EQ(at(Part::kCompilePlan).name, "compile_plan");
  EXPECT_EQ(at(Part::kLoadPlugin), (Label{.kind = LOCI_SPAN_FRAMEWORK, .name = "load_plugin"}));
  EXPECT_EQ(at(Part::kCaptureGraph).name, "capture_graph");
  EXPECT_EQ(at(Part::kInstantiateGraph).name, "instantiate_graph");
  EXPECT_EQ(at(Part::kReplayGraph).name, "replay_graph");
  EXPECT_EQ(at(Part::kPrepareData), (Label{.kind = LOCI_SPAN_PHASE, .name = "prepare_data"}));
  EXPECT_EQ(at(Part::kInferShape).name, "infer_shape");
  EXPECT_EQ(at(Part::kCompute), (Label{.kind = LOCI_SPAN_PHASE, .name = "compute"}));
}

}  // namespace
}  // namespace loci::profiler
