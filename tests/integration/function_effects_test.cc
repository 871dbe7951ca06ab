// Compares what a function does besides its results, and what it asks: the same imperatively,
// compiled, captured and as a program, or refused by name.
#include "tests/integration/function_effects.h"

namespace loci::effects {
namespace {

class FunctionEffectsTest : public FunctionEffects {};
INSTANTIATE_TEST_SUITE_P(Places, FunctionEffectsTest, ::testing::Values("cpu", "sim:0"),
                         [](const auto& info) { return std::string(info.param).substr(0, 3); });

TEST_P(FunctionEffectsTest, RandomNumbers) {
  const auto of_draws = [](const std::string& name, const OfLeaf& fn) {
    Effect effect = of_leaf(name, fn);
    const auto make = effect.make;
    effect.make = [=](const Place& place) {
      Step step = make(place);
      step.state = [] { return Tensors{loci::random_state()}; };
      return step;
    };
    return effect;
  };
  expect_same(of_draws("uniform and normal", [](const Tensor&, const Tensor& x) {
    return Tensors{x + rand({4}, 0, 1, kFloat32, x.place()), randn({3}, 0, 1, kFloat32, x.place())};
  }));
  expect_same(of_draws("dropout with its gradient", [](const Tensor& w, const Tensor& x) {
    w.set_grad({});
    const Tensor y = dropout(w * x, 0.5);
    reduce_sum(y * y).backward();
    return Tensors{y.detach(), w.grad() * 1.0};
  }));
  Effect seeding = of_draws("seed()", [](const Tensor&, const Tensor& x) {
    seed(3);
    return Tensors{x + rand({4}, 0, 1, kFloat32, x.place())};
  });
  seeding.compiled = "[random] seed() within a trace";
  seeding.graph = "[random] seed() within a capture";
  expect_same(seeding);
  Effect asking = of_draws("random_state()", [](const Tensor&, const Tensor& x) {
    return Tensors{x * 1.0, loci::random_state()};
  });
  asking.compiled = "[random] random_state() within a trace";
  asking.graph = "[random] random_state() within a capture";
  expect_same(asking);
}

TEST_P(FunctionEffectsTest, ChangesInPlace) {
  expect_same(of_leaf("of what the function made", [](const Tensor& w, const Tensor& x) {
    const Tensor y = w * x;
    y.add_(x);
    y.sub_(w);
    w.set_grad({});
    reduce_sum(y).backward();
    return Tensors{y.detach(), w.grad() * 1.0};
  }));
  Effect detached = of_leaf("through detach()", [](const Tensor&, const Tensor& x) {
    const Tensor y = x * 2.0;
    y.detach().add_(x);
    return Tensors{y};
  });
  detached.compiled = "shares its memory with a view";
  expect_same(detached);
  Effect stepping =
      of_leaf("by an optimizer, of which a view is left", [](const Tensor& w, const Tensor& x) {
        const Tensor view = w.detach();
        w.set_grad(x);
        optimizer::SGD(0.5).step({w});
        return Tensors{view * 1.0};
      });
  stepping.compiled = "shares its memory with a tensor from outside that an op has changed";
  expect_same(stepping);
  Effect outside = of_leaf("of a tensor from outside", [](const Tensor& w, const Tensor& x) {
    no_grad([&] { w.add_(x); });
    return Tensors{w * 1.0};
  });
  outside.compiled = "was made outside of the function";
  expect_same(outside);
  Effect given = of_leaf("of an input", [](const Tensor&, const Tensor& x) {
    x.add_(x);
    return Tensors{x * 1.0};
  });
  given.compiled = "is an input of the function";
  expect_same(given);
}

TEST_P(FunctionEffectsTest, BuffersAndCounters) {
  expect_same({"statistics", [](const Place& place) {
                 const auto mean = tensor({0, 0}, place);
                 const auto variance = tensor({1, 1}, place);
                 Step step;
                 step.fn = [=](const Tensors& in) {
                   const Tensor x = reshape(in[0], {2, 2, 1, 1});
                   return Tensors{batch_norm(x, full({2}, 1.0, kFloat32, x.place()),
                                             full({2}, 0.0, kFloat32, x.place()), mean, variance)};
                 };
                 step.state = [=] { return Tensors{mean, variance}; };
                 return step;
               }});
  Effect adam = {"an optimizer's steps", [](const Place& place) {
                   const Tensor w = leaf({1, 2, 3, 4}, place);
                   const auto rule = std::make_shared<optimizer::Adam>(0.1);
                   Step step;
                   step.fn = [=](const Tensors& in) {
                     w.set_grad({});
                     const Tensor loss = loss_of(w, in[0]);
                     loss.backward();
                     rule->step({w});
                     return Tensors{loss.detach()};
                   };
                   step.state = [=] { return Tensors{w, w.grad()}; };
                   return step;
                 }};
  expect_same(adam);
  Effect outside = {"a step with a gradient from outside", [](const Place& place) {
                      const Tensor w = leaf({1, 2, 3, 4}, place);
                      const auto rule = std::make_shared<optimizer::SGD>(0.1);
                      Step step;
                      step.fn = [=](const Tensors& in) {
                        rule->step({w});
                        return Tensors{in[0] * 1.0};
                      };
                      step.state = [=] { return Tensors{w}; };
                      step.before = [=](int call) {
                        w.set_grad({});
                        loss_of(w, input(call, place)).backward();
                      };
                      return step;
                    }};
  outside.graph = "nobody has that tensor any more";
  expect_same(outside);
}

// Numbers go on from one function to the next, and from one form to the next.
TEST_P(FunctionEffectsTest, NoTwoCallsDrawTheSameNumbers) {
  const TensorFunction fn = [](const Tensors& in) {
    return Tensors{rand(in[0].shape(), 0, 1, kFloat32, in[0].place()) + in[0] * 0.0};
  };
  const Tensor short_one = input(0, place_);
  const Tensor long_one = full({7}, 1.0, kFloat32, place_);
  const CompiledFunction first = compile(fn, {short_one});
  const CompiledFunction second = compile(fn, {short_one});
  const auto draw = [&](const Call& call, const Tensor& x) {
    return call({x})[0].to_vector<float>();
  };
  for (const std::uint64_t start : {5, 6}) {
    std::vector<std::vector<float>> expected;
    std::vector<std::vector<float>> got;
    seed(start);
    for (int i = 0; i < 2; ++i) {
      for (const Tensor& x : {short_one, short_one, long_one}) expected.push_back(draw(fn, x));
    }
    seed(start);
    for (int i = 0; i < 2; ++i) {
      got.push_back(draw(first, short_one));
      got.push_back(draw(i == 0 ? Call(second) : Call(fn), short_one));
      got.push_back(draw(first, long_one));
    }
    EXPECT_EQ(got, expected);
  }
}

// Within what is captured, and within control flow, a compiled function draws what is drawn there.
TEST_P(FunctionEffectsTest, ACompiledFunctionDrawsAsItsSurroundingsDo) {
  const TensorFunction noise = [](const Tensors& in) {
    return Tensors{in[0] + rand(in[0].shape(), 0, 1, kFloat32, in[0].place())};
  };
  const CompiledFunction compiled_noise = compile(noise, {input(0, place_)});
  const auto around = [&](const Call& call) {
    return [=](const Place&) {
      Step step;
      step.fn = [=](const Tensors& in) {
        const Tensor before = rand({4}, 0, 1, kFloat32, in[0].place());
        const Tensor first = call({in[0]})[0];
        const Tensor second = cond(
            full({1}, 1.0, kBool), [&] { return call({first})[0]; }, [&] { return first; });
        return Tensors{before, first, second, call({second})[0]};
      };
      step.state = [] { return Tensors{loci::random_state()}; };
      return step;
    };
  };
  const Bits expected = imperative({"noise", around(noise)});
  const Effect effect{"compiled noise", around(compiled_noise)};
  EXPECT_EQ(imperative(effect), expected);
  EXPECT_EQ(compiled(effect, GraphCapture::kOff), expected);
  EXPECT_EQ(captured(effect), expected);
}

// Every function of control flow in every other one.
TEST_P(FunctionEffectsTest, RandomNumbersInNestedControlFlow) {
  using Body = std::function<Tensor(const Tensor&)>;
  const auto positive = [](const Tensor& x) {
    return greater_than(reduce_sum(x * x), full_like(reduce_sum(x), 0.0));
  };
  const std::vector<std::pair<std::string, std::function<Tensor(const Tensor&, const Body&)>>> all =
      {{"cond",
        [=](const Tensor& x, const Body& body) {
          return cond(
              positive(x), [&] { return body(x); }, [&] { return x * 2.0; });
        }},
       {"switch",
        [=](const Tensor& x, const Body& body) {
          return switch_case(full({1}, 1, kInt64), {{0, Branch<Tensor>([&] { return x * 2.0; })},
                                                    {1, Branch<Tensor>([&] { return body(x); })}});
        }},
       {"scan",
        [=](const Tensor& x, const Body& body) {
          ScanOptions options;
          options.length = 2;
          return scan(
                     [&](const Tensors& carry, const Tensors&) {
                       return ScanResult<Tensor>{{body(carry[0])}, {}};
                     },
                     {x}, {}, options)
              .carry[0];
        }},
       {"while", [=](const Tensor& x, const Body& body) {
          return while_loop(
              [](const Tensors& now) { return less_than(now[0], full_like(now[0], 2)); },
              [&](const Tensors& now) {
                return Tensors{now[0] + 1.0, body(now[1])};
              },
              {full({}, 0, kInt64), x})[1];
        }}};
  const Body draw = [](const Tensor& x) { return dropout(x + 0.1, 0.5) + dropout(x, 0.25); };
  for (const auto& [outer_name, outer] : all) {
    for (const auto& [inner_name, inner] : all) {
      for (const auto& [third_name, third] : all) {
        if (outer_name != inner_name && third_name != outer_name) continue;
        const OfLeaf fn = [&draw, &outer = outer, &inner = inner, &third = third](const Tensor& w,
                                                                                  const Tensor& x) {
          w.set_grad({});
          const Tensor y = outer(w * x, [&](const Tensor& a) {
            return inner(a * 1.5, [&](const Tensor& b) { return third(draw(b), draw); });
          });
          reduce_sum(y * y).backward();
          return Tensors{y.detach(), dropout(x, 0.5), w.grad() * 1.0};
        };
        const Effect effect = of_leaf(third_name + " in " + inner_name + " in " + outer_name, fn);
        SCOPED_TRACE(effect.name);
        const Bits expected = imperative(effect);
        expect(effect.name + " compiled", expected, "",
               [&] { return compiled(effect, GraphCapture::kOff); });
        expect_program(effect);
      }
    }
  }
}

}  // namespace
}  // namespace loci::effects
