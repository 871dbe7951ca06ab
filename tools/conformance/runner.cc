#include "tools/conformance/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <loci/error.hpp>
#include <loci/executor.hpp>
#include <loci/inspect.hpp>
#include <loci/ops.hpp>

#include "tools/conformance/gradient.h"

namespace loci::conformance {
namespace {

constexpr const char* kRandomState = "@random_state";

struct Mode {
  CompileOptions options;
  bool copy_inputs;
};

std::string input_name(std::size_t i) { return fmt::format("input_{}", i); }
std::string weight_name(std::size_t i) { return fmt::format("weight_{}", i); }

// A program under construction with a scope and the values that it needs.
class Session {
 public:
  Session(const Case& subject, const Place& place, CompileOptions options)
      : subject_(subject), executor_(place, strict(options), scope_) {
    if (!subject.random) return;
    const RandomState& state = *subject.random;
    scope_.set(kRandomState, Tensor::from<std::uint64_t>({state.seed, state.run}, Shape{2}));
  }

  Variable add_input(std::size_t i, const Array& value) {
    const Input& input = subject_.inputs[i];
    if (!input.state) return feed(input_name(i), value);
    scope_.set(input_name(i), to_tensor(value));
    const Initializer unused = initializer::constant(0);
    return create_persistable(input.shape, input.dtype, unused, input_name(i));
  }

  // An input that no run changes, unless it is state.
  Variable add_constant(std::size_t i, const Array& value) {
    const Input& input = subject_.inputs[i];
    if (input.state || !is_floating(input.dtype)) return add_input(i, value);
    set_constant(i, value);
    return create_persistable(input.shape, input.dtype, initializer::constant(0), input_name(i));
  }
  void set_constant(std::size_t i, const Array& value) {
    scope_.set(input_name(i), to_tensor(value));
  }
  [[nodiscard]] bool packs(const Program& program, const Variables& outputs) const {
    const std::vector<Fetch> fetches(outputs.begin(), outputs.end());
    return !inspect::plan(executor_, program, feeds_, fetches).packed.empty();
  }

  // Returns the layouts of the values that pass among kernels.
  [[nodiscard]] std::set<std::string> layouts(const Program& program,
                                              const Variables& outputs) const {
    const std::vector<Fetch> fetches(outputs.begin(), outputs.end());
    std::set<std::string> found;
    for (const auto& value : inspect::plan(executor_, program, feeds_, fetches).laid_out) {
      found.insert(value.layout);
    }
    return found;
  }

  Variable feed(const std::string& name, const Array& value) {
    feeds_.emplace_back(name, to_tensor(value));
    const Variable variable = data(name, value.shape, value.dtype);
    variable.set_stop_gradient(false);
    return variable;
  }

  std::vector<Tensor> run(const Program& program, const Variables& outputs) {
    const std::vector<Fetch> fetches(outputs.begin(), outputs.end());
    std::vector<Tensor> results = executor_.run(program, feeds_, fetches);
    for (const auto& op : inspect::plan(executor_, program, feeds_, fetches).operators) {
      if (op.type == subject_.op) kernels_.insert(op.kernel);
    }
    return results;
  }

  // That ran the case's op.
  [[nodiscard]] const std::set<std::string>& kernels() const { return kernels_; }

 private:
  // Refuses the fallback: an op that runs elsewhere says nothing about this place.
  static CompileOptions strict(CompileOptions options) {
    options.fallback = FallbackPolicy::kError;
    return options;
  }

