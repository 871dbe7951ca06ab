// Every op where a device has no kernel for it: as a program, imperatively, compiled from a trace
// and captured, results are to the bit what the CPU gives. The device has memory of its own and a
// kernel for relu alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <loci/captured_function.hpp>
#include <loci/inspect.hpp>
#include <loci/loci.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "framework/ops/op_registry.h"
#include "framework/tensor/scope_impl.h"
#include "tests/support/plugin_setup.h"
#include "tests/support/program_steps.h"
#include "tests/support/tested_cases.h"
#include "tools/conformance/case.h"
#include "tools/conformance/check.h"

namespace loci {
namespace {

using conformance::Arrays;
using conformance::Case;
using conformance::Variables;
using test::ProgramSteps;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Tensors = std::vector<Tensor>;

const Place kBare("bare:0");

class FallbackMatrix : public ::testing::Test {
 protected:
  FallbackMatrix() { test::use_test_plugins("lib/loci/bare_plugin"); }
};

CompileOptions as_written(FallbackPolicy policy = FallbackPolicy::kAllow) {
  CompileOptions options = CompileOptions::none();
  options.fallback = policy;
  return options;
}

// A case's program, with what it is fed and what is in its scope.
class CaseProgram {
 public:
  explicit CaseProgram(const Case& subject) : subject_(subject), arrays_(subject.make_inputs()) {
    const ProgramGuard building(program_);
    Variables variables;
    for (std::size_t i = 0; i < arrays_.size(); ++i) variables.push_back(add(i));
    for (const Variable& output : subject.build(variables)) fetches_.push_back(output.name());
  }

  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] const std::vector<std::string>& fetches() const { return fetches_; }
  [[nodiscard]] Scope scope_at(const Place& place) const {
    Scope scope;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      if (subject_.inputs[i].state) scope.set(name_of(i), tensor(i).to(place));
    }
    if (subject_.random) {
      const std::vector<std::uint64_t> state{subject_.random->seed, subject_.random->run};
      scope.set(program::kRandomStateName, Tensor::from(state, {2}).to(place));
    }
    return scope;
  }
  [[nodiscard]] Feed feed_at(const Place& place) const {
    Feed feed;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      if (!subject_.inputs[i].state) feed.emplace_back(name_of(i), tensor(i).to(place));
    }
    return feed;
  }
  [[nodiscard]] Tensors inputs_at(const Place& place) const {
    Tensors inputs;
    for (const auto& [name, value] : feed_at(place)) inputs.push_back(value);
    return inputs;
  }
  // The steps as a function of those inputs.
  [[nodiscard]] TensorFunction function(const ProgramSteps& steps) const {
    const Feed names = feed_at(Place());
    return [&steps, names, this](const Tensors& inputs) {
      Feed feed;
      for (std::size_t i = 0; i < inputs.size(); ++i) feed.emplace_back(names[i].first, inputs[i]);
      return steps.run(feed, fetches_, /*advances=*/false);
    };
  }

 private:
  static std::string name_of(std::size_t i) { return "input_" + std::to_string(i); }
  [[nodiscard]] Tensor tensor(std::size_t i) const { return conformance::to_tensor(arrays_[i]); }

  Variable add(std::size_t i) {
    const conformance::Input& input = subject_.inputs[i];
    if (!input.state) return data(name_of(i), input.shape, input.dtype);
    return create_persistable(input.shape, input.dtype, initializer::constant(0), name_of(i));
  }

  const Case& subject_;
  Arrays arrays_;
  Program program_;
  std::vector<std::string> fetches_;
};

std::vector<Fetch> fetches_of(const CaseProgram& subject) {
  return {subject.fetches().begin(), subject.fetches().end()};
}

Tensors on_the_cpu(const CaseProgram& subject) {
  return Executor("cpu", as_written(), subject.scope_at("cpu"))
      .run(subject.program(), subject.feed_at("cpu"), fetches_of(subject));
}

