#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::gradient_of;
using test_support::infer;
using test_support::InferProbe;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Integers = std::vector<std::int64_t>;

InferProbe padded(const Shape& x, const Integers& pads, const std::string& mode = "constant",
                  DType dtype = kFloat32) {
  return infer("pad").input("x", x, dtype).attr("pads", pads).attr("mode", mode);
}

TEST(PadTest, AddsAndCrops) {
  EXPECT_EQ(padded({4, 6}, {1, 0, 2, 3}).shape(), (Shape{7, 9}));
  EXPECT_EQ(padded({4, 6}, {-1, 2, -3, -2}).shape(), (Shape{0, 6}));
  EXPECT_EQ(padded({-1, 6}, {1, 0, 1, 1}).shape(), (Shape{-1, 7}));
  EXPECT_EQ(padded({}, {}).shape(), (Shape{}));
  EXPECT_EQ(padded({0}, {2, 1}).shape(), (Shape{3}));
  EXPECT_EQ(padded({4}, {3, 3}, "reflect").shape(), (Shape{10}));
  EXPECT_EQ(padded({4}, {9, 30}, "wrap").shape(), (Shape{43}));
  EXPECT_EQ(padded({4}, {9, -3}, "edge").shape(), (Shape{10}));
  EXPECT_EQ(padded({0, 4}, {0, 1, 0, 1}, "edge").shape(), (Shape{0, 6}));
  EXPECT_EQ(padded({4}, {1, 1}, "constant", kBool).dtype(), kBool);
}

TEST(PadTest, RefusesPadsThatDoNotFit) {
  EXPECT_THAT(padded({4, 6}, {1, 2}).error(),
              HasSubstr("pads has 2 element(s); give 4 for the 2 dimension(s) of x"));
  EXPECT_THAT(padded({4, 6}, {0, -4, 0, -3}).error(),
              HasSubstr("pads -4 and -3 crop axis 1 of x [4, 6] by more than it has"));
  EXPECT_THAT(padded({4, 6}, {0, -7, 0, 9}).error(), HasSubstr("pads -7 and 9 crop axis 1"));
  EXPECT_THAT(padded({4}, {5, -5}).error(), HasSubstr("pads 5 and -5 crop axis 0"));
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(padded({-1}, {kLeast, 0}).error(), HasSubstr("by which nothing can be cropped"));
  EXPECT_THAT(padded({4}, {-kMost, -kMost}).error(), HasSubstr("by more than it has"));
}

TEST(PadTest, RefusesWhatIsTooLarge) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(padded({4}, {kMost, 1}).error(),
              HasSubstr("make axis 0 of x [4] longer than 63 bits can say"));
  EXPECT_THAT(padded({4}, {kMost - 8, -4}).error(), HasSubstr("more than 2^63 bytes"));
  EXPECT_EQ(padded({4}, {kMost - 8, -4}, "constant", kInt8).shape(), (Shape{kMost - 8}));
}

TEST(PadTest, RefusesWhatCannotBeRepeated) {
  EXPECT_THAT(padded({3, 4}, {0, 4, 0, 1}, "reflect").error(),
              HasSubstr("mode reflect pads axis 1 of x [3, 4] by 4; give at most 3, one less"));
  EXPECT_THAT(padded({4}, {-2, 2}, "reflect").error(), HasSubstr("give at most 1"));
  EXPECT_THAT(padded({1}, {0, 1}, "reflect").error(), HasSubstr("give at most 0"));
  for (const char* mode : {"reflect", "edge", "wrap"}) {
    EXPECT_THAT(padded({3, 0}, {0, 1, 0, 0}, mode).error(),
                HasSubstr(std::string("mode ") + mode +
                          " pads axis 1 of x [3, 0], of which no "
                          "element is kept; use constant"));
    EXPECT_THAT(padded({4}, {-4, 1}, mode).error(), HasSubstr("no element is kept"));
  }
  EXPECT_THAT(padded({4}, {1, 1}, "mirror").error(), HasSubstr("mirror"));
}

