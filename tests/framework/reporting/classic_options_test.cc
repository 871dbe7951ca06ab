#include "framework/reporting/classic_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace loci::reporting {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

std::vector<std::pair<std::string, std::string>> options_of(const ProfilerOptions& options,
                                                            const std::string& reporter) {
  ReportRequest request = parse_request(reporter);
  add_classic_options(options.values(), request);
  return request.options;
}

TEST(ClassicOptionsTest, AreWhatTheSessionIsTold) {
  EXPECT_THAT(options_of(ProfilerOptions().state("cpu").tracer_option("op-detail"), "classic"),
              ElementsAre(Pair("state", "CPU"), Pair("tracer_option", "OpDetail")));
  EXPECT_THAT(options_of(ProfilerOptions().sorted_key("Max"), "classic=1.8=out.txt"),
              ElementsAre(Pair("sorted_key", "max")));
  EXPECT_THAT(options_of(ProfilerOptions(), "classic"), IsEmpty());
}

TEST(ClassicOptionsTest, TheRequestGoesBeforeTheSession) {
  EXPECT_THAT(options_of(ProfilerOptions().state("CPU").sorted_key("max"), "classic:state=gpu"),
              ElementsAre(Pair("state", "gpu"), Pair("sorted_key", "max")));
}

TEST(ClassicOptionsTest, NoOtherReportGetsThem) {
  EXPECT_THAT(options_of(ProfilerOptions().state("CPU").sorted_key("max"), "summary"), IsEmpty());
}

}  // namespace
}  // namespace loci::reporting