Tensors as_program(const CaseProgram& subject) {
  return Executor(kBare, as_written(), subject.scope_at(kBare))
      .run(subject.program(), subject.feed_at(kBare), fetches_of(subject));
}

Tensors imperatively(const CaseProgram& subject) {
  const FallbackGuard mild(FallbackPolicy::kAllow);
  const ProgramSteps steps(subject.program(), subject.scope_at(kBare), kBare,
                           ProgramSteps::Placing::kFollowing);
  return subject.function(steps)(subject.inputs_at(kBare));
}

Tensors compiled(const CaseProgram& subject) {
  const ProgramSteps steps(subject.program(), subject.scope_at(kBare), kBare,
                           ProgramSteps::Placing::kFollowing);
  const Tensors inputs = subject.inputs_at(kBare);
  return compile(subject.function(steps), inputs, {}, as_written())(inputs);
}

// The third call replays, where there is a capture.
Tensors captured(const CaseProgram& subject, std::size_t* captures) {
  const FallbackGuard mild(FallbackPolicy::kAllow);
  const ProgramSteps steps(subject.program(), subject.scope_at(kBare), kBare,
                           ProgramSteps::Placing::kFollowing);
  CaptureOptions options;
  options.place = kBare;
  const CapturedFunction function(subject.function(steps), options);
  const Tensors inputs = subject.inputs_at(kBare);
  (void)function(inputs);
  (void)function(inputs);
  const Tensors results = function(inputs);
  for (const CapturedForm& form : function.report().forms) {
    *captures += form.state == CaptureState::kCaptured ? 1 : 0;
  }
  return results;
}

void expect_same(const Tensors& got, const Tensors& wanted, const char* mode) {
  ASSERT_EQ(got.size(), wanted.size()) << mode;
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(conformance::same_bits(got[i].to("cpu"), wanted[i])) << mode << ", output " << i;
  }
}

// Random states that have been drawn from, and states that steps change, differ after each call.
bool is_repeatable(const Case& subject) {
  for (const conformance::Input& input : subject.inputs) {
    if (input.state) return false;
  }
  return true;
}

Variables with_gradients(const Variable& loss, const Variables& targets) {
  Variables results{loss};
  for (const Variable& gradient : gradients(loss, targets)) results.push_back(gradient);
  return results;
}

// Returns cases of ops that only gradients bring.
const std::vector<Case>& own_cases() {
  const conformance::Generator values = conformance::uniform(-1.0L, 1.0L);
  const conformance::Input matrix{kFloat32, {4, 3}, values};
  static const std::vector<Case> cases{
      {.op = "concat_grad", .inputs = {matrix, matrix}, .build = [](const Variables& in) {
         for (const Variable& variable : in) variable.set_stop_gradient(false);
         const Variable joined = concat(Variables{in[0], tile(in[1], {1, 2})}, 1);
         const Variable part = slice(joined, {0, 1}, {1, 2}, {3, 7});
         const Variable cut = crop_tensor(joined, {2, 2}, {1, 1});
         return with_gradients(elementwise_add(mean(square(part)), mean(square(cut))), in);
       }}};
  return cases;
}

// Returns the first cases of each dtype of each op; float32 has more of them.
std::vector<const Case*> chosen_cases() {
  constexpr std::size_t kOfFloat32 = 3;
  std::map<std::string, std::size_t> taken;
  std::vector<const Case*> chosen;
  for (const Case& subject : test::tested_cases().cases()) {
    std::int64_t most = 0;
    for (const conformance::Input& input : subject.inputs) {
      most = std::max(most, input.shape.numel());
    }
    if (most > 1000 || (most == 0 && !subject.inputs.empty())) continue;
    const DType dtype = subject.inputs.empty() ? kFloat32 : subject.inputs.front().dtype;
    std::size_t& count = taken[subject.op + "/" + std::string(dtype_name(dtype))];
    if (count++ < (dtype == kFloat32 ? kOfFloat32 : 1)) chosen.push_back(&subject);
  }
  for (const Case& subject : own_cases()) chosen.push_back(&subject);
  return chosen;
}

