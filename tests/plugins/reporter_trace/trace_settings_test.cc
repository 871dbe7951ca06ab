#include "plugins/reporter_trace/trace_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/reporter_driver.h"

namespace loci::testing {
namespace {

using report::parse_trace_settings;
using report::TraceSettings;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TraceSettings parse(const ReportOptions& options) {
  const std::vector<loci_kv> entries = to_entries(options);
  return parse_trace_settings(sdk::ReporterOptions("trace", entries.data(), entries.size()));
}

TEST(TraceSettingsTest, DefaultsAreTheWholeSession) {
  const TraceSettings settings = parse({});
  EXPECT_FALSE(settings.steps.has_value());
  EXPECT_EQ(settings.max_bytes, 200'000'000U);
  EXPECT_FALSE(settings.gzip);
  EXPECT_TRUE(settings.shows_quality);
}

TEST(TraceSettingsTest, ReadsAllOptions) {
  const TraceSettings settings =
      parse({{"steps", "3-5"}, {"max_mb", "7"}, {"gzip", "on"}, {"quality", "off"}});
  EXPECT_EQ(settings.steps->first, 3U);
  EXPECT_EQ(settings.steps->last, 5U);
  EXPECT_EQ(settings.max_bytes, 7'000'000U);
  EXPECT_TRUE(settings.gzip);
  EXPECT_FALSE(settings.shows_quality);
  EXPECT_EQ(parse({{"steps", "4"}}).steps->last, 4U);
}

TEST(TraceSettingsTest, RefusesWhatIsNoRange) {
  for (const char* bad :
       {"5-3", "-", "3-", "-3", "a-b", "1-2-3", "3 - 5", "99999999999999999999"}) {
    EXPECT_THAT(
        [&] {
          parse({{"steps", bad}});
        },
        ThrowsMessage<sdk::Error>(HasSubstr(
            "trace takes for 'steps' a step or two with a dash between, as 3 or 3-5, not '")))
        << bad;
  }
}

TEST(TraceSettingsTest, RefusesWhatIsNoSize) {
  for (const char* bad : {"0", "-1", "1.5", "big", "1000001"}) {
    EXPECT_THAT(
        [&] {
          parse({{"max_mb", bad}});
        },
        ThrowsMessage<sdk::Error>(HasSubstr("an integer from 1 to 1000000, not '")))
        << bad;
  }
}

}  // namespace
}  // namespace loci::testing
