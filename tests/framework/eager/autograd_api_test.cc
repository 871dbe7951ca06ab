#include <loci/autograd.hpp>

#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class AutogradApiTest : public EagerTest {};

TEST_F(AutogradApiTest, OnlyFloatingLeavesMayRequireGradients) {
  EXPECT_THAT([] { arange(0, 2).set_requires_grad(); },
              ThrowsMessage<Error>(HasSubstr("only floating")));
  const Tensor y = variable({1}) * 2.0;
  EXPECT_FALSE(y.is_leaf());
  EXPECT_THAT([&] { y.set_requires_grad(false); }, ThrowsMessage<Error>(HasSubstr("detach()")));
  EXPECT_TRUE(y.detach().is_leaf());
}

TEST_F(AutogradApiTest, GradModeNests) {
  EXPECT_TRUE(is_grad_enabled());
  EXPECT_FALSE(no_grad([] {
    const GradMode on(true);
    EXPECT_TRUE(is_grad_enabled());
    return false;
  }));
  no_grad([] { EXPECT_FALSE(is_grad_enabled()); });
  EXPECT_TRUE(is_grad_enabled());
}

TEST_F(AutogradApiTest, ResultsMayKeepTheirGradient) {
  const Tensor x = variable({3});
  const Tensor y = x * 2.0;
  y.retain_grad();
  (y * y).backward();
  EXPECT_THAT(floats(y.grad()), ElementsAre(12));
  EXPECT_THAT(floats(x.grad()), ElementsAre(24));
}

TEST_F(AutogradApiTest, HooksSeeAndReplaceGradients) {
  const Tensor x = variable({3});
  const Tensor y = x * 2.0;
  std::vector<float> seen;
  y.register_hook([&](const Tensor& gradient) {
    seen = floats(gradient);
    return gradient * 10.0;
  });
  x.register_hook([](const Tensor& gradient) { return gradient + 1.0; });
  y.backward();
  EXPECT_THAT(seen, ElementsAre(1));
  EXPECT_THAT(floats(x.grad()), ElementsAre(21));
  EXPECT_THAT([] { vector({1}).register_hook([](const Tensor& g) { return g; }); },
              ThrowsMessage<Error>(HasSubstr("never be called")));
}

TEST_F(AutogradApiTest, AGradientMayBeSet) {
  const Tensor x = variable({3});
  x.set_grad(vector({7}));
  EXPECT_THAT(floats(x.grad()), ElementsAre(7));
  EXPECT_THAT([&] { x.set_grad(vector({1, 2})); }, ThrowsMessage<Error>(HasSubstr("does not fit")));
}

}  // namespace
}  // namespace loci::eager
