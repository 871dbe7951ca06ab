#include "tools/cuda_double/driver/visible_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci::cuda_double {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(VisibleDevicesTest, AllUnlessItIsSet) {
  EXPECT_THAT(visible_devices(3, nullptr), ElementsAre(0, 1, 2));
}

TEST(VisibleDevicesTest, AreInTheOrderOfTheList) {
  EXPECT_THAT(visible_devices(3, "2"), ElementsAre(2));
  EXPECT_THAT(visible_devices(3, "2, 0"), ElementsAre(2, 0));
}

TEST(VisibleDevicesTest, AnEntryThatIsNoneEndsTheList) {
  EXPECT_THAT(visible_devices(3, ""), IsEmpty());
  EXPECT_THAT(visible_devices(3, "-1"), IsEmpty());
  EXPECT_THAT(visible_devices(3, "none"), IsEmpty());
  EXPECT_THAT(visible_devices(3, "1,7,0"), ElementsAre(1));
  EXPECT_THAT(visible_devices(3, "1,,0"), ElementsAre(1));
  EXPECT_THAT(visible_devices(3, "0x1,0"), IsEmpty());
}

TEST(VisibleDevicesTest, OneThatComesTwiceHidesAll) {
  EXPECT_THAT(visible_devices(3, "1,0,1"), IsEmpty());
}

}  // namespace
}  // namespace loci::cuda_double
