#include "framework/tracing/fed_draws.h"

#include "tests/framework/eager/eager_fixture.h"

namespace loci::tracing {
namespace {

class FedDrawsTest : public eager::EagerTest {};

TEST_F(FedDrawsTest, WhatDrawsNothingNeedsNoFeed) {
  const Program main;
  EXPECT_FALSE(feed_draws(*main.impl()));
  EXPECT_EQ(main.impl()->main().find(kFedDraws), program::kNoVar);
}

TEST_F(FedDrawsTest, TheProgramDrawsFromWhatItIsFedWith) {
  Program main;
  std::vector<Fetch> fetches;
  {
    const ProgramGuard building(main);
    const Variable on = fill_constant({1}, 1, kBool);
    fetches.emplace_back(uniform_random({5}));
    fetches.emplace_back(cond(
        on,
        [&] {
          return cond(
              on, [] { return uniform_random({3}); }, [] { return fill_constant({3}, 1); });
        },
        [] { return fill_constant({3}, 1); }));
  }
  ASSERT_TRUE(feed_draws(*main.impl()));
  EXPECT_NO_THROW(main.verify());
  Executor executor("cpu");
  const auto run = [&](std::uint64_t offset) {
    return executor.run(main, {{kFedDraws, Tensor::from<std::uint64_t>({23, 0, offset}, {3})}},
                        fetches);
  };
  seed(23);
  const std::vector<float> first = floats(rand({5}));
  const Tensor on = full({1}, 1.0, kBool);
  const auto nested = [&] {
    return cond(
        on,
        [&] {
          return cond(
              on, [] { return rand({3}); }, [] { return rand({3}); });
        },
        [] { return rand({3}); });
  };
  const std::vector<float> second = floats(nested());
  EXPECT_EQ(floats(run(0)[0]), first);
  EXPECT_EQ(floats(run(0)[1]), second) << "the run changes nothing";
  EXPECT_EQ(floats(run(2)[0]), floats(rand({5})));
  EXPECT_EQ(floats(run(2)[1]), floats(nested()));
}

}  // namespace
}  // namespace loci::tracing
