// Control flow within a trace: blocks of the program.
#include <loci/control_flow.hpp>

#include "framework/tracing/tracer.h"

namespace loci::tracing {

std::vector<Variable> Tracer::variables_of(const std::vector<Tensor>& tensors) {
  std::vector<Variable> variables;
  for (const Tensor& tensor : tensors) variables.push_back(known(tensor).variable);
  return variables;
}

std::vector<Tensor> Tracer::stand_ins(const std::vector<Variable>& variables,
                                      const std::vector<Place>& places) {
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    tensors.push_back(stand_in(variables[i], i < places.size() ? places[i] : Place()));
  }
  return tensors;
}

// Each gives the variables of what the function returns; `places` become those of the last one.
std::vector<ListBranch<Variable>> Tracer::branches_of(
    const std::vector<ListBranch<Tensor>>& branches, std::vector<Place>* places) {
  std::vector<ListBranch<Variable>> result;
  for (const ListBranch<Tensor>& branch : branches) {
    if (!branch) {
      result.emplace_back();  // refused with the operator's name
      continue;
    }
    result.emplace_back([this, &branch, places] {
      const std::vector<Tensor> returned = branch();
      places->clear();
      for (const Tensor& tensor : returned) places->push_back(tensor.place());
      return variables_of(returned);
    });
  }
  return result;
}

std::vector<Tensor> Tracer::choose(const std::vector<Tensor>& predicates,
                                   const std::vector<ListBranch<Tensor>>& branches) {
  std::vector<Place> places;
  const auto written = branches_of(branches, &places);
  return stand_ins(emit_case(variables_of(predicates), written), places);
}

std::vector<Tensor> Tracer::choose(const Tensor& index, const std::vector<std::int64_t>& keys,
                                   const std::vector<ListBranch<Tensor>>& branches) {
  std::vector<Place> places;
  const auto written = branches_of(branches, &places);
  return stand_ins(emit_switch_case(known(index).variable, keys, written), places);
}

std::vector<Tensor> Tracer::loop(
    const std::function<Tensor(const std::vector<Tensor>&)>& condition,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
    const std::vector<Tensor>& values, const WhileOptions& options) {
  std::vector<Place> places;
  for (const Tensor& value : values) places.push_back(value.place());
  using Variables = std::vector<Variable>;
  return stand_ins(
      while_loop(
          [&](const Variables& now) { return known(condition(stand_ins(now, places))).variable; },
          [&](const Variables& now) { return variables_of(body(stand_ins(now, places))); },
          variables_of(values), options),
      places);
}

ScanResult<Tensor> Tracer::scan(
    const std::function<ScanResult<Tensor>(const std::vector<Tensor>&, const std::vector<Tensor>&)>&
        body,
    const std::vector<Tensor>& carry, const std::vector<Tensor>& xs, const ScanOptions& options) {
  std::vector<Place> carried;
  for (const Tensor& value : carry) carried.push_back(value.place());
  std::vector<Place> taken;
  for (const Tensor& x : xs) taken.push_back(x.place());
  std::vector<Place> given;
  using Variables = std::vector<Variable>;
  const ScanResult<Variable> result = loci::scan(
      [&](const Variables& now, const Variables& slices) {
        const ScanResult<Tensor> step = body(stand_ins(now, carried), stand_ins(slices, taken));
        given.clear();
        for (const Tensor& y : step.ys) given.push_back(y.place());
        return ScanResult<Variable>{variables_of(step.carry), variables_of(step.ys)};
      },
      variables_of(carry), variables_of(xs), options);
  return {stand_ins(result.carry, carried), stand_ins(result.ys, given)};
}

Tensor Tracer::select(const Tensor& mask, const std::vector<Tensor>& inputs) {
  const Variable chosen = select_input(known(mask).variable, variables_of(inputs));
  return stand_in(chosen, inputs.empty() ? Place() : inputs.front().place());
}

}  // namespace loci::tracing
