#include "framework/core/suggest.h"

#include <gtest/gtest.h>

namespace loci::core {
namespace {

TEST(SuggestTest, NamesTheClosest) {
  EXPECT_EQ(suggest("relo", {"relu", "softmax"}), "; did you mean 'relu'?");
}

TEST(SuggestTest, NamesAtMostThreeClosestFirst) {
  EXPECT_EQ(suggest("conv", {"cony", "conb", "conv2", "cona"}),
            "; did you mean 'cona' or 'conb' or 'conv2'?");
  EXPECT_EQ(suggest("weight", {"weigth", "weights"}), "; did you mean 'weights' or 'weigth'?");
}

TEST(SuggestTest, CountsInsertionsDeletionsAndReplacements) {
  EXPECT_EQ(suggest("matmul", {"matmull"}), "; did you mean 'matmull'?");
  EXPECT_EQ(suggest("matmul", {"matul"}), "; did you mean 'matul'?");
  EXPECT_EQ(suggest("matmul", {"mathul"}), "; did you mean 'mathul'?");
  EXPECT_EQ(suggest("kitten", {"sitting"}), "; there are 'sitting'");  // three edits, two allowed
}

TEST(SuggestTest, ListsAFewWhenNoneIsClose) {
  EXPECT_EQ(suggest("zzz", {"mean", "relu"}), "; there are 'mean', 'relu'");
}

TEST(SuggestTest, SaysNothingWhenNoneIsCloseAmongMany) {
  EXPECT_EQ(suggest("zzz", std::vector<std::string>(10, "softmax")).substr(0, 11), "; there are");
  EXPECT_EQ(suggest("zzz", std::vector<std::string>(11, "softmax")), "");
  EXPECT_EQ(suggest("zzz", {}), "");
}

TEST(SuggestTest, HugeNamesCostNothing) {
  const std::string huge(1 << 20, 'x');
  EXPECT_EQ(suggest(huge, std::vector<std::string>(1000, "softmax")), "");
  EXPECT_EQ(suggest("softmax", std::vector<std::string>(100, huge)), "");
}

}  // namespace
}  // namespace loci::core
