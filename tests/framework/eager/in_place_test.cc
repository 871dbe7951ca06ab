#include <functional>

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

TEST_F(InPlaceTest, AssignsToASlice) {
  for (const char* place : {"cpu", "sim:0"}) {
    const Tensor x = vector({1, 2, 3, 4, 5}).to(place);
    const Tensor same = x;
    x.set_slice_(vector({10, 20}).to(place), {0}, {1}, {3});
    x.set_slice_(vector({7}).to(place), {0}, {-1}, {1000});
    EXPECT_THAT(floats(same), ElementsAre(1, 10, 20, 4, 7));
    EXPECT_EQ(x.version(), 2U);
    // The source is read as it was before, also where it is the tensor itself or a view of it.
    x.set_slice_(x, {0}, {4}, {-1000}, {-1});
    EXPECT_THAT(floats(same), ElementsAre(7, 4, 20, 10, 1));
    x.set_slice_(x.rows(0, 3), {0}, {1}, {4});
    EXPECT_THAT(floats(same), ElementsAre(7, 7, 4, 20, 1));
  }
}

TEST_F(InPlaceTest, AnAssignmentToASliceTakesPartInGradients) {
  const Tensor x = variable({1, 2, 3});
  const Tensor y = variable({5});
  const Tensor z = x * 2.0;
  z.set_slice_(y * 3.0, {0}, {1}, {3});
  EXPECT_THAT(floats(z), ElementsAre(2, 15, 15));
  reduce_sum(z).backward();
  EXPECT_THAT(floats(x.grad()), ElementsAre(2, 0, 0));
  EXPECT_THAT(floats(y.grad()), ElementsAre(6));
}

TEST_F(InPlaceTest, AReversalOfTheTensorItselfTakesPartInGradients) {
  for (const char* place : {"cpu", "sim:0"}) {
    const Tensor x = variable({1, 2, 3}, place);
    const Tensor w = vector({1, 10, 100}).to(place);
    const Tensor z = x * 2.0;
    z.set_slice_(z, {0}, {2}, {-1000}, {-1});
    EXPECT_THAT(floats(z), ElementsAre(6, 4, 2));
    reduce_sum(z * w).backward();
    const Tensor other = variable({1, 2, 3}, place);
    const Tensor y = other * 2.0;
    reduce_sum(set_slice(y, y, {0}, {2}, {-1000}, {-1}) * w).backward();
    EXPECT_THAT(floats(x.grad()), ElementsAre(200, 20, 2)) << place;
    EXPECT_EQ(floats(x.grad()), floats(other.grad())) << place;
  }
}

TEST_F(InPlaceTest, WhatDoesNotFitIntoTheSliceIsRefused) {
  const Tensor x = vector({1, 2, 3});
  EXPECT_THAT(
      [&] {
        x.set_slice_(vector({1, 2, 3}), {0}, {0}, {2});
      },
      ThrowsMessage<Error>(HasSubstr("cannot be repeated to [2], the slice of x")));
  EXPECT_THAT(floats(x), ElementsAre(1, 2, 3));
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

// The source is read as if it had been copied first: NumPy gives this for t[1:8] += t[0:7].
TEST_F(InPlaceTest, AViewThatOverlapsIsReadAsItWas) {
  constexpr std::int64_t kRows = 4096;  // several times what a loop takes at once
  std::vector<float> elements(kRows * 3);
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i % 17);
  for (const char* place : {"cpu", "sim:0"}) {
    for (const std::int64_t shift : {1, 5, 2000}) {
      for (const bool forward : {true, false}) {
        const Tensor t = Tensor::from(elements, {kRows, 3}).to(place);
        const Tensor low = t.rows(0, kRows - shift);
        const Tensor high = t.rows(shift, kRows);
        (forward ? high : low).add_(forward ? low : high);
        std::vector<float> expected = elements;
        const auto by = static_cast<std::size_t>(shift * 3);
        for (std::size_t i = by; i < elements.size(); ++i) {
          expected[forward ? i : i - by] = elements[i] + elements[i - by];
        }
        EXPECT_EQ(floats(t), expected) << place << " " << shift << " " << forward;
      }
    }
  }
}

TEST_F(InPlaceTest, EachChangeReadsAnOverlappingViewAsItWas) {
  const std::vector<float> elements{1, 2, 4, 8};
  const auto changed = [&](const std::function<void(const Tensor&, const Tensor&)>& change) {
    const Tensor t = vector(elements);
    change(t.rows(1, 4), t.rows(0, 3));
    return floats(t);
  };
  using T = Tensor;
  EXPECT_THAT(changed([](const T& x, const T& y) { x.add_(y); }), ElementsAre(1, 3, 6, 12));
  EXPECT_THAT(changed([](const T& x, const T& y) { x.sub_(y); }), ElementsAre(1, 1, 2, 4));
  EXPECT_THAT(changed([](const T& x, const T& y) { x.mul_(y); }), ElementsAre(1, 2, 8, 32));
  EXPECT_THAT(changed([](const T& x, const T& y) { x.div_(y); }), ElementsAre(1, 2, 2, 2));
  EXPECT_THAT(changed([](const T& x, const T& y) { x.copy_(y); }), ElementsAre(1, 1, 2, 4));
}

TEST_F(InPlaceTest, ARowOfTheTensorMayBeAddedToAllOfIt) {
  for (const char* place : {"cpu", "sim:0"}) {
    const Tensor t = Tensor::from<float>({1, 2, 10, 20, 100, 200}, {3, 2}).to(place);
    t += t[0];
    EXPECT_THAT(floats(t), ElementsAre(2, 4, 11, 22, 101, 202));
    t += t.rows(2, 3);
    EXPECT_THAT(floats(t), ElementsAre(103, 206, 112, 224, 202, 404));
  }
}

TEST_F(InPlaceTest, AnOverlappingChangeUnderAGuardOfAnotherPlace) {
  const Tensor t = vector({1, 2, 4, 8}).to("sim:0");
  const DeviceGuard guard("cpu");
  t.rows(1, 4).add_(t.rows(0, 3));
  EXPECT_THAT(floats(t), ElementsAre(1, 3, 6, 12));
}

TEST_F(InPlaceTest, ViewsThatDoNotOverlapAreNotCopied) {
  const Tensor t = vector({1, 2, 4, 8});
  t.rows(0, 2).add_(t.rows(2, 4));
  t.reshaped({2, 2}).mul_(t.reshaped({2, 2}));
  EXPECT_THAT(floats(t), ElementsAre(25, 100, 16, 64));
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
