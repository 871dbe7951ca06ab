// Tests what functions do with gradients, in every way of calling them.
#include "tests/integration/function_effects.h"

namespace loci::effects {
namespace {

class GradientEffects : public FunctionEffects {};
INSTANTIATE_TEST_SUITE_P(Places, GradientEffects, ::testing::Values("cpu", "sim:0"),
                         [](const auto& info) { return std::string(info.param).substr(0, 3); });

TEST_P(GradientEffects, GradientsOfLeaves) {
  expect_same(of_leaf("clearing first", [](const Tensor& w, const Tensor& x) {
    w.set_grad({});
    loss_of(w, x).backward();
    return Tensors{w.grad() * 2.0};
  }));
  expect_same(of_leaf("clearing last", [](const Tensor& w, const Tensor& x) {
    const Tensor loss = loss_of(w, x);
    loss.backward();
    const Tensor gradient = w.grad() * 1.0;
    w.set_grad({});
    return Tensors{gradient, loss.detach()};
  }));
  expect_same(of_leaf("two passes", [](const Tensor& w, const Tensor& x) {
    w.set_grad({});
    loss_of(w, x).backward();
    (loss_of(w, x * x) * 0.5).backward();
    return Tensors{w.grad() * 1.0};
  }));
  Effect adding = of_leaf("adding up", [](const Tensor& w, const Tensor& x) {
    const Tensor loss = loss_of(w, x);
    loss.backward();
    return Tensors{loss.detach()};
  });
  expect_same(adding);
  Effect outside = of_leaf(
      "clearing outside",
      [](const Tensor& w, const Tensor& x) {
        const Tensor loss = loss_of(w, x);
        loss.backward();
        return Tensors{loss.detach()};
      },
      [](const Tensor& w, int) { w.set_grad({}); });
  expect_same(outside);
  Effect cycles = of_leaf(
      "clearing every other time",
      [](const Tensor& w, const Tensor& x) {
        const Tensor loss = loss_of(w, x);
        loss.backward();
        return Tensors{loss.detach()};
      },
      [](const Tensor& w, int call) {
        if (call % 2 == 0) w.set_grad({});
      });
  cycles.graph = "nobody has that tensor any more";
  expect_same(cycles);
}

TEST_P(GradientEffects, QuestionsAboutGradients) {
  expect_same(of_leaf(
      "whether there is one",
      [](const Tensor& w, const Tensor& x) {
        return w.grad().defined() ? Tensors{w.grad() + x} : Tensors{x * 0.0};
      },
      [](const Tensor& w, int call) {
        if (call == 0) w.set_grad(tensor({5, 6, 7, 8}, w.place()));
      }));
  expect_same(of_leaf("requires_grad() of a result", [](const Tensor& w, const Tensor& x) {
    return Tensors{(w * x).requires_grad() ? x * 2.0 : x, (x + 1.0).requires_grad() ? x : x * 3.0};
  }));
  expect_same(of_leaf("is_leaf()", [](const Tensor& w, const Tensor& x) {
    const Tensor y = w * x;
    return Tensors{y.is_leaf() ? x : x * 2.0, y.detach().is_leaf() ? x : x * 2.0,
                   w.is_leaf() ? x : x * 2.0, x.is_leaf() ? x : x * 2.0};
  }));
  expect_same(of_leaf("requires_grad() under NoGrad", [](const Tensor& w, const Tensor& x) {
    return no_grad([&] { return Tensors{(w * x).requires_grad() ? x * 2.0 : x * 5.0}; });
  }));
  expect_same(of_leaf("is_grad_enabled()", [](const Tensor&, const Tensor& x) {
    return Tensors{is_grad_enabled() ? x * 2.0 : x * 5.0};
  }));
  // A graph goes on as the host went when it was captured.
  const Effect changing = of_leaf(
      "requires_grad() of a leaf that changes",
      [](const Tensor& w, const Tensor& x) {
        return Tensors{(w * x).requires_grad() ? x * 2.0 : x * 5.0};
      },
      [](const Tensor& w, int call) { w.set_requires_grad(call % 2 == 0); });
  EXPECT_EQ(compiled(changing, GraphCapture::kOff), imperative(changing));
  expect_same(of_leaf("shape(), dtype(), place()", [](const Tensor& w, const Tensor& x) {
    const Tensor y = reshape(w * x, {2, 2});
    return Tensors{y.shape() == Shape{2, 2} && y.dtype() == kFloat32 && y.place() == x.place()
                       ? x * 2.0
                       : x * 5.0};
  }));
  expect_same(of_leaf("version()", [](const Tensor&, const Tensor& x) {
    const Tensor y = x * 2.0;
    const std::uint64_t before = y.version();
    y.add_(x);
    return Tensors{y.version() == before + 1 ? y : x};
  }));
}

TEST_P(GradientEffects, Hooks) {
  const auto halved = [](const Tensor& gradient) { return gradient * 0.5; };
  expect_same(of_leaf(
      "of a leaf",
      [](const Tensor& w, const Tensor& x) {
        w.set_grad({});
        loss_of(w, x).backward();
        return Tensors{w.grad() * 1.0};
      },
      [=](const Tensor& w, int call) {
        if (call == 0) w.register_hook(halved);
      }));
  Effect later = of_leaf(
      "of a leaf, added later",
      [](const Tensor& w, const Tensor& x) {
        w.set_grad({});
        loss_of(w, x).backward();
        return Tensors{x * 1.0};
      },
      [=](const Tensor& w, int call) {
        if (call == 2) w.register_hook(halved);
      });
  later.graph = "was captured before set_requires_grad() or register_hook()";
  expect_same(later);
  expect_same(of_leaf("of results", [=](const Tensor& w, const Tensor& x) {
    w.set_grad({});
    const Tensor y = w * x;
    y.register_hook(halved);
    y.register_hook([](const Tensor& gradient) { return gradient + 3.0; });
    y.register_hook([](const Tensor&) { return Tensor(); });
    reduce_sum(y * y).backward();
    return Tensors{w.grad() * 1.0};
  }));
  expect_same(of_leaf("of the loss and of an own leaf", [=](const Tensor& w, const Tensor& x) {
    const Tensor own = x.detach() * 1.0;
    own.set_requires_grad();
    own.register_hook(halved);
    const Tensor loss = loss_of(w, own);
    loss.register_hook([](const Tensor& gradient) { return gradient * 3.0; });
    w.set_grad({});
    loss.backward();
    return Tensors{w.grad() * 1.0, own.grad() * 1.0};
  }));
  expect_same(of_leaf("of targets", [=](const Tensor& w, const Tensor& x) {
    const Tensor y = w * x;
    y.register_hook(halved);
    return grad({reduce_sum(y * y)}, {y, w});
  }));
  Effect within = of_leaf("registered within, of a leaf", [=](const Tensor& w, const Tensor& x) {
    w.register_hook(halved);
    w.set_grad({});
    loss_of(w, x).backward();
    return Tensors{w.grad() * 1.0};
  });
  within.compiled = "[trace] register_hook() of";
  within.graph = "[capture] register_hook() of";
  expect_same(within);
}

TEST_P(GradientEffects, RetainedGradients) {
  expect_same(of_leaf("of results", [](const Tensor& w, const Tensor& x) {
    const Tensor y = w * x;
    const Tensor z = y * y;
    y.retain_grad();
    z.retain_grad();
    w.set_grad({});
    reduce_sum(z).backward();
    return Tensors{y.grad() * 1.0, z.grad() * 1.0, w.grad() * 1.0};
  }));
  expect_same(of_leaf("through a hook", [](const Tensor& w, const Tensor& x) {
    const Tensor y = w * x;
    y.register_hook([](const Tensor& gradient) { return gradient * 0.25; });
    y.retain_grad();
    w.set_grad({});
    reduce_sum(y * y).backward();
    return Tensors{y.grad() * 1.0};
  }));
}

TEST_P(GradientEffects, GradientsOfResults) {
  expect_same(of_leaf("an intermediate one alone", [](const Tensor& w, const Tensor& x) {
    const Tensor y = w * x;
    return grad({reduce_sum(y * y)}, {y});
  }));
  expect_same(of_leaf("the output itself", [](const Tensor& w, const Tensor& x) {
    const Tensor z = reduce_sum(w * x);
    return grad({z}, {z});
  }));
  expect_same(of_leaf("a view", [](const Tensor& w, const Tensor& x) {
    const Tensor v = (w * x).reshaped({2, 2});
    return grad({reduce_sum(v * v)}, {v});
  }));
  expect_same(of_leaf("of which nothing is recorded", [](const Tensor& w, const Tensor& x) {
    const Tensor y = x * 2.0;
    return Tensors{grad({reduce_sum(w * y)}, {y})[0].defined() ? x : x * 3.0};
  }));
  expect_same(of_leaf("a constant in a later loss", [](const Tensor& w, const Tensor& x) {
    const Tensor slope = grad({loss_of(w, x)}, {w})[0];
    return grad({reduce_sum(slope * w)}, {w});
  }));
  expect_same(of_leaf("a recorded one in a later loss", [](const Tensor& w, const Tensor& x) {
    const Tensor slope = grad({loss_of(w, x)}, {w}, {}, true, true)[0];
    return grad({reduce_sum(slope * slope * w)}, {w});
  }));
  expect_same(of_leaf("weighted under NoGrad", [](const Tensor& w, const Tensor& x) {
    const Tensor y = w * x;
    w.set_grad({});
    no_grad([&] { y.backward(x); });
    return Tensors{w.grad() * 1.0};
  }));
  expect_same(of_leaf("a leaf that becomes one late", [](const Tensor&, const Tensor& x) {
    const Tensor own = x * 1.0;
    const Tensor before = own * 2.0;
    own.set_requires_grad();
    return grad({reduce_sum(before + own * own)}, {own});
  }));
}

}  // namespace
}  // namespace loci::effects
