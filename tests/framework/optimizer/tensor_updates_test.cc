#include "framework/optimizer/tensor_updates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <loci/loci.hpp>
#include <memory>

#include "tests/framework/optimizer/optimizer_plugins.h"
#include "tests/framework/optimizer/optimizer_steps.h"

namespace loci::optimizer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using Bits = std::vector<std::vector<float>>;

constexpr int kSteps = 4;

Tensor batch(int step) {
  std::vector<float> elements;
  for (int i = 0; i < 12; ++i) elements.push_back(std::sin(static_cast<float>(i * 3 + step)));
  return Tensor::from(elements, {4, 3});
}

Tensor ids(int step) { return Tensor::from<std::int64_t>({1, 6, 6, step, 2}, {5}); }

// Rates of both forms, so that a change in the middle is seen.
double rate_of(int step) { return step < 2 ? 0.1 : 0.03; }

class TensorUpdatesTest : public WithPlugins {
 protected:
  // The parameters after each step of a program that `build` makes the loss of. `initial` becomes
  // what they were before.
  static Bits program_run(const Make& make, const std::function<Variable()>& build,
                          const std::function<Feed(int)>& feed, std::vector<Tensor>* initial) {
    Program main;
    Program startup;
    const ProgramGuard building(main, startup);
    const Scope scope;
    const auto optimizer = make();
    const auto updated = optimizer->minimize(build());
    Executor executor("cpu", CompileOptions::exact(), scope);
    executor.run(startup);
    for (const ParameterGradient& each : updated) {
      initial->push_back(clone(scope.find(each.parameter.name())));
    }
    Bits bits;
    for (int step = 0; step < kSteps; ++step) {
      scope.set(optimizer->learning_rate().name(),
                Tensor::scalar(static_cast<float>(rate_of(step))));
      executor.run(main, feed(step));
      for (const ParameterGradient& each : updated) {
        bits.push_back(scope.find(each.parameter.name()).to_vector<float>());
      }
    }
    return bits;
  }

  // Returns the parameters after each step of an optimizer on tensors.
  static Bits tensor_run(const Make& make, const std::vector<Tensor>& initial, const Place& place,
                         const std::function<Tensor(const std::vector<Tensor>&, int)>& loss) {
    std::vector<Tensor> parameters;
    for (const Tensor& each : initial) {
      parameters.push_back(clone(each).to(place));
      parameters.back().set_requires_grad();
    }
    const auto optimizer = make();
    Bits bits;
    for (int step = 0; step < kSteps; ++step) {
      Optimizer::zero_grad(parameters);
      loss(parameters, step).backward();
      optimizer->set_learning_rate(rate_of(step));
      optimizer->step(parameters);
      for (const Tensor& each : parameters) bits.push_back(each.to_vector<float>());
    }
    return bits;
  }
};

TEST_F(TensorUpdatesTest, TrainAsProgramsDoToTheBit) {
  for (const Make& make : optimizers()) {
    std::vector<Tensor> initial;
    const Bits expected = program_run(
        make,
        [] {
          const Variable hidden = relu(layers::fc(data("x", {4, 3}, kFloat32), 5));
          return mean(square(layers::fc(hidden, 2)));
        },
        [](int step) {
          return Feed{{"x", batch(step)}};
        },
        &initial);
    for (const char* place : {"cpu", "sim:0"}) {
      EXPECT_EQ(tensor_run(make, initial, place,
                           [&](const std::vector<Tensor>& p, int step) {
                             const Tensor x = batch(step).to(place);
                             return mean(square(mul(relu(mul(x, p[0]) + p[1]), p[2]) + p[3]));
                           }),
                expected)
          << place;
    }
  }
}

TEST_F(TensorUpdatesTest, TrainOnRowsAsProgramsDoToTheBit) {
  for (const Make& make : optimizers()) {
    std::vector<Tensor> initial;
    const Bits expected = program_run(
        make,
        [] {
          return mean(square(layers::embedding(data("ids", {5}, kInt64), {7, 3})));
        },
        [](int step) {
          return Feed{{"ids", ids(step)}};
        },
        &initial);
    for (const char* place : {"cpu", "sim:0"}) {
      EXPECT_EQ(tensor_run(make, initial, place,
                           [&](const std::vector<Tensor>& p, int step) {
                             const Tensor loss = mean(square(embedding(p[0], ids(step).to(place))));
                             return loss;
                           }),
                expected)
          << place;
    }
  }
}

