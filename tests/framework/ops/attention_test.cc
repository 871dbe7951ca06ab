#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::gradient_of;
using test_support::infer;
using test_support::InferProbe;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

InferProbe attended(const Shape& query, const Shape& key, const Shape& value) {
  return infer("attention").input("query", query).input("key", key).input("value", value);
}

TEST(AttentionTest, HasTheLengthOfQueriesAndTheWidthOfValues) {
  EXPECT_EQ(attended({2, 3, 4}, {2, 5, 4}, {2, 5, 6}).shape(), (Shape{2, 3, 6}));
  EXPECT_EQ(attended({-1, 3, 4}, {2, -1, 4}, {2, 5, 6}).shape(), (Shape{2, 3, 6}));
}

TEST(AttentionTest, RefusesWhatDoesNotFit) {
  EXPECT_THAT(attended({3, 4}, {2, 5, 4}, {2, 5, 6}).error(), HasSubstr("[batch, length, width]"));
  EXPECT_THAT(attended({2, 3, 4}, {2, 5, 6}, {2, 5, 6}).error(),
              HasSubstr("the batch and width of query"));
  EXPECT_THAT(attended({2, 3, 4}, {2, 5, 4}, {2, 4, 6}).error(),
              HasSubstr("the batch and length of key"));
  EXPECT_THAT(attended({2, 3, 4}, {2, 5, 4}, {2, 5, 6}).attr("heads", std::int64_t{3}).error(),
              HasSubstr("3 heads do not divide the width 4 of query"));
  EXPECT_THAT(attended({2, 3, 4}, {2, 5, 4}, {2, 5, 6}).attr("heads", std::int64_t{0}).error(),
              HasSubstr("heads is 0; give at least 1"));
  EXPECT_THAT(attended({2, 3, 4}, {2, 5, 4}, {2, 5, 0}).error(),
              HasSubstr("value has the width 0"));
  EXPECT_THAT(attended({2, 3, 4}, {2, 5, 4}, {2, 5, 6}).attr("factor", 1.0 / 0.0).error(),
              HasSubstr("factor is inf; give a finite number"));
}

TEST(AttentionTest, AMaskIsBroadcastToTheScores) {
  const auto masked = [](const Shape& mask) {
    return attended({2, 3, 4}, {2, 5, 4}, {2, 5, 4})
        .attr("heads", std::int64_t{2})
        .input("mask", mask);
  };
  for (const Shape& mask : {Shape{3, 5}, Shape{2, 1, 1, 5}, Shape{2, 3, 1}, Shape{}}) {
    EXPECT_EQ(masked(mask).shape(), (Shape{2, 3, 4})) << mask.to_string();
  }
  for (const Shape& mask : {Shape{5, 3}, Shape{3, 2, 3, 5}, Shape{1, 2, 2, 3, 5}}) {
    EXPECT_THAT(masked(mask).error(),
                HasSubstr("is not broadcast to the scores [2, 2, 3, 5], [batch, heads, queries"));
  }
}

TEST(AttentionTest, CostsBothProductsAndTheSoftmax) {
  EXPECT_EQ(attended({2, 3, 4}, {2, 5, 4}, {2, 5, 6}).attr("heads", std::int64_t{2}).cost().flops,
            2 * 2 * 3 * 5 * (2 * (2 + 3) + 5));
}

TEST(AttentionTest, KeepsTheBatchApart) {
  const auto rows = [] {
    return infer("attention")
        .rows("query", {2, 3, 4})
        .rows("key", {2, 5, 4})
        .rows("value", {2, 5, 4});
  };
  EXPECT_TRUE(rows().is_batch_independent());
  EXPECT_FALSE(rows().rows("mask", {2, 1, 3, 5}).is_batch_independent());
}

TEST(AttentionTest, HasAGradientOfEachInput) {
  const auto run = gradient_of("attention")
                       .with("query", Shape{1, 2, 4})
                       .with("key", Shape{1, 3, 4})
                       .with("value", Shape{1, 3, 4})
                       .with("mask", Shape{2, 3})
                       .attr("heads", std::int64_t{2})
                       .run();
  for (const char* slot : {"query", "key", "value", "mask"}) {
    EXPECT_NE(run.grad(slot), "none") << slot;
  }
}

TEST(AttentionTest, GradientsAreOneOpUnlessMoreOrLessIsWanted) {
  const auto probe = [] {
    return gradient_of("attention")
        .with("query", Shape{1, 2, 4})
        .with("key", Shape{1, 3, 4})
        .with("value", Shape{1, 3, 4});
  };
  const auto usual = probe().run();
  EXPECT_THAT(usual.calls(), ElementsAre(StartsWith("%0 = attention_grad(")));
  const auto one = probe().unwanted("query").unwanted("key").run();
  EXPECT_THAT(one.calls(), Not(Contains(HasSubstr("attention_grad"))));
  EXPECT_THAT(one.calls(), Contains(HasSubstr("softmax"))) << "the weights alone";
  EXPECT_THAT(one.calls(), Not(Contains(HasSubstr("reduce_sum")))) << "no gradients of scores";
  const auto masked = probe().with("mask", Shape{2, 3}).run();
  EXPECT_THAT(masked.calls(), Not(Contains(HasSubstr("attention_grad"))));
}

TEST(AttentionTest, WeightsOfHiddenKeysAreAskedForOnlyUnderAMask) {
  const auto probe = [] {
    auto attended = gradient_of("attention")
                        .with("query", Shape{1, 2, 4})
                        .with("key", Shape{1, 3, 4})
                        .with("value", Shape{1, 3, 4});
    attended.unwanted("query");
    return attended;
  };
  const auto looks = Contains(HasSubstr("where("));
  EXPECT_THAT(probe().run().calls(), Not(looks));
  EXPECT_THAT(probe().with("mask", Shape{2, 3}).run().calls(), looks);
  EXPECT_THAT(probe().with("mask", Shape{2, 3}).attr("zero_hidden", false).run().calls(),
              Not(looks));
}

}  // namespace
}  // namespace loci::ops
