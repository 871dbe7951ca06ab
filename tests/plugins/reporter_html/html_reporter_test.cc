#include "plugins/reporter_html/html_reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "framework/profiler/profile.h"
#include "tests/plugins/reporter_html/sample_profile.h"
#include "tests/support/recording_builder.h"
#include "tests/support/reporter_driver.h"

namespace loci::testing {
namespace {

using nlohmann::json;
using report::HtmlReporter;
using test_support::RecordingBuilder;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

// Returns the text of the element with the data.
std::string data_text(const profiler::Profile& profile, const ReportOptions& options = {}) {
  const std::string page = report_of<HtmlReporter>(profile.abi(), options);
  const std::string open = R"(<script type="application/json" id="data">)";
  const std::size_t begin = page.find(open) + open.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

TEST(HtmlReporterTest, DataIsJsonOfTheProfile) {
  const profiler::Profile profile = sample_profile(500);
  const json data = json::parse(data_text(profile));
  EXPECT_EQ(data["session"]["program"], "digits");
  EXPECT_EQ(data["spans"]["count"], profile.abi().span_count);
  EXPECT_EQ(data["work"]["count"], profile.abi().device_span_count);
  EXPECT_EQ(data["memory"]["count"], profile.abi().memory_event_count);
  EXPECT_EQ(data["nodes"].size(), profile.abi().node_count);
  EXPECT_EQ(data["copies"].size(), profile.abi().copy_count);
  EXPECT_EQ(data["shown_until_ns"], profile.abi().wall_ns);
  EXPECT_FALSE(data["advice"].empty());
}

TEST(HtmlReporterTest, NamesCannotEndTheData) {
  RecordingBuilder builder;
  builder.op("</script><script>alert(1)</script>", "<!--\xff", 0, 5);
  const std::string text = data_text(profiler::Profile(builder.build()));
  EXPECT_THAT(text, Not(HasSubstr("<")));
  const json data = json::parse(text);
  EXPECT_EQ(data["labels"][0][1], "</script><script>alert(1)</script>");
  EXPECT_EQ(data["labels"][0][2], "<!--\uFFFD");
}

TEST(HtmlReporterTest, EventsBeyondTheLimitAreLeftOutNotTheirSums) {
  const profiler::Profile profile = sample_profile(2000);
  const json data = json::parse(data_text(profile, {{"max_events", "300"}}));
  const auto count = [&](const char* part) { return data[part]["count"].get<std::uint64_t>(); };
  EXPECT_LE(count("spans") + count("work") + count("memory"), 300U);
  EXPECT_GT(count("spans") + count("work") + count("memory"), 250U);
  EXPECT_LT(data["shown_until_ns"], profile.abi().wall_ns);
  EXPECT_EQ(data["nodes"].size(), profile.abi().node_count);
}

TEST(HtmlReporterTest, QualityMayBeLeftOut) {
  const profiler::Profile profile = sample_profile(200);
  EXPECT_EQ(json::parse(data_text(profile))["quality"]["clock"], "tsc");
  EXPECT_FALSE(json::parse(data_text(profile, {{"quality", "off"}})).contains("quality"));
}

TEST(HtmlReporterTest, SizeOfManyEventsIsWithinBounds) {
  const profiler::Profile profile = sample_profile(100'000);
  EXPECT_LE(report_of<HtmlReporter>(profile.abi()).size(), 5'000'000U);
}

TEST(HtmlReporterTest, WrongLimitIsNamed) {
  for (const char* bad : {"0", "-5", "many", "1e5"}) {
    EXPECT_THAT(
        [&] {
          data_text(profiler::Profile{profiler::Recording{}}, {{"max_events", bad}});
        },
        ThrowsMessage<sdk::Error>(
            HasSubstr("html takes for 'max_events' an integer from 1 to 100000000, not '")));
  }
}

}  // namespace
}  // namespace loci::testing
