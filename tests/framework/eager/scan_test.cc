#include "framework/eager/scan.h"

#include <loci/autograd.hpp>

#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Tensors = std::vector<Tensor>;
using Step = ScanResult<Tensor>;

class EagerScanTest : public EagerTest {
 protected:
  static Step sum(const Tensors& carry, const Tensors& xs) {
    const Tensor next = carry[0] + xs[0];
    return {{next}, {next}};
  }
  static Tensor rows(const std::vector<float>& values) {
    return Tensor::from(values, {static_cast<std::int64_t>(values.size()) / 2, 2});
  }
};

TEST_F(EagerScanTest, CallsTheBodyForEachSlice) {
  for (const char* place : {"cpu", "sim:0"}) {
    const Tensor xs = rows({1, 2, 3, 4, 5, 6}).to(place);
    const Step forth = run_scan(sum, {vector({0, 0}).to(place)}, {xs}, {});
    EXPECT_THAT(floats(forth.carry[0]), ElementsAre(9, 12));
    EXPECT_THAT(floats(forth.ys[0]), ElementsAre(1, 2, 4, 6, 9, 12));
    EXPECT_EQ(forth.ys[0].place(), Place(place));
    const Step back = run_scan(sum, {vector({0, 0}).to(place)}, {xs}, {-1, /*reverse=*/true});
    EXPECT_THAT(floats(back.ys[0]), ElementsAre(9, 12, 8, 10, 5, 6));
  }
}

TEST_F(EagerScanTest, KnowsItsStepsByTheLength) {
  const auto twice = [](const Tensors& carry, const Tensors&) {
    return Step{{carry[0] * 2.0}, {carry[0]}};
  };
  EXPECT_THAT(floats(run_scan(twice, {vector({1})}, {}, {3}).ys[0]), ElementsAre(1, 2, 4));
  EXPECT_EQ(scan_steps({rows({1, 2})}, {1}), 1);
}

TEST_F(EagerScanTest, GradientsGoThroughAllSteps) {
  const Tensor h = vector({1}).set_requires_grad();
  const Tensor xs = Tensor::from<float>({2, 3, 4}, {3, 1}).set_requires_grad();
  const Step made = run_scan(
      [](const Tensors& carry, const Tensors& slices) {
        const Tensor next = carry[0] * slices[0];
        return Step{{next}, {next}};
      },
      {h}, {xs}, {});
  EXPECT_THAT(floats(made.ys[0]), ElementsAre(2, 6, 24));
  reduce_sum(made.ys[0]).backward();
  EXPECT_THAT(floats(h.grad()), ElementsAre(32));
  EXPECT_THAT(floats(xs.grad()), ElementsAre(16, 10, 6));
}

// The first slices have none, and are where they were written.
TEST_F(EagerScanTest, AnOutputMayComeToHaveAGradient) {
  const Tensor w = vector({2}).set_requires_grad();
  int step = 0;
  const Step made = run_scan(
      [&](const Tensors& carry, const Tensors& slices) {
        return Step{carry, {step++ < 1 ? slices[0] : slices[0] * w}};
      },
      {}, {Tensor::from<float>({5, 6, 7}, {3, 1})}, {});
  EXPECT_THAT(floats(made.ys[0]), ElementsAre(5, 12, 14));
  reduce_sum(made.ys[0]).backward();
  EXPECT_THAT(floats(w.grad()), ElementsAre(13));
}

TEST_F(EagerScanTest, RefusesWhatHasNoSteps) {
  const auto refused = [](const Tensors& xs, const ScanOptions& options, const char* message) {
    EXPECT_THAT([&] { (void)scan_steps(xs, options); }, ThrowsMessage<Error>(HasSubstr(message)));
  };
  refused({}, {}, "[scan] has neither stacked inputs nor a length");
  refused({}, {-2}, "[scan] has the length -2; give a number of steps");
  refused({Tensor()}, {}, "[scan] stacked input 0 is undefined");
  refused({Tensor::from<float>({1}, {})}, {}, "[scan] stacked input 0 is float32 []; give one");
  refused({rows({1, 2})}, {3}, "[scan] has 3 steps by the length, but 1 by stacked input 0");
  refused({rows({1, 2}), rows({1, 2, 3, 4})}, {},
          "[scan] has 1 steps by what is before it, but 2 by stacked input 1");
}

TEST_F(EagerScanTest, RefusesABodyThatDoesNotFitItself) {
  const auto refused = [](const ScanBody& body, const char* message) {
    EXPECT_THAT(
        [&] {
          run_scan(body, {vector({0, 0})}, {rows({1, 2, 3, 4})}, {});
        },
        ThrowsMessage<Error>(HasSubstr(message)));
  };
  refused([](const Tensors&, const Tensors&) { return Step{}; },
          "[scan] its body gives 0 carried value(s) for 1");
  refused(
      [](const Tensors&, const Tensors&) {
        return Step{{vector({1})}, {}};
      },
      "float32 [1], but it is float32 [2] at first; the values of a scan keep dtype and");
  refused(
      [](const Tensors& carry, const Tensors&) {
        return Step{carry, {Tensor()}};
      },
      "[scan] stacked output 0 gets undefined from a step");
  int step = 0;
  refused(
      [&](const Tensors& carry, const Tensors&) {
        return step++ == 0 ? Step{carry, {vector({1})}} : Step{carry, {vector({1, 2})}};
      },
      "[scan] stacked output 0 gets float32 [2] from a step, but is float32 [2, 1] by the first");
  step = 0;
  refused(
      [&](const Tensors& carry, const Tensors&) {
        return step++ == 0 ? Step{carry, {carry[0]}} : Step{carry, {}};
      },
      "gives slices of 0 stacked output(s), and gave 1 in the first step");
}

}  // namespace
}  // namespace loci::eager
