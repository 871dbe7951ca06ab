#include "framework/eager/placing.h"

#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class PlacingTest : public EagerTest {};

TEST_F(PlacingTest, TensorsOfSeveralPlacesAreRefusedByName) {
  const Tensor x = vector({1, 2});
  x.set_name("left");
  const Tensor y = vector({1, 2}).to("sim:0");
  EXPECT_THAT([&] { x + y; },
              ThrowsMessage<Error>(AllOf(HasSubstr("x 'left' float32[2] at cpu"),
                                         HasSubstr("at sim:0"), HasSubstr("DeviceGuard"))));
  EXPECT_THAT([&] { y + y.to("sim:1"); }, ThrowsMessage<Error>(HasSubstr("at sim:1")));
}

TEST_F(PlacingTest, ANumberOnTheHostGoesWhereTheOthersAre) {
  const Tensor y = vector({1, 2}).to("sim:0") + Tensor::from<float>({10}, {1});
  EXPECT_EQ(y.place(), Place("sim:0"));
  EXPECT_THAT(floats(y), ElementsAre(11, 12));
}

TEST_F(PlacingTest, WithoutTensorsItIsTheHost) {
  EXPECT_EQ(zeros({2}).place(), Place());
  EXPECT_EQ(host_device().place(), Place());
}

}  // namespace
}  // namespace loci::eager
