#include "framework/execution/core_forks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

#include "framework/core/config.h"

namespace loci::execution {
namespace {

using ::testing::HasSubstr;

TEST(CoreForksTest, ThePolicyIsThatOfTheConfiguration) {
  EXPECT_EQ(core_forks_policy(), CoreForksPolicy::kMeasured);
  core::set_config_value("CORE_FORKS", "0");
  EXPECT_EQ(core_forks_policy(), CoreForksPolicy::kOff);
  core::set_config_value("CORE_FORKS", "2");
  EXPECT_EQ(core_forks_policy(), CoreForksPolicy::kAlways);
  core::set_config_value("CORE_FORKS", "");
  EXPECT_EQ(core_forks_policy(), CoreForksPolicy::kMeasured);
}

TEST(CoreForksTest, AnotherIsRefused) {
  EXPECT_THAT([] { core::set_config_value("CORE_FORKS", "3"); },
              ::testing::ThrowsMessage<Error>(HasSubstr("CORE_FORKS")));
  EXPECT_EQ(core_forks_policy(), CoreForksPolicy::kMeasured);
}

}  // namespace
}  // namespace loci::execution
