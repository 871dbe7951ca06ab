#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::gradient_of;
using test_support::infer;
using test_support::InferProbe;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

InferProbe slices_of(const Shape& x, const Shape& index, std::int64_t batch_dims = 0) {
  return infer("gather_nd")
      .input("x", x)
      .input("index", index, kInt32)
      .attr("batch_dims", batch_dims);
}

InferProbe slices_into(const Shape& updates, DType dtype = kFloat32) {
  return infer("scatter_nd")
      .input("x", {4, 5, 3}, dtype)
      .input("index", {7, 2}, kInt64)
      .input("updates", updates, dtype);
}

TEST(GatherNdTest, PutsSlicesInThePlaceOfTuples) {
  EXPECT_EQ(slices_of({4, 5, 3}, {7, 2}).shape(), (Shape{7, 3}));
  EXPECT_EQ(slices_of({4, 5, 3}, {6, 7, 1}).shape(), (Shape{6, 7, 5, 3}));
  EXPECT_EQ(slices_of({4, 5}, {2}).shape(), (Shape{}));
  EXPECT_EQ(slices_of({4, 5, 3}, {4, 7, 1}, 1).shape(), (Shape{4, 7, 3}));
  EXPECT_EQ(slices_of({-1, 5, 3}, {4, -1, 2}, 1).shape(), (Shape{4, -1}));
}

TEST(GatherNdTest, RefusesTuplesThatNameNoSlice) {
  EXPECT_THAT(slices_of({4, 5}, {7, 3}).error(),
              HasSubstr("index [7, 3] has tuples of 3 position(s); give 1 to 2, as x [4, 5] has "
                        "dimensions behind those of a batch"));
  EXPECT_THAT(slices_of({4, 5}, {7, 0}).error(), HasSubstr("tuples of 0 position(s)"));
  EXPECT_THAT(slices_of({4, 5}, {7, -1}).error(),
              HasSubstr("the last extent of index [7, -1] is not known; it says how many"));
  EXPECT_THAT(slices_of({4, 5}, {}).error(), HasSubstr("index is []; give it a dimension or more"));
  EXPECT_THAT(slices_of({}, {1}).error(), HasSubstr("x is []; give it a dimension or more"));
  EXPECT_THAT(slices_of({4, 5}, {4, 1}, 2).error(),
              HasSubstr("batch_dims is 2; give one in [0, 2)"));
  EXPECT_THAT(slices_of({4, 5}, {4, 1}, -1).error(), HasSubstr("batch_dims is -1"));
  EXPECT_THAT(slices_of({4, 5}, {3, 2, 1}, 1).error(),
              HasSubstr("index [3, 2, 1] and x [4, 5] differ along dimension 0, one of the 1 of a "
                        "batch"));
  EXPECT_THAT(slices_of({2, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1}).error(),
              HasSubstr("the slices would have 10 dimensions; a tensor has at most 8"));
}

TEST(GatherNdTest, ItsGradientAddsIntoZeros) {
  const auto probe = gradient_of("gather_nd")
                         .with("x", {4, 5, 3})
                         .with("index", {4, 7, 1}, kInt64)
                         .attr("batch_dims", std::int64_t{1})
                         .run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = full_like(x: x)",
                                         "%1 = scatter_nd(x: %0, index: index, updates: d_out, "
                                         "batch_dims: 1, reduction: \"add\")"));
  EXPECT_EQ(probe.grad("x"), "%1");
}

TEST(GatherNdTest, KeepsRowsOfTuplesAndOfBatches) {
  const auto tuples =
      infer("gather_nd").input("x", {4, 3}).rows("index", {6, 1}, kInt64, Carried::kGivenRows);
  EXPECT_TRUE(tuples.is_batch_independent());
  EXPECT_FALSE(infer("gather_nd")
                   .input("x", {4, 3})
                   .rows("index", {2}, kInt64, Carried::kGivenRows)
                   .is_batch_independent());
  const auto batches = [](Carried of_index) {
    return infer("gather_nd")
        .rows("x", {4, 3})
        .rows("index", {4, 1}, kInt64, of_index)
        .attr("batch_dims", std::int64_t{1})
        .is_batch_independent();
  };
  EXPECT_TRUE(batches(Carried::kGivenRows));
  EXPECT_FALSE(batches(Carried::kRows)) << "of zeros it may make no index";
}

TEST(ScatterNdTest, HasTheTypeOfX) {
  EXPECT_EQ(slices_into({7, 3}).shape(), (Shape{4, 5, 3}));
  EXPECT_EQ(slices_into({7, 3}, kBool).dtype(), kBool);
  EXPECT_EQ(slices_into({7, 3}).attr("reduction", std::string("max")).cost().flops, 21);
}

TEST(ScatterNdTest, RefusesUpdatesThatDoNotFit) {
  EXPECT_THAT(slices_into({7, 2}).error(),
              HasSubstr("updates is [7, 2]; it must be [7, 3], the slices of x that index names"));
  EXPECT_THAT(slices_into({7, 3}, kBool).attr("reduction", std::string("min")).error(),
              HasSubstr("reduction is min, which bool has not"));
}

TEST(ScatterNdTest, ItsGradientLeavesWhatIsOverwritten) {
  const auto probe = gradient_of("scatter_nd")
                         .with("x", {4, 5, 3})
                         .with("index", {7, 2}, kInt64)
                         .with("updates", {7, 3})
                         .run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = full_like(x: updates)",
                                         "%1 = scatter_nd(x: d_out, index: index, updates: %0)",
                                         "%2 = scatter_nd_grad(out_grad: d_out, index: index)"));
  const auto again = gradient_of("scatter_nd_grad")
                         .with("out_grad", {4, 5, 3})
                         .with("index", {7, 2}, kInt64)
                         .run();
  EXPECT_THAT(again.calls(),
              ElementsAre("%0 = full_like(x: out_grad)",
                          "%1 = scatter_nd(x: %0, index: index, updates: d_updates_grad)"));
}

TEST(ScatterNdTest, KeepsRowsOfBatchesAlone) {
  const auto keeps = [](std::int64_t batch_dims) {
    return infer("scatter_nd")
        .rows("x", {4, 4})
        .rows("index", {4, 1}, kInt64, Carried::kGivenRows)
        .rows("updates", batch_dims == 1 ? Shape{4} : Shape{4, 4})
        .attr("batch_dims", batch_dims)
        .is_batch_independent();
  };
  EXPECT_TRUE(keeps(1));
  EXPECT_FALSE(keeps(0));
}

}  // namespace
}  // namespace loci::ops
