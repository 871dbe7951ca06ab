#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/control_flow.hpp>
#include <loci/creation.hpp>
#include <loci/loci.hpp>

namespace loci {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Tensors = std::vector<Tensor>;
using Step = ScanResult<Tensor>;

Step running_sum(const Tensors& carry, const Tensors& xs) {
  const Tensor sum = carry[0] + xs[0];
  return {{sum}, {sum, reduce_sum(xs[0])}};
}

TEST(ScanApiTest, GivesValuesAndStackedOutputs) {
  const Step made = scan(running_sum, Tensors{Tensor::from<float>({0, 0}, {2})},
                         Tensors{Tensor::from<float>({1, 2, 3, 4}, {2, 2})});
  EXPECT_THAT(made.carry[0].to_vector<float>(), ElementsAre(4, 6));
  EXPECT_THAT(made.ys[0].to_vector<float>(), ElementsAre(1, 2, 4, 6));
  EXPECT_THAT(made.ys[1].to_vector<float>(), ElementsAre(3, 7));
}

// The body is traced for their forms; nothing is drawn then.
TEST(ScanApiTest, WithoutStepsOutputsAreEmpty) {
  seed(3);
  (void)rand({2});  // in the place of what each scan takes
  (void)rand({2});
  const std::vector<float> behind = rand({2}).to_vector<float>();
  seed(3);
  for (const char* place : {"cpu", "sim:0"}) {
    const Step made = scan([](const Tensors& carry,
                              const Tensors& xs) { return running_sum({dropout(carry[0])}, xs); },
                           Tensors{Tensor::from<float>({5, 6}, {2}).to(place)},
                           Tensors{Tensor::empty({0, 2}, kFloat32, place)});
    EXPECT_THAT(made.carry[0].to_vector<float>(), ElementsAre(5, 6));
    ASSERT_EQ(made.ys.size(), 2U);
    EXPECT_EQ(made.ys[0].shape(), (Shape{0, 2}));
    EXPECT_EQ(made.ys[1].shape(), (Shape{0}));
    EXPECT_EQ(made.ys[0].place(), Place(place));
  }
  EXPECT_EQ(rand({2}).to_vector<float>(), behind);
}

// A trace that only tells forms reads no elements, neither those that change between replays nor
// those that are not there before the first one.
TEST(ScanApiTest, WithoutStepsItIsCapturedAsOtherCodeIs) {
  for (const char* place : {"cpu", "sim:0"}) {
    const DeviceGuard guard(place);
    const Tensor weight = full({2}, 2.0, kFloat32, place);
    const Tensor xs = full({0, 2}, 0.0, kFloat32, place);
    Graph graph{Place(place)};
    graph.capture_begin();
    const Tensor scaled = weight * 3.0;
    const Step made = scan(
        [&](const Tensors& carry, const Tensors& slices) {
          return Step{{carry[0] * weight}, {slices[0] + scaled}};
        },
        Tensors{weight + 1.0}, Tensors{xs});
    const Tensor result = made.carry[0] + weight;
    graph.capture_end();
    EXPECT_EQ(made.ys[0].shape(), (Shape{0, 2}));
    graph.replay();
    EXPECT_THAT(result.to_vector<float>(), ElementsAre(5, 5));
    weight.fill_(4);
    graph.replay();
    EXPECT_THAT(result.to_vector<float>(), ElementsAre(9, 9));
  }
}

TEST(ScanApiTest, RefusesToHaveNothing) {
  EXPECT_THAT([] { scan(running_sum, Tensors{}, Tensors{}); },
              ThrowsMessage<Error>(HasSubstr(
                  "[scan] has neither carried values nor stacked inputs; give at least one")));
}

}  // namespace
}  // namespace loci
