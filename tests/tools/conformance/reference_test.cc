// The references of the cases against results worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tools/conformance/case.h"

namespace loci::conformance {
namespace {

using ::testing::ElementsAre;

const Case& find(const std::string& name) {
  static const Suite suite = all_cases();
  for (const Case& one : suite.cases()) {
    if (one.name() == name) return one;
  }
  throw std::logic_error("no case has the name " + name);
}

// Inputs 1, 2, 3, ... of the shapes of the case.
Arrays counting(const Case& subject) {
  Arrays arrays;
  for (const Input& input : subject.inputs) {
    Array array(input.dtype, input.shape);
    std::iota(array.values.begin(), array.values.end(), Real{1});
    arrays.push_back(array);
  }
  return arrays;
}

std::vector<Real> result(const std::string& name) {
  const Case& subject = find(name);
  return subject.reference(counting(subject)).front().values;
}

TEST(Reference, ElementwiseBroadcasts) {
  EXPECT_THAT(result("elementwise_binary/elementwise_sub/float32/[2, 3],[3]"),
              ElementsAre(0, 0, 0, 3, 3, 3));
}

TEST(Reference, MatmulTransposes) {
  // [[1, 3, 5], [2, 4, 6]] times [[1, 4, 7, 10], [2, 5, 8, 11], [3, 6, 9, 12]].
  EXPECT_THAT(result("matmul/matmul/float32/[3, 2],[4, 3]/transpose_x transpose_y"),
              ElementsAre(22, 49, 76, 103, 28, 64, 100, 136));
}

TEST(Reference, MatmulOfVectorsDropsTheirDimension) {
  EXPECT_THAT(result("matmul/matmul/float32/[3, 5],[5]"), ElementsAre(55, 130, 205));
}

TEST(Reference, ConvolutionPadsWithZeros) {
  // One image of two 2x2 channels under a 5x5 filter with two elements of padding: every tap that
  // meets the image counts.
  const Case& subject =
      find("conv2d/conv2d/float32/[1, 2, 2, 2],[2, 2, 5, 5],[2]/filter over the image");
  Arrays in = counting(subject);
  std::fill(in[1].values.begin(), in[1].values.end(), 1);
  in[2].values = {0, 100};
  EXPECT_THAT(subject.reference(in).front().values,
              ElementsAre(36, 36, 36, 36, 136, 136, 136, 136));
}

TEST(Reference, ConvolutionOfGroupsStaysInItsGroup) {
  const Case& subject = find("conv2d/conv2d/float32/[1, 3, 5, 5],[6, 1, 3, 3]/depthwise, two each");
  Arrays in = counting(subject);
  std::fill(in[0].values.begin(), in[0].values.begin() + 25, 0);
  const std::vector<Real> out = subject.reference(in).front().values;
  EXPECT_THAT(std::vector<Real>(out.begin(), out.begin() + 8), ::testing::Each(0));
  EXPECT_NE(out[8], 0);
}

TEST(Reference, PoolingTakesTheLargestOrTheMean) {
  const std::string global = "pool2d/pool2d/float32/[2, 3, 5, 4]/";
  EXPECT_THAT(result(global + "max, global"), ElementsAre(20, 40, 60, 80, 100, 120));
  EXPECT_THAT(result(global + "avg, global"),
              ElementsAre(10.5L, 30.5L, 50.5L, 70.5L, 90.5L, 110.5L));
}

TEST(Reference, ReductionKeepsTheOtherAxes) {
  EXPECT_THAT(result("reduce/reduce_sum/float32/[2, 3, 4]/axes [0, 2]"), ElementsAre(68, 100, 132));
  EXPECT_THAT(result("reduce/reduce_mean/float32/[3, 5]/axes [1]"), ElementsAre(3, 8, 13));
  EXPECT_THAT(result("reduce/reduce_sum_like/float32/[2, 3],[2, 1]"), ElementsAre(6, 15));
}

TEST(Reference, CrossEntropyIgnoresRows) {
  const Case& subject =
      find("cross_entropy/cross_entropy/float32/[7, 3],[7]/int64 labels, ignored");
  Arrays in = counting(subject);
  in[0].values.assign(21, 1);
  in[0].values[4] = 0.5L;
  in[1].values = {-100, 1, 2, 0, 1, -100, 0};
  const std::vector<Real> out = subject.reference(in).front().values;
  EXPECT_EQ(out[0], 0);
  EXPECT_NEAR(static_cast<double>(out[1]), 0.6931471805599453, 1e-15);
}

TEST(Reference, ArgmaxTakesTheFirstAndPrefersNaN) {
  const Case& subject = find("metric/argmax/float32/[3, 5]/axis 0");
  Arrays in = counting(subject);
  in[0].values = {1, 5, 2, 0, 7, 1, 5, std::nanl(""), 1, 3, 0, 5, 9, 2, 7};
  EXPECT_THAT(subject.reference(in).front().values, ElementsAre(0, 0, 1, 2, 0));
}

}  // namespace
}  // namespace loci::conformance
