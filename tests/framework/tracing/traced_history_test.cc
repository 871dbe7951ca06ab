// Tests what the tape says within a trace.
#include <loci/autograd.hpp>
#include <loci/trace.hpp>

#include "tests/framework/eager/eager_fixture.h"

namespace loci::tracing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Tensors = std::vector<Tensor>;

class TracedHistoryTest : public eager::EagerTest {
 protected:
  // The error of a trace.
  template <class Fn>
  auto tracing(const Fn& fn) const {
    return [this, fn] { (void)trace([&](const Tensors& in) { return fn(in[0]); }, {x_}); };
  }

  const Tensor w_ = variable({1, 2});
  const Tensor x_ = vector({3, 4});
};

TEST_F(TracedHistoryTest, ResultsSayWhatIsRecordedOfThem) {
  (void)trace(
      [&](const Tensors& in) {
        const Tensor y = w_ * in[0];
        EXPECT_TRUE(y.requires_grad());
        EXPECT_FALSE(y.is_leaf());
        EXPECT_FALSE((in[0] * 2.0).requires_grad());
        EXPECT_TRUE((in[0] * 2.0).is_leaf());
        EXPECT_FALSE(y.detach().requires_grad());
        EXPECT_FALSE(no_grad([&] { return w_ * in[0]; }).requires_grad());
        EXPECT_TRUE(y.reshaped({2, 1}).requires_grad());
        EXPECT_FALSE(equal(y, y).requires_grad());
        EXPECT_TRUE(w_.is_leaf());
        const Tensor z = in[0] + 1.0;
        z.add_(y);
        EXPECT_TRUE(z.requires_grad());
        z.fill_(0);
        EXPECT_FALSE(z.requires_grad());
        return Tensors{y};
      },
      {x_});
}

TEST_F(TracedHistoryTest, QuestionsThatHangOnARunAreRefused) {
  const auto chosen = [this](const Tensor& x) {
    const auto on = greater_than(reduce_sum(x), full_like(reduce_sum(x), 0.0));
    return cond(
        on, [&] { return w_ * x; }, [&] { return x * 1.0; });
  };
  EXPECT_THAT(tracing([=](const Tensor& x) {
                return Tensors{(chosen(x) * 2.0).requires_grad() ? x : x * 2.0};
              }),
              ThrowsMessage<Error>(HasSubstr("hangs on which branch runs")));
  EXPECT_THAT(tracing([=](const Tensor& x) { return Tensors{chosen(x).is_leaf() ? x : x * 2.0}; }),
              ThrowsMessage<Error>(HasSubstr("[trace] is_leaf() of")));
  EXPECT_NO_THROW(tracing([=, this](const Tensor& x) {
    return Tensors{(chosen(x) + w_).requires_grad() ? x * 1.0 : x * 2.0};
  })());
  EXPECT_THAT(tracing([](const Tensor& x) {
                ScanOptions options;
                options.length = 2;
                return scan(
                           [](const Tensors& now, const Tensors&) {
                             const bool asked = now[0].requires_grad();
                             return ScanResult<Tensor>{{asked ? now[0] : now[0] * 2.0}, {}};
                           },
                           {x}, {}, options)
                    .carry;
              }),
              ThrowsMessage<Error>(HasSubstr("hangs on the iteration of a loop or scan")));
}

TEST_F(TracedHistoryTest, WatchesOfWhatOutlivesTheCallAreRefused) {
  const auto hook = [](const Tensor&) { return Tensor(); };
  EXPECT_THAT(tracing([=, this](const Tensor& x) {
                w_.register_hook(hook);
                return Tensors{x * 1.0};
              }),
              ThrowsMessage<Error>(AllOf(HasSubstr("[trace] register_hook() of"),
                                         HasSubstr("is from outside of the function"))));
  const Tensor recorded = w_ * 2.0;
  EXPECT_THAT(tracing([=](const Tensor& x) {
                recorded.retain_grad();
                return Tensors{x * 1.0};
              }),
              ThrowsMessage<Error>(HasSubstr("[trace] retain_grad() of")));
  EXPECT_THAT(tracing([=, this](const Tensor& x) {
                const auto on = greater_than(reduce_sum(x), full_like(reduce_sum(x), 0.0));
                return Tensors{cond(
                    on,
                    [&] {
                      const Tensor y = w_ * x;
                      y.register_hook(hook);
                      return y;
                    },
                    [&] { return w_ * 1.0; })};
              }),
              ThrowsMessage<Error>(HasSubstr("is of a branch or loop")));
}

TEST_F(TracedHistoryTest, GradientsDoNotGoOnOutside) {
  const Tensor recorded = w_ * 2.0;
  const auto refusal = ThrowsMessage<Error>(AllOf(
      HasSubstr("[trace] a gradient gets to"), HasSubstr("was computed outside of the function")));
  EXPECT_THAT(tracing([=](const Tensor& x) {
                reduce_sum(recorded * x).backward();
                return Tensors{x * 1.0};
              }),
              refusal);
  EXPECT_THAT(
      tracing([=, this](const Tensor& x) { return grad({reduce_sum(recorded * x)}, {w_}); }),
      refusal);
  EXPECT_NO_THROW(
      tracing([=](const Tensor& x) { return grad({reduce_sum(recorded * x)}, {recorded}); })());
  EXPECT_THAT(tracing([=](const Tensor& x) {
                reduce_sum(x * x).backward();
                return Tensors{x * 1.0};
              }),
              ThrowsMessage<Error>(HasSubstr("nothing is recorded of")));
}

TEST_F(TracedHistoryTest, ACallLeavesWhatTheFunctionSets) {
  const Tensor given = vector({5, 6});
  const CompiledFunction compiled = compile(
      [&](const Tensors& in) {
        w_.set_requires_grad(false);
        in[0].set_requires_grad();
        reduce_sum(w_ * in[0]).backward();
        return Tensors{in[0] * 1.0};
      },
      {x_});
  EXPECT_TRUE(w_.requires_grad()) << "a trace leaves nothing";
  EXPECT_FALSE(x_.requires_grad());
  compiled({given});
  EXPECT_FALSE(w_.requires_grad());
  EXPECT_TRUE(given.requires_grad());
  EXPECT_THAT(floats(given.grad()), ElementsAre(1, 2));
  EXPECT_FALSE(x_.grad().defined());
}

}  // namespace
}  // namespace loci::tracing
