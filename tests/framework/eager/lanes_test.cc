#include "framework/eager/lanes.h"

#include "framework/eager/placing.h"
#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

class LanesTest : public EagerTest {};

TEST_F(LanesTest, ALeasedLaneServesAgain) {
  Lanes& lanes = Lanes::instance();
  const Lane* first = lanes.lease(host_device()).get();
  const std::shared_ptr<Lane> again = lanes.lease(host_device());
  EXPECT_EQ(again.get(), first);
  EXPECT_NE(lanes.lease(host_device()).get(), first);
}

TEST_F(LanesTest, CopiesHaveLanesOfTheirOwn) {
  Lanes& lanes = Lanes::instance();
  device::Device& sim = *vector({1}).to("sim:0").impl()->storage()->device;
  EXPECT_NE(&lanes.copy_lane(sim, Direction::kToDevice), &lanes.default_lane(sim));
  EXPECT_NE(&lanes.copy_lane(sim, Direction::kToDevice),
            &lanes.copy_lane(sim, Direction::kFromDevice));
  EXPECT_EQ(&lanes.default_lane(sim), &lanes.default_lane(sim));
}

TEST_F(LanesTest, OfADeviceThatWasReplacedTheyGiveBackTheirStreams) {
  device::Device& lost = device_at("sim:3");
  Lanes& lanes = Lanes::instance();
  const Tensor kept = vector({1}).to("sim:3");
  (void)lanes.copy_lane(lost, Direction::kToDevice);
  (void)lanes.lease(lost);
  lose_and_reopen("sim:3");
  EXPECT_THAT([&] { (void)floats(kept + kept); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("sim:3 is lost: it fell off")));
  lose_and_reopen("sim:3");
  EXPECT_FALSE(lost.is_out_of_reach());  // a tensor has memory there
}

TEST_F(LanesTest, ADeviceThatWasReplacedIsClosedOnceNothingRefersToIt) {
  device::Device& lost = device_at("sim:3");
  (void)Lanes::instance().copy_lane(lost, Direction::kToDevice);
  (void)Lanes::instance().lease(lost);
  lose_and_reopen("sim:3");
  EXPECT_FALSE(lost.is_out_of_reach());  // somebody may still be within a call of it
  lose_and_reopen("sim:3");
  EXPECT_TRUE(lost.is_out_of_reach());
  EXPECT_THAT([&] { lost.synchronize(); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("sim:3 is lost: it fell off")));
}

}  // namespace
}  // namespace loci::eager