TEST_F(TensorUpdatesTest, RowsStayRows) {
  const Tensor table = ones({7, 3});
  table.set_requires_grad();
  mean(embedding(table, ids(0))).backward();
  SGD(0.5).step({table});
  EXPECT_TRUE(table.grad_rows().defined()) << "step() has not made them dense";
}

TEST_F(TensorUpdatesTest, LeaveParametersWithoutAGradientAlone) {
  const Tensor used = leaf({1, 2});
  const Tensor idle = leaf({3, 4});
  SGD sgd(1);
  mean(used * used).backward();
  sgd.step({used, idle});
  EXPECT_THAT(used.to_vector<float>(), ElementsAre(0, 0));
  EXPECT_THAT(idle.to_vector<float>(), ElementsAre(3, 4));
  EXPECT_TRUE(used.grad().defined());
  Optimizer::zero_grad({used, idle});
  EXPECT_FALSE(used.grad().defined());
}

TEST_F(TensorUpdatesTest, ParametersChangeWhereTheyAre) {
  const Tensor there = leaf({1, 2}).to("sim:1").detach();
  there.set_requires_grad();
  const Tensor here = leaf({3, 4});
  Adam adam(0.5);
  const Tensor same = leaf({1, 2});
  Adam alone(0.5);
  for (int step = 0; step < 3; ++step) {
    Optimizer::zero_grad({there, here, same});
    mean(there * there).backward();
    mean(here * here).backward();
    mean(same * same).backward();
    {
      const DeviceGuard guard("sim:0");  // says where results are computed, not where state is
      adam.step({there, here});
    }
    alone.step({same});
    EXPECT_EQ(there.to_vector<float>(), same.to_vector<float>());
  }
  EXPECT_NE(here.to_vector<float>()[0], 3);
}

TEST_F(TensorUpdatesTest, TellOfParametersThatRoundStepsAway) {
  for (const DType dtype : {kBFloat16, kFloat16}) {
    SGD sgd(0.1);
    const Tensor wide = leaf({1});
    const Tensor narrow = cast(leaf({1}), dtype).detach();
    narrow.set_requires_grad();
    testing::internal::CaptureStderr();
    step_with_gradients(sgd, {wide});
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    testing::internal::CaptureStderr();
    for (int step = 0; step < 3; ++step) step_with_gradients(sgd, {wide, narrow});
    const std::string told = testing::internal::GetCapturedStderr();
    const std::size_t at = told.find("[sgd] updates");
    ASSERT_NE(at, std::string::npos) << told;
    EXPECT_EQ(told.find("[sgd] updates", at + 1), std::string::npos) << told;
    EXPECT_THAT(told, HasSubstr(std::string(dtype_name(dtype)) + ": a step below about"));
    EXPECT_THAT(told, HasSubstr("keep parameters in float32 (master weights)"));
  }
}

TEST_F(TensorUpdatesTest, ProgramsTellOfParametersThatRoundStepsAway) {
  const Program main;
  const Program startup;
  const ProgramGuard building(main, startup);
  const Variable w = create_parameter({2}, kBFloat16, initializer::constant(1), "w");
  testing::internal::CaptureStderr();
  SGD(0.1).minimize(mean(w));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("[sgd] updates 'w', which is bf"));
}

TEST_F(TensorUpdatesTest, StateEndsWithItsParameter) {
  Momentum momentum(1);
  std::vector<float> first;
  for (int round = 0; round < 3; ++round) {
    const Tensor parameter = leaf({1});
    mean(parameter * 1.0).backward();
    momentum.step({parameter});
    momentum.step({parameter});
    if (round == 0) first = parameter.to_vector<float>();
    EXPECT_EQ(parameter.to_vector<float>(), first);
  }
}

TEST_F(TensorUpdatesTest, ParametersAreFoundInAnyOrder) {
  const Tensor a = leaf({1});
  const Tensor b = leaf({1});
  Momentum momentum(1);
  mean(a * 1.0).backward();
  mean(b * 1.0).backward();
  momentum.step({a, b});
  momentum.step({b, a});
  momentum.step({b});
  momentum.step({a});
  EXPECT_EQ(a.to_vector<float>(), b.to_vector<float>());
}

