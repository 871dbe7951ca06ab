#include "plugins/reporter_classic/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/reporter_driver.h"

namespace loci::classic {
namespace {

using ::testing::HasSubstr;
using testing::ReportOptions;
using ::testing::ThrowsMessage;

Settings settings_of(const ReportOptions& options) {
  const std::vector<loci_kv> entries = testing::to_entries(options);
  return read_settings(sdk::ReporterOptions("classic", entries.data(), entries.size()));
}

TEST(ClassicSettingsTest, HaveADefaultEach) {
  const Settings settings = settings_of({});
  EXPECT_EQ(settings.state, State::kAll);
  EXPECT_EQ(settings.tracer_option, TracerOption::kDefault);
  EXPECT_EQ(settings.sorted_key, SortedKey::kDefault);
  EXPECT_EQ(settings.form, Form::k2x);
  EXPECT_TRUE(settings.quality);
}

TEST(ClassicSettingsTest, AreWhatTheUserSays) {
  const Settings settings =
      settings_of({{"state", "GPU"}, {"tracer_option", "OpDetail"}, {"sorted_key", "min"}});
  EXPECT_EQ(settings.state, State::kGpu);
  EXPECT_EQ(settings.tracer_option, TracerOption::kOpDetail);
  EXPECT_EQ(settings.sorted_key, SortedKey::kMin);
}

TEST(ClassicSettingsTest, TakesTheSpellingOfTheRunnersFlags) {
  const Settings settings = settings_of({{"state", "cpu"}, {"tracer_option", "all-op-detail"}});
  EXPECT_EQ(settings.state, State::kCpu);
  EXPECT_EQ(settings.tracer_option, TracerOption::kAllOpDetail);
}

TEST(ClassicSettingsTest, MemoryGoesByFormUnlessItIsSaid) {
  EXPECT_TRUE(settings_of({}).memory);
  EXPECT_FALSE(settings_of({{"form", "1.8"}}).memory);
  EXPECT_TRUE(settings_of({{"form", "1.8"}, {"memory", "on"}}).memory);
  EXPECT_FALSE(settings_of({{"form", "2.x"}, {"memory", "off"}}).memory);
}

TEST(ClassicSettingsTest, UnknownOptionsAndValuesAreErrorsThatListWhatThereIs) {
  EXPECT_THAT(
      [] {
        settings_of({{"depth", "2"}});
      },
      ThrowsMessage<sdk::Error>(HasSubstr("has no option 'depth'; there are: form, quality, "
                                          "state, tracer_option, sorted_key, memory")));
  EXPECT_THAT(
      [] {
        settings_of({{"form", "3"}});
      },
      ThrowsMessage<sdk::Error>(HasSubstr("takes for 'form' one of 2.x, 1.8, not '3'")));
  EXPECT_THAT(
      [] {
        settings_of({{"state", "TPU"}});
      },
      ThrowsMessage<sdk::Error>(HasSubstr("'state' one of All, CPU, GPU, all")));
  EXPECT_THAT(
      [] {
        settings_of({{"tracer_option", "All"}});
      },
      ThrowsMessage<sdk::Error>(HasSubstr("'tracer_option' one of Default, OpDetail")));
  EXPECT_THAT(
      [] {
        settings_of({{"sorted_key", "avg"}});
      },
      ThrowsMessage<sdk::Error>(HasSubstr("calls, total, max, min, ave, not 'avg'")));
}

}  // namespace
}  // namespace loci::classic
