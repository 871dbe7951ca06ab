#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ViewTest : public EagerTest {};

TEST_F(ViewTest, SharesTheStorage) {
  const Tensor x = Tensor::from<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  const Tensor row = x[-1];
  EXPECT_EQ(row.shape(), Shape({2}));
  row += vector({10, 10});
  EXPECT_THAT(floats(x), ElementsAre(1, 2, 3, 4, 15, 16));
  EXPECT_THAT(floats(x.rows(1, 3).reshaped({4})), ElementsAre(3, 4, 15, 16));
}

TEST_F(ViewTest, PassesGradientsOn) {
  const Tensor x = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
  x.set_requires_grad();
  reduce_sum(x[1] * 3.0 + x.reshaped({4}).rows(0, 2)).backward();
  EXPECT_THAT(floats(x.grad()), ElementsAre(1, 1, 3, 3));
}

TEST_F(ViewTest, RefusesWhatIsOutside) {
  const Tensor x = zeros({3, 2});
  EXPECT_THAT([&] { (void)x[3]; }, ThrowsMessage<Error>(HasSubstr("index 3")));
  EXPECT_THAT([&] { (void)x.rows(2, 1); }, ThrowsMessage<Error>(HasSubstr("rows 2 to 1")));
  EXPECT_THAT([&] { (void)x.reshaped({5}); },
              ThrowsMessage<Error>(HasSubstr("cannot be reshaped")));
  EXPECT_THAT([&] { (void)Tensor().detach(); }, ThrowsMessage<Error>(HasSubstr("undefined")));
}

}  // namespace
}  // namespace loci::eager
