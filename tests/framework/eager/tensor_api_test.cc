#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::ElementsAre;

class TensorApiTest : public EagerTest {};

TEST_F(TensorApiTest, GoesToAPlaceAndBack) {
  const Tensor x = vector({1, 2});
  EXPECT_EQ(x.to("cpu").impl(), x.impl());
  const Tensor there = x.to("sim");
  EXPECT_EQ(there.place(), Place("sim:0"));
  EXPECT_EQ(there.to("sim").impl(), there.impl());
  EXPECT_THAT(floats(there.to_host()), ElementsAre(1, 2));
  EXPECT_EQ(there.to("cpu").place(), Place());
}

TEST_F(TensorApiTest, ReadsFromAnyPlace) {
  const Tensor x = Tensor::from<float>({4}, {1}).to("sim:1");
  EXPECT_EQ(x.item<float>(), 4);
  EXPECT_THAT((x + x).to_vector<float>(), ElementsAre(8));
}

TEST_F(TensorApiTest, AnUndefinedTensorIsRefused) {
  EXPECT_THROW((void)Tensor().to("cpu"), Error);
  EXPECT_THROW((void)Tensor().to("sim:0"), Error);
  EXPECT_THROW((void)Tensor().to_host(), Error);
}

}  // namespace
}  // namespace loci::eager
