#include "framework/tracing/outside_leaf.h"

#include <loci/autograd.hpp>

#include "tests/framework/eager/eager_fixture.h"

namespace loci::tracing {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class OutsideLeafTest : public eager::EagerTest {
 protected:
  [[nodiscard]] OutsideLeaf seen() const {
    OutsideLeaf leaf;
    leaf.tensor = w_.impl();
    leaf.look_at(*w_.impl());
    return leaf;
  }

  const Tensor w_ = variable({1, 2});
};

TEST_F(OutsideLeafTest, WhatIsTakenForGrantedIsLookedAt) {
  const OutsideLeaf leaf = seen();
  EXPECT_TRUE(leaf.holds({}));
  w_.set_grad(vector({3, 4}));
  EXPECT_TRUE(leaf.holds({})) << "nobody has read the gradient";
  w_.set_requires_grad(false);
  EXPECT_FALSE(leaf.holds({}));
  w_.set_requires_grad();
  EXPECT_TRUE(leaf.holds({}));
  w_.register_hook([](const Tensor&) { return Tensor(); });
  EXPECT_FALSE(leaf.holds({}));
}

TEST_F(OutsideLeafTest, AGradientThatIsReadKeepsItsForm) {
  OutsideLeaf leaf = seen();
  leaf.is_read = true;
  EXPECT_TRUE(leaf.holds({}));
  w_.set_grad(vector({3, 4}));
  EXPECT_FALSE(leaf.holds({}));
  leaf.given = {{kFloat32, {2}, "cpu", "before"}};
  EXPECT_TRUE(leaf.holds({}));
  Feed feed;
  leaf.add_to(&feed, {});
  ASSERT_THAT(feed, SizeIs(1));
  EXPECT_EQ(feed[0].first, "before");
  EXPECT_EQ(feed[0].second.impl(), w_.grad().impl());
  w_.set_grad({});
  EXPECT_FALSE(leaf.holds({}));
}

TEST_F(OutsideLeafTest, LeavesWhatTheCallHasMade) {
  OutsideLeaf leaf = seen();
  leaf.left = OutsideLeaf::Left::kDense;
  leaf.first_left = 1;
  leaf.sets_requirement = true;
  leaf.leave({}, {vector({7, 7}), vector({8, 9})});
  EXPECT_THAT(floats(w_.grad()), ElementsAre(8, 9));
  EXPECT_FALSE(w_.requires_grad());
  leaf.left = OutsideLeaf::Left::kAsItWas;
  leaf.leave({}, {});
  EXPECT_TRUE(w_.grad().defined());
  leaf.left = OutsideLeaf::Left::kNothing;
  leaf.leave({}, {});
  EXPECT_FALSE(w_.grad().defined());
  leaf.left = OutsideLeaf::Left::kRows;
  leaf.first_left = 0;
  const Tensor rows = Tensor::from<std::int64_t>({1}, {1});
  leaf.leave({}, {rows, vector({5})});
  EXPECT_EQ(w_.grad_rows().rows.impl(), rows.impl());
}

TEST_F(OutsideLeafTest, AnInputIsAnotherOneInEachCall) {
  OutsideLeaf leaf = seen();
  leaf.tensor = nullptr;
  leaf.input = 1;
  EXPECT_TRUE(leaf.holds({vector({1}), w_}));
  EXPECT_FALSE(leaf.holds({w_, vector({1})}));
}

}  // namespace
}  // namespace loci::tracing
