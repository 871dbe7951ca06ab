// Control flow within a trace: blocks of the program.
#include <algorithm>
#include <loci/control_flow.hpp>

#include "framework/eager/thread_state.h"
#include "framework/tracing/tracer.h"

namespace loci::tracing {
namespace {

using Requirements = std::vector<Tracer::Requires>;

// Merges the requirements of values that may be these or those.
void merge(const Requirements& others, Requirements* wanted) {
  if (wanted->empty()) *wanted = others;
  for (std::size_t i = 0; i < std::min(wanted->size(), others.size()); ++i) {
    if ((*wanted)[i] != others[i]) (*wanted)[i] = Tracer::Requires::kPerhaps;
  }
}

// Counts what lives.
class Within {
 public:
  explicit Within(int* count) : count_(count) { ++*count_; }
  ~Within() { --*count_; }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;

 private:
  int* count_;
};

}  // namespace

void Tracer::record_all(const std::vector<Tensor>& tensors, const Requirements& wanted,
                        const char* op) {
  if (!eager::thread_state().records) return;
  for (std::size_t i = 0; i < std::min(tensors.size(), wanted.size()); ++i) {
    record(tensors[i], wanted[i], op);
  }
}

std::vector<Variable> Tracer::variables_of(const std::vector<Tensor>& tensors) {
  std::vector<Variable> variables;
  for (const Tensor& tensor : tensors) variables.push_back(known(tensor).variable);
  return variables;
}

std::vector<Tensor> Tracer::stand_ins(const std::vector<Variable>& variables,
                                      const std::vector<Spot>& spots) {
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    tensors.push_back(stand_in(variables[i], i < spots.size() ? spots[i] : Spot()));
  }
  return tensors;
}

// Each gives the variables of what the function returns; `spots` become those of the last one, and
// `wanted` says whether gradients are recorded in all of them.
std::vector<ListBranch<Variable>> Tracer::branches_of(
    const std::vector<ListBranch<Tensor>>& branches, std::vector<Spot>* spots,
    std::vector<Requires>* wanted) {
  std::vector<ListBranch<Variable>> result;
  for (const ListBranch<Tensor>& branch : branches) {
    if (!branch) {
      result.emplace_back();  // refused with the operator's name
      continue;
    }
    result.emplace_back([this, &branch, spots, wanted] {
      const std::vector<Tensor> returned = branch();
      *spots = spots_of(returned);
      merge(requires_of(returned), wanted);
      return variables_of(returned);
    });
  }
  return result;
}

std::vector<Tensor> Tracer::choose(const std::vector<Tensor>& predicates,
                                   const std::vector<ListBranch<Tensor>>& branches) {
  std::vector<Spot> spots;
  Requirements wanted;
  const auto written = branches_of(branches, &spots, &wanted);
  const auto results = stand_ins(emit_case(variables_of(predicates), written), spots);
  record_all(results, wanted, "case");
  return results;
}

std::vector<Tensor> Tracer::choose(const Tensor& index, const std::vector<std::int64_t>& keys,
                                   const std::vector<ListBranch<Tensor>>& branches) {
  std::vector<Spot> spots;
  Requirements wanted;
  const auto written = branches_of(branches, &spots, &wanted);
  const auto results = stand_ins(emit_switch_case(known(index).variable, keys, written), spots);
  record_all(results, wanted, "switch_case");
  return results;
}

std::vector<Tensor> Tracer::loop(
    const std::function<Tensor(const std::vector<Tensor>&)>& condition,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
    const std::vector<Tensor>& values, const WhileOptions& options) {
  const std::vector<Spot> spots = spots_of(values);
  using Variables = std::vector<Variable>;
  Requirements wanted = requires_of(values);
  const Requirements at_first = wanted;
  const auto given = [&](const Variables& now) {
    const std::vector<Tensor> tensors = stand_ins(now, spots);
    record_all(tensors, at_first, "while");
    return tensors;
  };
  std::vector<Tensor> results;
  {
    const Within loop(&loops_);
    results = stand_ins(
        while_loop([&](const Variables& now) { return known(condition(given(now))).variable; },
                   [&](const Variables& now) {
                     const std::vector<Tensor> next = body(given(now));
                     merge(requires_of(next), &wanted);
                     return variables_of(next);
                   },
                   variables_of(values), options),
        spots);
  }
  record_all(results, wanted, "while");
  return results;
}

ScanResult<Tensor> Tracer::scan(
    const std::function<ScanResult<Tensor>(const std::vector<Tensor>&, const std::vector<Tensor>&)>&
        body,
    const std::vector<Tensor>& carry, const std::vector<Tensor>& xs, const ScanOptions& options) {
  const std::vector<Spot> carried = spots_of(carry);
  const std::vector<Spot> taken = spots_of(xs);
  std::vector<Spot> given;
  using Variables = std::vector<Variable>;
  Requirements wanted = requires_of(carry);
  Requirements stacked;
  const Requirements at_first = wanted;
  const Requirements of_slices = requires_of(xs);
  const auto step_of = [&](const Variables& now, const Variables& slices) {
    const Within loop(&loops_);
    const std::vector<Tensor> values = stand_ins(now, carried);
    const std::vector<Tensor> parts = stand_ins(slices, taken);
    record_all(values, at_first, "scan");
    record_all(parts, of_slices, "scan");
    return body(values, parts);
  };
  const ScanResult<Variable> result = loci::scan(
      [&](const Variables& now, const Variables& slices) {
        const ScanResult<Tensor> step = step_of(now, slices);
        merge(requires_of(step.carry), &wanted);
        stacked = requires_of(step.ys);
        given = spots_of(step.ys);
        return ScanResult<Variable>{variables_of(step.carry), variables_of(step.ys)};
      },
      variables_of(carry), variables_of(xs), options);
  ScanResult<Tensor> results{stand_ins(result.carry, carried), stand_ins(result.ys, given)};
  record_all(results.carry, wanted, "scan");
  record_all(results.ys, stacked, "scan");
  return results;
}

Tensor Tracer::select(const Tensor& mask, const std::vector<Tensor>& inputs) {
  const Variable chosen = select_input(known(mask).variable, variables_of(inputs));
  Requirements wanted;
  for (const Tensor& input : inputs) merge({requires_of(input)}, &wanted);
  const Tensor result = stand_in(chosen, inputs.empty() ? Spot() : spot_of(inputs.front()));
  record_all({result}, wanted, "select_input");
  return result;
}

}  // namespace loci::tracing
