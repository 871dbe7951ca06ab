#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class InPlaceTest : public EagerTest {};

TEST_F(InPlaceTest, ChangesTheStorage) {
  for (const char* place : {"cpu", "sim:0"}) {
    const Tensor x = vector({1, 2}).to(place);
    const Tensor same = x;
    x += vector({10, 20}).to(place);
    x *= x;
    EXPECT_THAT(floats(same), ElementsAre(121, 484));
    EXPECT_EQ(x.version(), 2U);
    x.zero_();
    EXPECT_THAT(floats(same), ElementsAre(0, 0));
  }
}

TEST_F(InPlaceTest, TheFormStays) {
  const Tensor x = vector({1});
  EXPECT_THAT([&] { x += vector({1, 2}); }, ThrowsMessage<Error>(HasSubstr("keeps its form")));
}

TEST_F(InPlaceTest, TakesPartInGradients) {
  const Tensor x = variable({3});
  const Tensor y = x * 2.0;
  y += x;
  y -= vector({1});
  y.backward();
  EXPECT_THAT(floats(x.grad()), ElementsAre(3));
}

TEST_F(InPlaceTest, WhatWouldHaveAWrongGradientIsRefused) {
  const Tensor leaf = variable({1});
  EXPECT_THAT([&] { leaf += vector({1}); }, ThrowsMessage<Error>(HasSubstr("leaf")));
  const Tensor y = leaf * 2.0;
  const Tensor view = y.reshaped({1, 1});
  EXPECT_THAT([&] { y += vector({1}); }, ThrowsMessage<Error>(HasSubstr("shares its memory")));
}

TEST_F(InPlaceTest, AProductWithItselfNeedsWhatItOverwrites) {
  const Tensor x = variable({3});
  const Tensor y = x * 1.0;
  y *= variable({2});
  EXPECT_THAT([&] { y.backward(); }, ThrowsMessage<Error>(HasSubstr("changed in place")));
}

TEST_F(InPlaceTest, CopiesIntoTheStorage) {
  const Tensor target = zeros({2}, kFloat32, "sim:0");
  const Tensor same = target;
  target.copy_(vector({1, 2}));
  target.copy_(vector({3, 4}), /*blocking=*/false);
  EXPECT_THAT(floats(same), ElementsAre(3, 4));
  EXPECT_THAT([&] { target.copy_(vector({1})); }, ThrowsMessage<Error>(HasSubstr("[copy_]")));
}

TEST_F(InPlaceTest, ACopyPassesItsGradientOn) {
  const Tensor x = variable({3});
  const Tensor target = zeros({1});
  target.copy_(x * x);
  (target * 2.0).backward();
  EXPECT_THAT(floats(x.grad()), ElementsAre(12));
}

}  // namespace
}  // namespace loci::eager
