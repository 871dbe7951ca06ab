#include "framework/tracing/row_buckets.h"

#include "tests/framework/eager/eager_fixture.h"

namespace loci::tracing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr BucketUser kUser{"captured function", "CaptureOptions"};

class RowBucketsTest : public eager::EagerTest {};

TEST_F(RowBucketsTest, InputsHaveTheSameNumberOfRows) {
  const auto check = [](const std::vector<Shape>& shapes) {
    check_rows(
        shapes.size(), [&](std::size_t i) -> const Shape& { return shapes[i]; }, kUser);
  };
  EXPECT_NO_THROW(check({{2, 3}, {2}}));
  EXPECT_THAT(
      [&] {
        check({{2, 3}, {3}});
      },
      ThrowsMessage<Error>(HasSubstr("input 1 is [3], and input 0 [2, 3]")));
  EXPECT_THROW(check({Shape{}}), Error) << "without rows";
  EXPECT_THROW(check({Shape{}, {2}}), Error);
}

TEST_F(RowBucketsTest, ResultsAreCutToTheRowsThatWereGiven) {
  const std::vector<Tensor> cut =
      cut_rows({vector({1, 2, 3, 4}), Tensor()}, /*bucket=*/4, /*rows=*/2, kUser);
  EXPECT_THAT(floats(cut[0]), ElementsAre(1, 2));
  EXPECT_FALSE(cut[1].defined());
  EXPECT_THAT(
      [] {
        (void)cut_rows({vector({1, 2})}, 4, 2, kUser);
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("result 0 is [2], and the inputs have 4 rows"),
                                 HasSubstr("leave CaptureOptions::buckets out"))));
}

}  // namespace
}  // namespace loci::tracing