  const Case& subject_;
  Scope scope_;
  Executor executor_;
  Feed feeds_;
  std::set<std::string> kernels_;
};

struct Outputs {
  std::vector<Tensor> tensors;
  std::set<std::string> kernels;
};

Outputs run_forward(const Case& subject, const Place& place, const Arrays& inputs,
                    const Mode& mode) {
  Session session(subject, place, mode.options);
  const Program program;
  Variables outputs;
  {
    const ProgramGuard building(program);
    Variables variables;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      Variable variable = session.add_input(i, inputs[i]);
      const bool copies = mode.copy_inputs && !subject.inputs[i].state;
      variables.push_back(copies ? assign(variable) : variable);
    }
    outputs = subject.build(variables);
  }
  std::vector<Tensor> tensors = session.run(program, outputs);
  return {std::move(tensors), session.kernels()};
}

Verdict check_outputs(const Case& subject, const Arrays& inputs, const std::vector<Tensor>& got) {
  Verdict verdict;
  if (!subject.reference) return verdict;
  const std::vector<Expected> expected = subject.reference(inputs);
  if (got.size() != expected.size()) {
    return {fmt::format("got {} outputs, want {}", got.size(), expected.size()), 0};
  }
  for (std::size_t k = 0; k < got.size(); ++k) {
    Verdict one = check(to_array(got[k]), expected[k]);
    if (!one.good()) one.message = fmt::format("output {}: {}", k, one.message);
    verdict.add(one);
  }
  return verdict;
}

// Its floating inputs as constants, where a kernel has one packed: with these elements, and once
// they have others.
Verdict check_constants(const Case& subject, const Place& place, Arrays inputs) {
  Session session(subject, place, CompileOptions());
  const Program program;
  Variables outputs;
  {
    const ProgramGuard building(program);
    Variables variables;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      variables.push_back(session.add_constant(i, inputs[i]));
    }
    outputs = subject.build(variables);
  }
  if (!session.packs(program, outputs)) return {};
  Verdict verdict = check_outputs(subject, inputs, session.run(program, outputs));
  if (!verdict.good()) {
    verdict.message = "with constants: " + verdict.message;
    return verdict;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (subject.inputs[i].state || !is_floating(subject.inputs[i].dtype)) continue;
    std::reverse(inputs[i].values.begin(), inputs[i].values.end());
    session.set_constant(i, inputs[i]);
  }
  verdict = check_outputs(subject, inputs, session.run(program, outputs));
  if (!verdict.good()) verdict.message = "with other constants: " + verdict.message;
  return verdict;
}

Verdict check_forward(const Case& subject, const Place& place, const Arrays& inputs,
                      std::set<std::string>* kernels) {
  const Mode written{CompileOptions::none(), false};
  const Mode compiled{CompileOptions(), true};
  const Outputs first = run_forward(subject, place, inputs, written);
  *kernels = first.kernels;
  Verdict verdict = check_outputs(subject, inputs, first.tensors);
  if (!verdict.good()) return verdict;
  const Outputs second = run_forward(subject, place, inputs, compiled);
  for (std::size_t k = 0; k < first.tensors.size(); ++k) {
    if (same_bits(first.tensors[k], second.tensors[k])) continue;
    const Verdict detail = check_outputs(subject, inputs, second.tensors);
    verdict.add({fmt::format("output {} has other bits with memory reuse than without; {}", k,
                             detail.good() ? "both are within the bound" : detail.message),
                 detail.worst});
    break;
  }
  if (verdict.good()) verdict.add(check_constants(subject, place, inputs));
  return verdict;
}

Variable pass(const std::function<Variable(const Variable&)>& through, const Variable& value) {
  return through && is_floating(value.dtype()) ? through(value) : value;
}

Verdict check_laid_out(const Case& subject, const Place& place, const Surroundings& surroundings,
                       std::set<std::string>* layouts) {
  CompileOptions options = CompileOptions::none();
  options.chain_layouts = true;
  const Arrays inputs = subject.make_inputs();
  Session session(subject, place, options);
  const Program program;
  Variables outputs;
  {
    const ProgramGuard building(program);
    Variables variables;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Variable input = session.add_input(i, inputs[i]);
      variables.push_back(subject.inputs[i].state ? input : pass(surroundings.before, input));
    }
    for (const Variable& output : subject.build(variables)) {
      outputs.push_back(pass(surroundings.behind, output));
    }
  }
  *layouts = session.layouts(program, outputs);
  if (layouts->empty()) return {};
  return check_outputs(subject, inputs, session.run(program, outputs));
}

// Weights of the outputs, so that the gradients of different elements do not cancel or look alike.
Arrays make_weights(const Case& subject, const Arrays& inputs) {
  Bits bits(hash(subject.name() + "/weights"));
  Arrays weights;
  for (const Expected& output : subject.reference(inputs)) {
    Array weight(output.dtype, output.shape);
    weight.values = uniform(0.5L, 1.5L)(weight.size(), bits);
    for (Real& value : weight.values) value = round_to(weight.dtype, value);
    weights.push_back(std::move(weight));
  }
  return weights;
}

Variable weighted_sum(Session& session, const Variables& outputs, const Arrays& weights) {
  Variable loss;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (!is_floating(outputs[k].dtype())) continue;
    const Variable weight = session.feed(weight_name(k), weights[k]);
    const Variable part = reduce_sum(elementwise_mul(outputs[k], weight));
    loss = loss.defined() ? elementwise_add(loss, part) : part;
  }
  return loss;
}

