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

}  // namespace
}  // namespace loci::eager
