#include "framework/eager/copy_node.h"

#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::ElementsAre;

class CopyNodeTest : public EagerTest {};

TEST_F(CopyNodeTest, TheGradientGoesBackToTheSource) {
  const Tensor x = variable({1, 2}, "sim:0");
  CopyNode node(x, zeros({2}));
  Gradients given;
  given.push_back({vector({3, 4}), {}});
  const Gradients result = node.backward(given, false);
  EXPECT_EQ(result[0].dense.place(), Place("sim:0"));
  EXPECT_THAT(floats(result[0].dense), ElementsAre(3, 4));
}

TEST_F(CopyNodeTest, RecordsOnlyWhatHasAGradient) {
  EXPECT_FALSE(record_copy(vector({1}), zeros({1})));
  EXPECT_TRUE(record_copy(variable({1}), zeros({1})));
}

}  // namespace
}  // namespace loci::eager
