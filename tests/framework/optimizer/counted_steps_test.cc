// Steps are counted for each parameter by itself, whoever takes them.
#include <gtest/gtest.h>

#include <loci/loci.hpp>
#include <memory>
#include <vector>

#include "tests/framework/optimizer/optimizer_plugins.h"
#include "tests/framework/optimizer/optimizer_steps.h"

namespace loci::optimizer {
namespace {

using CountedStepsTest = WithPlugins;

// Returns what a parameter becomes by so many steps of its own.
std::vector<float> alone(const Make& make, int steps) {
  const auto optimizer = make();
  const Tensor parameter = leaf({1, 2});
  for (int step = 0; step < steps; ++step) step_with_gradients(*optimizer, {parameter});
  return parameter.to_vector<float>();
}

// Those that join late, are left out for a while, or for good, at either place and in any order,
// change as each does alone.
TEST_F(CountedStepsTest, EachParameterCountsItsOwnSteps) {
  for (const Make& make : optimizers()) {
    std::vector<Tensor> all;
    for (const char* place : {"cpu", "sim:0", "cpu", "cpu", "sim:0", "cpu"}) {
      all.push_back(leaf({1, 2}).to(place).detach());
      all.back().set_requires_grad();
    }
    const auto optimizer = make();
    std::vector<int> steps(all.size());
    const std::vector<std::vector<std::size_t>> rounds{
        {0, 1, 2}, {0, 1, 2}, {0, 2}, {3, 0}, {5, 4, 3, 2, 1, 0}, {1, 3}, {0, 1, 2, 3, 4, 5}, {5}};
    for (const auto& round : rounds) {
      std::vector<Tensor> given;
      for (const std::size_t i : round) {
        given.push_back(all[i]);
        ++steps[i];
      }
      step_with_gradients(*optimizer, given);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].to_vector<float>(), alone(make, steps[i])) << i;
    }
  }
}

// Steps that were compiled count with those that are not.
TEST_F(CountedStepsTest, CompiledStepsCountForTheirParameters) {
  for (const Make& make : optimizers()) {
    const Tensor a = leaf({1, 2});
    const Tensor b = leaf({1, 2});
    const auto optimizer = make();
    const CompiledFunction both = compile(
        [&](const std::vector<Tensor>&) {
          step_with_gradients(*optimizer, {a, b});
          return std::vector<Tensor>{clone(a)};
        },
        {}, {}, CompileOptions::exact());
    both({});
    step_with_gradients(*optimizer, {b});
    both({});
    step_with_gradients(*optimizer, {a});
    step_with_gradients(*optimizer, {a});
    both({});
    EXPECT_EQ(a.to_vector<float>(), alone(make, 5));
    EXPECT_EQ(b.to_vector<float>(), alone(make, 4));
  }
}

TEST_F(CountedStepsTest, SavedCountsAreThoseOfParameters) {
  for (const Make& make : optimizers()) {
    const Tensor a = leaf({1, 2});
    const Tensor b = leaf({1, 2});
    const StateDict named{{"a", a}, {"b", b}};
    const auto first = make();
    for (int step = 0; step < 3; ++step) step_with_gradients(*first, {a});
    step_with_gradients(*first, {b, a});
    const StateDict state = first->state_dict(named);
    const auto second = make();
    step_with_gradients(*second, {leaf({3})});
    second->load_state_dict(named, state);
    step_with_gradients(*second, {a, b});
    EXPECT_EQ(a.to_vector<float>(), alone(make, 5));
    EXPECT_EQ(b.to_vector<float>(), alone(make, 2));
  }
}

// A state of before each parameter was counted has one count.
TEST_F(CountedStepsTest, AStateWithOneCountIsTaken) {
  const auto adam = [] { return std::make_unique<Adam>(0.1); };
  const Tensor a = leaf({1, 2});
  Adam first(0.1);
  for (int step = 0; step < 3; ++step) step_with_gradients(first, {a});
  StateDict state = first.state_dict({{"a", a}});
  ASSERT_EQ(state.back().first, "a.step");
  state.back().first = "step";
  Adam second(0.1);
  second.load_state_dict({{"a", a}}, state);
  step_with_gradients(second, {a});
  EXPECT_EQ(a.to_vector<float>(), alone(adam, 4));
}

}  // namespace
}  // namespace loci::optimizer