TEST_F(TensorUpdatesTest, ShortParametersHaveStateInFloat32) {
  const Tensor parameter = cast(leaf({1, 2}), kFloat16).detach();
  parameter.set_requires_grad();
  mean(parameter * parameter).backward();
  EXPECT_NO_THROW(Adam(0.1).step({parameter}));
  EXPECT_NE(cast(parameter.detach(), kFloat32).to_vector<float>()[0], 1);
}

TEST_F(TensorUpdatesTest, BackwardNamesWhatAStepHasChanged) {
  const Tensor parameter = leaf({1, 2});
  const Tensor loss = mean(parameter * parameter);
  loss.backward({}, /*retain_graph=*/true);
  SGD(0.1).step({parameter});
  EXPECT_THAT([&] { loss.backward(); },
              ThrowsMessage<Error>(HasSubstr("has been changed in place since")));
}

// Even if the first step is one that is traced.
TEST_F(TensorUpdatesTest, TracedStepsKeepTheirState) {
  for (const Make& make : optimizers()) {
    for (const char* place : {"cpu", "sim:0"}) {
      const Tensor plain = leaf({1, 2}).to(place).detach();
      const Tensor traced = leaf({1, 2}).to(place).detach();
      plain.set_requires_grad();
      traced.set_requires_grad();
      const auto train = [](Optimizer& optimizer, const Tensor& w) {
        const Tensor loss = mean(w * w * w);
        Optimizer::zero_grad({w});
        loss.backward();
        optimizer.step({w});
        return loss;
      };
      const auto step_by_step = make();
      const auto compiled = make();
      const CompiledFunction step = compile(
          [&](const std::vector<Tensor>&) { return std::vector<Tensor>{train(*compiled, traced)}; },
          {}, {}, CompileOptions::exact());
      for (int i = 0; i < kSteps; ++i) {
        step_by_step->set_learning_rate(rate_of(i));
        compiled->set_learning_rate(rate_of(i));
        train(*step_by_step, plain);
        step({});
        EXPECT_EQ(traced.to_vector<float>(), plain.to_vector<float>()) << place << ", step " << i;
      }
    }
  }
}

// It would be set once, by the trace, and by none of the runs.
// What a first step makes is there once, also where that step is being captured.
TEST_F(TensorUpdatesTest, ACapturedFirstStepKeepsItsState) {
  for (const char* place : {"cpu", "sim:0"}) {
    for (const Make& make : optimizers()) {
      std::array<std::vector<float>, 2> weights;
      for (const bool captured : {false, true}) {
        const Tensor weight = full({3, 2}, 1.0, kFloat32, place);
        const Tensor x = batch(0).to(place);
        weight.set_requires_grad();
        const auto optimizer = make();
        const auto step = [&] {
          optimizer->zero_grad({weight});
          mean(square(matmul(x, weight))).backward();
          optimizer->step({weight});
        };
        Graph graph{Place(place)};
        if (captured) graph.capture_begin();
        if (captured) step();
        if (captured) graph.capture_end();
        for (int i = 0; i < kSteps; ++i) {
          optimizer->set_learning_rate(rate_of(i));
          captured ? graph.replay() : step();
        }
        weights[captured] = weight.to_vector<float>();
      }
      EXPECT_EQ(weights[0], weights[1]) << place;
    }
  }
}

TEST_F(TensorUpdatesTest, ARateIsNotSetWithinATrace) {
  const Tensor w = leaf({1, 2});
  SGD sgd(1);
  const auto sets = [&](const std::vector<Tensor>&) {
    sgd.set_learning_rate(0.5);
    mean(w * w).backward();
    sgd.step({w});
    return std::vector<Tensor>{};
  };
  EXPECT_THAT([&] { (void)compile(sets, {}); },
              ThrowsMessage<Error>(HasSubstr("[sgd] set_learning_rate() within a trace")));
  EXPECT_EQ(sgd.learning_rate_value(), 1) << "nothing has changed";
  const auto makes_one = [&](const std::vector<Tensor>&) {
    return std::vector<Tensor>{full({1}, SGD(0.25).learning_rate_value(), kFloat32)};
  };
  EXPECT_THAT(compile(makes_one, {})({})[0].to_vector<float>(), ElementsAre(0.25F));
}

