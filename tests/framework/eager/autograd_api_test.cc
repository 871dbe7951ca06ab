#include <functional>
#include <loci/autograd.hpp>

#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::AllOf;
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

// Returns what backward() says of a hook that returns `wrong`, on a result or on a leaf.
template <class Wrong>
std::string refusal_of_hook(const Tensor& watched, const Tensor& loss, const Wrong& wrong) {
  watched.register_hook(wrong);
  try {
    loss.backward();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.what();
  }
  ADD_FAILURE() << "not refused";
  return {};
}

TEST_F(AutogradApiTest, AHookKeepsTheFormOfTheGradient) {
  const auto refusals = [](const std::function<Tensor(const Tensor&)>& wrong) {
    const Tensor leaf = variable({1, 2});
    leaf.set_name("w");
    const std::string of_leaf = refusal_of_hook(leaf, mean(leaf * 2.0), wrong);
    const Tensor x = variable({1, 2});
    const Tensor y = x * 2.0;
    const std::string of_result = refusal_of_hook(y, mean(y), wrong);
    EXPECT_FALSE(x.grad().defined());
    EXPECT_FALSE(leaf.grad().defined());
    return of_leaf + "\n" + of_result;
  };
  EXPECT_THAT(
      refusals([](const Tensor& g) {
        return g.reshaped({2, 1});
      }),
      AllOf(HasSubstr("a hook returned float32 [2, 1] at cpu, but the gradient of the leaf "
                      "'w' is float32 [2] at cpu; return one of that dtype, shape and place"),
            HasSubstr("but the gradient of a result of ")));
  EXPECT_THAT(refusals([](const Tensor& g) { return mean(g); }), HasSubstr("returned float32 []"));
  EXPECT_THAT(refusals([](const Tensor& g) { return cast(g, kFloat64); }),
              HasSubstr("returned float64 [2] at cpu"));
  EXPECT_THAT(refusals([](const Tensor& g) { return g.to("sim:0"); }),
              HasSubstr("returned float32 [2] at sim:0"));
}

TEST_F(AutogradApiTest, AHookMayReturnNothing) {
  const Tensor x = variable({3});
  x.register_hook([](const Tensor&) { return Tensor(); });
  (x * 2.0).backward();
  EXPECT_THAT(floats(x.grad()), ElementsAre(2));
}

TEST_F(AutogradApiTest, AGradientMayBeSet) {
  const Tensor x = variable({3});
  x.set_grad(vector({7}));
  EXPECT_THAT(floats(x.grad()), ElementsAre(7));
  EXPECT_THAT([&] { x.set_grad(vector({1, 2})); }, ThrowsMessage<Error>(HasSubstr("does not fit")));
}

}  // namespace
}  // namespace loci::eager
