#include "tools/loci/devices/device_survey.h"

#include <gtest/gtest.h>

#include <boost/program_options.hpp>

namespace loci::runner {
namespace {

using std::chrono::seconds;

SurveyOptions options_of(const std::vector<std::string>& words) {
  po::options_description options;
  declare_probe_options(options);
  po::variables_map values;
  po::store(po::command_line_parser(words).options(options).run(), values);
  return survey_options(values);
}

TEST(DeviceSurveyTest, GivesADriverTimeToStart) {
  EXPECT_EQ(options_of({}).limit, seconds(30));
  EXPECT_EQ(options_of({"--probe-timeout", "2"}).limit, seconds(2));
}

}  // namespace
}  // namespace loci::runner
