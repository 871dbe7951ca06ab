#include "framework/ops/integer_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Integers = std::vector<std::int64_t>;

class IntegerListTest : public ::testing::Test {
 protected:
  IntegerListTest() {
    schema_.extents_input("list").attr("numbers", Integers{}).output("out");
    schema_.infer([](InferContext&) {});
  }
  InferContext context(std::vector<InferArgument> argument, const Integers& numbers) {
    attributes_ = {{"numbers", numbers}};
    return {schema_, {std::move(argument)}, attributes_};
  }

  OpSchema schema_{"probe"};
  Attributes attributes_;
};

InferArgument known(const Tensor& value) { return {{value.dtype(), value.shape()}, "l", value}; }

TEST_F(IntegerListTest, ComesFromTheAttribute) {
  const IntegerList list = integer_list(context({}, {3, -1}), "numbers", "list");
  EXPECT_TRUE(list.known);
  EXPECT_THAT(list.values, ElementsAre(3, -1));
}

TEST_F(IntegerListTest, ComesFromATensorOfEitherDtype) {
  const auto shorts = Tensor::from<std::int32_t>({2, -5}, {2});
  EXPECT_THAT(integer_list(context({known(shorts)}, {}), "numbers", "list").values,
              ElementsAre(2, -5));
  const auto longs = Tensor::from<std::int64_t>({1L << 40}, {1});
  EXPECT_THAT(integer_list(context({known(longs)}, {}), "numbers", "list").values,
              ElementsAre(1L << 40));
}

TEST_F(IntegerListTest, OfAnUnknownTensorTheLengthIsKnown) {
  const IntegerList list = integer_list(context({{{kInt32, {3}}, "l", {}}}, {}), "numbers", "list");
  EXPECT_FALSE(list.known);
  EXPECT_EQ(list.size(), 3U);
  EXPECT_EQ(given_shape(context({{{kInt32, {3}}, "l", {}}}, {}), "numbers", "list"),
            (Shape{-1, -1, -1}));
}

TEST_F(IntegerListTest, RefusesWhatIsNoList) {
  const auto error_of = [this](const Shape& shape, const Integers& numbers) {
    return [this, shape, numbers] {
      (void)integer_list(context({{{kInt32, shape}, "l", {}}}, numbers), "numbers", "list");
    };
  };
  EXPECT_THAT(error_of({2, 2}, {}), ThrowsMessage<Error>(HasSubstr("list has 2 dimensions")));
  EXPECT_THAT(error_of({-1}, {}), ThrowsMessage<Error>(HasSubstr("unknown number of elements")));
  EXPECT_THAT(error_of({9}, {}), ThrowsMessage<Error>(HasSubstr(
                                     "list has 9 elements; it has one for a dimension, of which "
                                     "there are at most 8")));
  EXPECT_THAT(error_of({2}, {1}),
              ThrowsMessage<Error>(
                  HasSubstr("both the attribute numbers [1] and the input list are given")));
}

TEST_F(IntegerListTest, AShapeHasNoNegativeExtent) {
  EXPECT_EQ(given_shape(context({}, {2, 0}), "numbers", "list"), (Shape{2, 0}));
  EXPECT_THAT(
      [this] {
        (void)given_shape(context({}, {2, -1}), "numbers", "list");
      },
      ThrowsMessage<Error>(HasSubstr("numbers [2, -1] has the extent -1")));
}

}  // namespace
}  // namespace loci::ops