TEST_F(TensorUpdatesTest, RefuseWhatCannotBeTrained) {
  const Tensor parameter = leaf({1, 2});
  SGD sgd(1);
  EXPECT_THAT([&] { sgd.step({parameter}); },
              ThrowsMessage<Error>(HasSubstr("[sgd] none of the 1 parameters has a gradient; call "
                                             "backward()")));
  mean(parameter * parameter).backward();
  parameter.set_name("w");
  EXPECT_THAT(
      [&] {
        sgd.step({parameter, Tensor()});
      },
      ThrowsMessage<Error>(HasSubstr("[sgd] parameter 1 is an undefined tensor")));
  EXPECT_THAT(
      [&] {
        sgd.step({parameter, parameter});
      },
      ThrowsMessage<Error>(HasSubstr("[sgd] parameter 1 'w' [2] is given twice")));
  EXPECT_THAT(
      [&] {
        sgd.step({parameter, parameter * 2.0});
      },
      ThrowsMessage<Error>(HasSubstr("is the result of recorded ops")));
  EXPECT_THAT([&] { sgd.set_learning_rate(std::nan("")); },
              ThrowsMessage<Error>(HasSubstr("[sgd] the learning rate is nan; give a finite one")));
  EXPECT_EQ(sgd.learning_rate_value(), 1);
  EXPECT_THAT(parameter.to_vector<float>(), ElementsAre(1, 2)) << "nothing has changed";
  sgd.step({parameter});
  EXPECT_THAT(parameter.to_vector<float>(), ElementsAre(0, 0));
}

// Training that ends and goes on in other tensors, perhaps at another place, with random numbers.
TEST_F(TensorUpdatesTest, GoesOnFromASavedStateToTheBit) {
  struct Training {
    Training(const Make& make, const Place& place) : optimizer(make()), at(place) {
      const DeviceGuard guard(at);
      weight = full({3, 2}, 0.5);
      weight.set_requires_grad();
    }
    void steps(int from, int to) {
      const DeviceGuard guard(at);
      for (int step = from; step < to; ++step) {
        optimizer->set_learning_rate(rate_of(step));
        Optimizer::zero_grad({weight});
        mean(square(matmul(dropout(batch(step).to(at)), weight))).backward();
        optimizer->step({weight});
      }
    }
    StateDict named() const { return {{"w", weight}}; }

    std::unique_ptr<Optimizer> optimizer;
    Place at;
    Tensor weight;
  };
  for (const Make& make : optimizers()) {
    for (const char* place : {"cpu", "sim:0"}) {
      seed(3);
      Training whole(make, place);
      whole.steps(0, 2);
      const StateDict state = whole.optimizer->state_dict(whole.named());
      const Tensor random = random_state();
      const std::vector<float> weight = whole.weight.to_vector<float>();
      whole.steps(2, kSteps);
      Training resumed(make, place);
      {
        const NoGrad scope;
        resumed.weight.copy_(Tensor::from(weight, {3, 2}));
      }
      resumed.optimizer->load_state_dict(resumed.named(), state);
      set_random_state(random);
      EXPECT_EQ(resumed.optimizer->learning_rate_value(), rate_of(1));
      resumed.steps(2, kSteps);
      EXPECT_EQ(resumed.weight.to_vector<float>(), whole.weight.to_vector<float>()) << place;
    }
  }
}

TEST_F(TensorUpdatesTest, AStateThatDoesNotFitChangesNothing) {
  Adam adam(0.1);
  Tensor weight = full({2}, 1.0);
  const StateDict named{{"w", weight}};
  StateDict state = adam.state_dict(named);
  state.emplace_back("other.moment1", weight);
  EXPECT_THAT([&] { adam.load_state_dict(named, state); },
              ThrowsMessage<Error>(HasSubstr("'other.moment1' is no parameter's")));
  EXPECT_EQ(adam.learning_rate_value(), 0.1);
}

}  // namespace
}  // namespace loci::optimizer