Verdict check_gradients(const Case& subject, const Place& place, const Arrays& inputs,
                        const Effort& effort) {
  Session session(subject, place, CompileOptions());
  const Arrays weights = make_weights(subject, inputs);
  const Program program;
  Variables grads;
  {
    const ProgramGuard building(program);
    Variables variables;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      variables.push_back(session.add_input(i, inputs[i]));
    }
    const Variable loss = weighted_sum(session, subject.build(variables), weights);
    Variables targets;
    for (const std::size_t i : subject.differentiate) targets.push_back(variables[i]);
    grads = gradients(loss, targets);
  }
  Variables defined;
  std::copy_if(grads.begin(), grads.end(), std::back_inserter(defined),
               [](const Variable& grad) { return grad.defined(); });
  const std::vector<Tensor> got =
      defined.empty() ? std::vector<Tensor>() : session.run(program, defined);
  const GradientProbe probe{&subject, &inputs, &weights, effort.gradient_samples};
  Verdict verdict;
  std::size_t next = 0;
  for (std::size_t i = 0; i < grads.size(); ++i) {
    const std::size_t input = subject.differentiate[i];
    if (grads[i].defined()) {
      verdict.add(check_gradient(probe, input, to_array(got[next++])));
      continue;
    }
    // None is a gradient of zero.
    const Verdict zero =
        check_gradient(probe, input, Array(inputs[input].dtype, inputs[input].shape));
    if (!zero.good()) verdict.add({fmt::format("input {} gets no gradient", input), zero.worst});
  }
  return verdict;
}

// Central differences need more digits than the 16-bit dtypes have.
bool differentiates(const Case& subject) {
  if (subject.differentiate.empty()) return false;
  const DType dtype = subject.inputs[subject.differentiate.front()].dtype;
  return dtype == kFloat32 || dtype == kFloat64;
}

Verdict check_case(const Case& subject, const Place& place, const Effort& effort,
                   std::set<std::string>* kernels) {
  const Arrays inputs = subject.make_inputs();
  Verdict verdict = check_forward(subject, place, inputs, kernels);
  if (verdict.good() && differentiates(subject)) {
    verdict.add(check_gradients(subject, place, inputs, effort));
  }
  return verdict;
}

bool means_absent(const Error& error) {
  return error.code() == ErrorCode::kPolicy || error.code() == ErrorCode::kUnsupported;
}

// Whatever is thrown is a result too.
void judge(const std::function<Verdict()>& check, CaseResult* result) {
  try {
    const Verdict verdict = check();
    if (!verdict.good()) result->outcome = Outcome::kFailed;
    result->message = verdict.message;
    result->worst = verdict.worst;
  } catch (const Error& error) {
    result->outcome = means_absent(error) ? Outcome::kAbsent : Outcome::kFailed;
    result->message = error.what();
  } catch (const std::exception& error) {
    result->outcome = Outcome::kFailed;
    result->message = error.what();
  }
}

}  // namespace

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed: return "passed";
    case Outcome::kFailed: return "failed";
    case Outcome::kAbsent: return "absent";
  }
  return "unknown";
}

CaseResult run_case(const Case& subject, const Place& place, const Effort& effort) {
  CaseResult result{subject.name(), subject.family};
  judge([&] { return check_case(subject, place, effort, &result.kernels); }, &result);
  return result;
}

CaseResult run_laid_out(const Case& subject, const Place& place, const Surroundings& surroundings,
                        std::set<std::string>* layouts) {
  CaseResult result{subject.name(), subject.family};
  judge([&] { return check_laid_out(subject, place, surroundings, layouts); }, &result);
  if (result.outcome == Outcome::kPassed && layouts->empty()) result.outcome = Outcome::kAbsent;
  return result;
}

std::map<std::string, Report::Count> Report::families() const {
  std::map<std::string, Count> counts;
  for (const CaseResult& result : results) {
    Count& count = counts[result.family];
    count.passed += result.outcome == Outcome::kPassed ? 1 : 0;
    count.failed += result.outcome == Outcome::kFailed ? 1 : 0;
    count.absent += result.outcome == Outcome::kAbsent ? 1 : 0;
  }
  return counts;
}

Report::Count Report::total() const {
  Count sum;
  for (const auto& entry : families()) {
    sum.passed += entry.second.passed;
    sum.failed += entry.second.failed;
    sum.absent += entry.second.absent;
  }
  return sum;
}

std::map<std::string, std::size_t> Report::kernels() const {
  std::map<std::string, std::size_t> counts;
  for (const CaseResult& result : results) {
    for (const std::string& kernel : result.kernels) ++counts[kernel];
  }
  return counts;
}

Report run_suite(const Suite& suite, const Place& place,
                 const std::function<void(const CaseResult&)>& progress, const Effort& effort) {
  const Executor probe(place);
  Report report{probe.place(), {}};
  for (const Case& subject : suite.cases()) {
    report.results.push_back(run_case(subject, probe.place(), effort));
    if (progress) progress(report.results.back());
  }
  return report;
}

}  // namespace loci::conformance
