#include "tools/loci/plugins/candidate_report.h"

#include <gtest/gtest.h>

namespace loci::runner {
namespace {

plugins::Candidate candidate_of_kind(const std::string& kind) {
  plugins::Candidate candidate;
  candidate.path = "/plugins/a.so";
  candidate.id = "org.example.a";
  candidate.version = "1.2.3";
  candidate.kinds = {kind};
  candidate.stage = plugins::Stage::kManifestOk;
  return candidate;
}

TEST(CandidateReportTest, ListsAKindThatItDoesNotKnow) {
  EXPECT_EQ(candidate_text(candidate_of_kind("greeter"), {}),
            "org.example.a 1.2.3: MANIFEST_OK\n"
            "  file    /plugins/a.so\n"
            "  kinds   greeter\n");
}

TEST(CandidateReportTest, SaysWhatDeviceTypesAreFor) {
  plugins::Candidate candidate = candidate_of_kind("backend");
  candidate.device_types = {"npu"};
  EXPECT_NE(candidate_text(candidate, {}).find("\n  devices npu\n"), std::string::npos);
  candidate.kinds = {"capture"};
  EXPECT_NE(candidate_text(candidate, {}).find("\n  graphs  of npu\n"), std::string::npos);
}

}  // namespace
}  // namespace loci::runner
