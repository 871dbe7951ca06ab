#include "plugins/sim/graph_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/plugin/error.hpp>

namespace loci::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

using Items = std::vector<std::uint64_t>;

class SimGraphOrderTest : public ::testing::Test {
 protected:
  void depend(const Items& items) { order_.depend(items.data(), items.size()); }
  // An item of one task.
  GraphPlace add(std::uint64_t item, const Items& items) {
    order_.begin(item);
    depend(items);
    return order_.add();
  }

  GraphOrder order_;
};

TEST_F(SimGraphOrderTest, WithoutAWordItIsAChain) {
  EXPECT_THAT(order_.add().before, IsEmpty()) << "of nothing that was announced";
  for (std::uint32_t i = 0; i < 3; ++i) {
    order_.begin(i);
    const GraphPlace place = order_.add();
    EXPECT_THAT(place.before, ElementsAre(i));
    EXPECT_EQ(place.lane, 0U);
  }
}

TEST_F(SimGraphOrderTest, ADiamondHasTwoLanes) {
  EXPECT_EQ(add(0, {}).lane, 0U);
  const GraphPlace first = add(1, {0});
  const GraphPlace second = add(2, {0});
  const GraphPlace join = add(3, {1, 2});
  EXPECT_THAT(first.before, ElementsAre(0));
  EXPECT_THAT(second.before, ElementsAre(0));
  EXPECT_THAT(join.before, ElementsAre(1, 2));
  EXPECT_EQ(first.lane, 0U);
  EXPECT_EQ(second.lane, 1U);
  EXPECT_EQ(join.lane, 0U);
  EXPECT_EQ(add(4, {2}).lane, 1U) << "its latest task has ended";
  EXPECT_EQ(add(5, {}).lane, 2U);
}

TEST_F(SimGraphOrderTest, WithinAnItemTasksAreAChain) {
  static_cast<void>(add(0, {}));
  static_cast<void>(add(1, {}));
  EXPECT_THAT(order_.add().before, ElementsAre(1));
  EXPECT_THAT(add(2, {0, 1}).before, ElementsAre(0, 2)) << "the last of it";
}

TEST_F(SimGraphOrderTest, AnItemWithoutTasksCountsAsWhatItWaitsFor) {
  static_cast<void>(add(0, {}));
  static_cast<void>(add(1, {}));
  order_.begin(2);
  depend({0, 1});
  EXPECT_THAT(add(3, {2, 1}).before, ElementsAre(0, 1));
}

TEST_F(SimGraphOrderTest, RefusesAnItemThatDidNotBeginAndChangesNothing) {
  static_cast<void>(add(4, {}));
  order_.begin(7);
  for (const std::uint64_t unknown : {5, 7, 8}) {
    EXPECT_THAT(
        [&] {
          depend({4, unknown});
        },
        ThrowsMessage<sdk::Error>("[sim] item 7 is to wait for item " + std::to_string(unknown) +
                                  ", which was not announced before it; announce items in "
                                  "their order"));
  }
  EXPECT_THAT(order_.add().before, ElementsAre(0));
}

}  // namespace
}  // namespace loci::sim