TEST_F(FallbackMatrix, EveryOpGivesWhatTheCpuGives) {
  std::size_t captures = 0;
  std::set<std::string> ops;
  for (const Case* subject : chosen_cases()) {
    SCOPED_TRACE(subject->name());
    const CaseProgram one(*subject);
    for (const program::Operator& op : one.program().impl()->main().ops) ops.insert(op.type());
    try {
      const Tensors wanted = on_the_cpu(one);
      expect_same(as_program(one), wanted, "program");
      expect_same(imperatively(one), wanted, "imperative");
      expect_same(compiled(one), wanted, "compiled");
      if (is_repeatable(*subject)) expect_same(captured(one, &captures), wanted, "captured");
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
  EXPECT_GT(captures, 0U);
  for (const std::string& name : ops::op_registry().names()) {
    // An op that has blocks is none on tensors, and neither is the one that joins them.
    if (ops::op_registry().get(name).has_blocks() || name == "select_input") continue;
    EXPECT_EQ(ops.count(name), 1U) << name << " has no case here";
  }
}

TEST_F(FallbackMatrix, WhatIsMadeAtAPlaceIsThere) {
  const FallbackGuard mild(FallbackPolicy::kAllow);
  EXPECT_THAT(full({7}, 3.0, kFloat32, kBare).to_vector<float>(), ::testing::Each(3.0F));
  const auto is_made = [](const inspect::Transfer& row) {
    return row.reason == "fallback" && row.to == "bare:0" && row.bytes == 28 &&
           row.producer == "fill_constant";
  };
  const std::vector<inspect::Transfer> rows = inspect::transfers();
  EXPECT_GE(std::count_if(rows.begin(), rows.end(), is_made), 1);
  const Tensor made[] = {zeros({2}, kFloat32, kBare), ones({2}, kInt64, kBare),
                         rand({2}, 0.0, 1.0, kFloat32, kBare),
                         randn({2}, 0.0, 1.0, kFloat32, kBare)};
  for (const Tensor& tensor : made) EXPECT_EQ(tensor.place(), kBare);
}

TEST_F(FallbackMatrix, WhatIsMadeFollowsThePolicyAndAGuardDoesNot) {
  (void)[] {
    const FallbackGuard mild(FallbackPolicy::kAllow);
    return zeros({4}, kFloat32, kBare);  // whose plan others must not take as it is
  }
  ();
  {
    const FallbackGuard strict(FallbackPolicy::kError);
    EXPECT_THAT([] { (void)zeros({4}, kFloat32, kBare); },
                ThrowsMessage<Error>(AllOf(HasSubstr("[fill_constant] has no kernel at bare:0"),
                                           HasSubstr("the policy forbids the CPU"))));
  }
  const DeviceGuard guard(kBare);
  EXPECT_THAT([] { (void)zeros({4}); },
              ThrowsMessage<Error>(HasSubstr("change or remove the device guard")));
}

TEST_F(FallbackMatrix, ChangesInPlaceStayWhereTheTensorIs) {
  const FallbackGuard mild(FallbackPolicy::kAllow);
  const Tensor x = Tensor::from<float>({1, 2, 3, 4}, {4}).to(kBare);
  const Tensor y = full({4}, 2.0).to(kBare);
  x.add_(y);
  x.mul_(y).sub_(y).div_(y);
  x.set_slice_(full({2}, 9.0).to(kBare), {0}, {0}, {2}, {1});
  EXPECT_EQ(x.place(), kBare);
  EXPECT_THAT(x.to_vector<float>(), ::testing::ElementsAre(9, 9, 4, 5));
  x.fill_(7);
  EXPECT_EQ(x.place(), kBare);
  EXPECT_THAT(x.to_vector<float>(), ::testing::Each(7.0F));
}

// The losses of five steps, and where the parameters are after them.
std::vector<float> losses(optimizer::Optimizer& rule, const Place& place) {
  const FallbackGuard mild(FallbackPolicy::kAllow);
  nn::Linear layer(3, 2);
  for (const Tensor& parameter : layer.parameters()) {
    const NoGrad scope;
    parameter.fill_(0.25);
  }
  layer.to(place);
  std::vector<float> found;
  for (int i = 0; i < 5; ++i) {
    layer.zero_grad();
    const Tensor loss = mean(square(layer(ones({2, 3}).to(place))));
    loss.backward();
    rule.step(layer.parameters());
    found.push_back(loss.item<float>());
  }
  for (const Tensor& parameter : layer.parameters()) EXPECT_EQ(parameter.place(), place);
  return found;
}

template <class Rule>
void expect_same_training() {
  Rule here(0.1);
  Rule there(0.1);
  const std::vector<float> wanted = losses(here, "cpu");
  EXPECT_LT(wanted.back(), wanted.front());
  EXPECT_EQ(losses(there, kBare), wanted);
}

TEST_F(FallbackMatrix, OptimizersStepWhereTheParametersAre) {
  expect_same_training<optimizer::SGD>();
  expect_same_training<optimizer::Momentum>();
  expect_same_training<optimizer::Adam>();
}

TEST_F(FallbackMatrix, AFallbackOfAProgramIsToldOnce) {
  const Program program;
  std::string fetch;
  {
    const ProgramGuard building(program);
    fetch = softmax(relu(data("x", {-1, 3}, kFloat32))).name();
  }
  Executor executor(kBare);
  ::testing::internal::CaptureStderr();
  for (int rows = 1; rows <= 8; ++rows) executor.run(program, {{"x", ones({rows, 3})}}, {fetch});
  Executor(kBare).run(program, {{"x", ones({9, 3})}}, {fetch});
  const std::string told = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(told, HasSubstr("1 operators have no kernel at bare:0 and run on the CPU"));
  EXPECT_EQ(told.find("have no kernel"), told.rfind("have no kernel")) << told;
}

TEST_F(FallbackMatrix, AFallbackOfACompiledFunctionIsToldOnceForAllForms) {
  const auto fn = [](const Tensors& in) -> Tensors { return {tanh(in[0])}; };
  ::testing::internal::CaptureStderr();
  CompileOptions options;
  options.buckets = {4, 8};
  const CompiledFunction function = compile(fn, {ones({1, 3}).to(kBare)}, {}, options);
  for (int rows = 1; rows <= 12; ++rows) (void)function({ones({rows, 3}).to(kBare)});
  const std::string told = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(told.find("x tanh"), told.rfind("x tanh")) << told;
  EXPECT_THAT(told, HasSubstr("1 x tanh"));
}

TEST_F(FallbackMatrix, BlocksOfControlFlowAreToldWithTheirProgram) {
  const Program program;
  std::string fetch;
  {
    const ProgramGuard building(program);
    const Variable x = data("x", {-1}, kFloat32);
    const auto body = [](const std::vector<Variable>& in) {
      return std::vector<Variable>{scale(in[0], 2.0)};
    };
    const auto condition = [](const std::vector<Variable>& in) {
      return less_than(reduce_sum(in[0]), fill_constant({}, 100.0));
    };
    fetch = softmax(while_loop(condition, body, {x})[0]).name();
  }
  Executor executor(kBare);
  ::testing::internal::CaptureStderr();
  for (int rows = 1; rows <= 4; ++rows) executor.run(program, {{"x", ones({rows})}}, {fetch});
  const std::string told = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(told.find("have no kernel"), told.rfind("have no kernel")) << told;
  EXPECT_THAT(told, HasSubstr("5 operators have no kernel at bare:0"));
}

}  // namespace
}  // namespace loci
