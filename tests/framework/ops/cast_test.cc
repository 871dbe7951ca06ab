#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::gradient_of;
using test_support::infer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CastTest, ChangesTheDType) {
  EXPECT_EQ(infer("cast").input("x", {-1, 3}).attr("dtype", kBool).types().front(),
            (TensorType{kBool, {-1, 3}}));
  EXPECT_THAT(infer("cast").input("x", {2}).attr("dtype", DType::kNone).error(),
              HasSubstr("dtype is none"));
}

TEST(CastTest, CastsTheGradientBack) {
  const auto probe = gradient_of("cast").with("x", {2}, kFloat16).attr("dtype", kFloat32).run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = cast(x: d_out, dtype: float16)"));
  EXPECT_EQ(probe.grad("x"), "%0");
}

TEST(CastTest, GradientsStopAtIntegers) {
  EXPECT_EQ(gradient_of("cast").with("x", {2}, kInt32).attr("dtype", kFloat32).run().grad("x"),
            "none");
  EXPECT_EQ(gradient_of("cast").with("x", {2}).attr("dtype", kInt32).run().grad("x"), "none");
}

}  // namespace
}  // namespace loci::ops