TEST(PadTest, RefusesValuesThatTheDTypeDoesNotHold) {
  const auto error = [](DType dtype, const char* name, const Attribute& value) {
    return padded({4}, {1, 1}, "constant", dtype).attr(name, value).error();
  };
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(error(kUInt8, "integer", std::int64_t{300}),
              HasSubstr("value 300 does not fit into uint8; give one that does or cast x"));
  EXPECT_THAT(error(kUInt64, "integer", std::int64_t{-1}), HasSubstr("value -1 does not fit"));
  EXPECT_THAT(error(kInt32, "value", 2.5), HasSubstr("value 2.5 does not fit into int32"));
  EXPECT_THAT(error(kInt64, "value", 1e19), HasSubstr("does not fit into int64"));
  EXPECT_THAT(error(kInt8, "value", std::numeric_limits<double>::quiet_NaN()), HasSubstr("nan"));
  EXPECT_THAT(error(kBool, "integer", std::int64_t{2}),
              HasSubstr("value 2 does not fit into bool"));
  EXPECT_EQ(error(kInt64, "integer", kMost), "no error");
  EXPECT_EQ(error(kUInt64, "integer", kMost), "no error");
  EXPECT_EQ(error(kFloat16, "value", 1e30), "no error") << "it rounds to infinity";
  EXPECT_THAT(padded({4}, {1, 1}).attr("value", 1.0).attr("integer", std::int64_t{2}).error(),
              HasSubstr("value 1 and integer 2 are both given; give one"));
  EXPECT_THAT(padded({4}, {1, 1}, "edge").attr("value", 1.5).error(),
              HasSubstr("value 1.5 is given, but mode edge pads with elements of x"));
}

TEST(PadTest, CountsWhatIsKeptAndWhatIsWritten) {
  EXPECT_EQ(padded({4, 6}, {1, -2, 1, 0}).cost().bytes, 4 * (4 * 4 + 6 * 4));
  EXPECT_EQ(padded({4, 6}, {1, -2, 1, 0}).cost().flops, 0);
}

TEST(PadTest, ConstantsHaveAGradientThatCropsAndPads) {
  const auto probe = gradient_of("pad").with("x", {4, 6}).attr("pads", Integers{1, -2, 0, 3}).run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = pad(x: d_out, pads: [-1, 2, 0, -3])"));
  EXPECT_EQ(probe.grad("x"), "%0");
}

TEST(PadTest, OtherModesHaveAGradientThatSums) {
  const auto first = gradient_of("pad")
                         .with("x", {4, 6})
                         .attr("pads", Integers{1, 2, 0, 3})
                         .attr("mode", std::string("wrap"))
                         .run();
  EXPECT_THAT(first.calls(), ElementsAre(HasSubstr("%0 = pad_grad(x: x, out_grad: d_out, ")));
  EXPECT_EQ(first.grad("x"), "%0");
  const auto second = gradient_of("pad_grad")
                          .with("x", {4, 6})
                          .with("out_grad", {5, 11})
                          .attr("pads", Integers{1, 2, 0, 3})
                          .attr("mode", std::string("wrap"))
                          .run();
  EXPECT_THAT(second.calls(), ElementsAre(HasSubstr("%0 = pad(x: d_x_grad, ")));
  EXPECT_EQ(second.grad("out_grad"), "%0");
  EXPECT_THAT(infer("pad_grad")
                  .input("x", {4})
                  .input("out_grad", {5})
                  .attr("pads", Integers{1, 1})
                  .attr("mode", std::string("edge"))
                  .error(),
              HasSubstr("out_grad is [5]; it must be [6], x padded"));
}

TEST(PadTest, KeepsRowsThatItDoesNotMove) {
  const auto keeps = [](const Integers& pads) {
    return infer("pad").rows("x", {4, 3}).attr("pads", pads).is_batch_independent();
  };
  EXPECT_TRUE(keeps({0, 1, 0, 2}));
  EXPECT_FALSE(keeps({1, 0, -1, 0})) << "as many rows, each at the place of the next";
  EXPECT_FALSE(keeps({1, 0, 1, 0}));
}

}  // namespace
}  // namespace loci::ops
