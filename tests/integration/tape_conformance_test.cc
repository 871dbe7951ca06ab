// The conformance cases through the tape: every gradient that a program computes comes out of the
// same ops called step by step, to the bit. Of a sample of the cases with a sanitizer.
#include <gtest/gtest.h>

#include <algorithm>
#include <loci/loci.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/support/program_steps.h"
#include "tests/support/tested_cases.h"
#include "tools/conformance/case.h"
#include "tools/conformance/check.h"

namespace loci {
namespace {

using conformance::Arrays;
using conformance::Case;
using conformance::Variables;

// A case's program up to a weighted sum of its outputs.
struct Forward {
  Program program;
  Variables inputs;
  Variable loss;  // undefined if nothing is floating
  Feed feed;
};

Variable add_feed(Forward& forward, const std::string& name, const conformance::Array& value) {
  forward.feed.emplace_back(name, conformance::to_tensor(value));
  const Variable variable = data(name, value.shape, value.dtype);
  variable.set_stop_gradient(false);
  return variable;
}

Variable weighted(Forward& forward, const Case& subject, const Variable& output) {
  conformance::Array weight(output.dtype(), output.shape());
  conformance::Bits bits(conformance::hash(subject.name() + "/weights"));
  weight.values = conformance::uniform(0.5L, 1.5L)(weight.size(), bits);
  const std::string name = "weight_" + std::to_string(forward.feed.size());
  return reduce_sum(elementwise_mul(output, add_feed(forward, name, weight)));
}

Forward build(const Case& subject) {
  Forward forward;
  const ProgramGuard building(forward.program);
  const Arrays arrays = subject.make_inputs();
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    forward.inputs.push_back(add_feed(forward, "input_" + std::to_string(i), arrays[i]));
  }
  for (const Variable& output : subject.build(forward.inputs)) {
    if (!is_floating(output.dtype())) continue;
    const Variable part = output.shape().is_static() ? weighted(forward, subject, output)
                                                     : reduce_sum(elementwise_mul(output, output));
    // Losses of different dtypes have no sum.
    if (!forward.loss.defined()) {
      forward.loss = part;
    } else if (forward.loss.dtype() == part.dtype()) {
      forward.loss = elementwise_add(forward.loss, part);
    }
  }
  return forward;
}

std::vector<Tensor> by_program(const Case& subject) {
  const Forward forward = build(subject);
  Variables targets;
  for (const std::size_t i : subject.differentiate) targets.push_back(forward.inputs[i]);
  std::vector<Fetch> fetches;
  {
    const ProgramGuard building(forward.program);
    for (const Variable& gradient : gradients(forward.loss, targets))
      fetches.emplace_back(gradient);
  }
  return Executor("cpu", CompileOptions::none()).run(forward.program, forward.feed, fetches);
}

std::vector<Tensor> by_tape(const Case& subject) {
  const Forward forward = build(subject);
  for (const std::size_t i : subject.differentiate) {
    forward.feed[i].second.set_requires_grad();
  }
  const test::ProgramSteps steps(forward.program, Scope(), "cpu");
  const Tensor loss = steps.run(forward.feed, {forward.loss.name()}).front();
  loss.backward();
  std::vector<Tensor> result;
  for (const std::size_t i : subject.differentiate) result.push_back(forward.feed[i].second.grad());
  return result;
}

// Cases name what to differentiate for every dtype, and integers have no gradient.
bool is_differentiated(const Case& subject) {
  return !subject.differentiate.empty() &&
         is_floating(subject.inputs[subject.differentiate.front()].dtype);
}

// Random and updating ops have no inputs to differentiate but those of a program.
bool has_state(const Case& subject) {
  const auto is_state = [](const conformance::Input& input) { return input.state; };
  return subject.random || std::any_of(subject.inputs.begin(), subject.inputs.end(), is_state);
}

std::vector<std::string> differentiated_families() {
  std::set<std::string> families;
  for (const Case& subject : test::tested_cases().cases()) {
    if (is_differentiated(subject) && !has_state(subject)) families.insert(subject.family);
  }
  return {families.begin(), families.end()};
}

class TapeConformance : public ::testing::TestWithParam<std::string> {};

TEST_P(TapeConformance, GivesTheGradientsOfAProgram) {
  for (const Case& subject : test::tested_cases().cases()) {
    if (subject.family != GetParam() || !is_differentiated(subject) || has_state(subject)) continue;
    SCOPED_TRACE(subject.name());
    const std::vector<Tensor> wanted = by_program(subject);
    const std::vector<Tensor> got = by_tape(subject);
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_TRUE(got[i].defined()) << "gradient " << i;
      EXPECT_TRUE(conformance::same_bits(got[i], wanted[i])) << "gradient " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, TapeConformance, ::testing::ValuesIn(differentiated_families()),
                         [](const auto& family) { return family.param; });

}  // namespace
}  // namespace loci
