#include "framework/optimizer/saved_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/core/listed.h"
#include "framework/core/quote.h"
#include "framework/core/raise.h"

namespace loci {
inline namespace v0 {
namespace optimizer {
namespace {

// A message names this many faults.
constexpr std::size_t kNamed = 20;

}  // namespace

std::string saved_name(const std::string& parameter, const char* state) {
  return fmt::format("{}.{}", parameter, state);
}

SavedState::SavedState(const UpdateRule& rule, const StateDict& parameters, const StateDict& state)
    : rule_(rule), parameters_(parameters) {
  for (const auto& [name, tensor] : state) {
    const bool is_first = given_.emplace(name, tensor).second;
    if (!is_first) faults_.push_back(fmt::format("{} is there twice", core::quote(name)));
    if (!tensor.defined()) faults_.push_back(fmt::format("{} is undefined", core::quote(name)));
  }
  if (faults_.empty()) check();
  if (faults_.empty()) return;
  core::raise(ErrorCode::kInvalidArgument,
              "[{}] the state does not fit: {}; give one that state_dict() of the same optimizer "
              "gave for parameters of these names",
              rule_.op, core::listed(faults_, kNamed));
}

void SavedState::check() {
  left_ = given_;
  for (const auto& [name, parameter] : parameters_) {
    if (!has_any(name)) continue;
    for (const char* kept : rule_.states) {
      expect(saved_name(name, kept), state_dtype(parameter.dtype()), parameter.shape());
    }
    if (rule_.counts_steps) expect_steps(name);
  }
  expect(kSavedRate, kFloat64, {});
  if (rule_.counts_steps && find(kSavedSteps).defined()) expect(kSavedSteps, kInt64, {});
  for (const auto& [name, tensor] : left_) {
    faults_.push_back(fmt::format("{} is no parameter's", core::quote(name)));
  }
}

void SavedState::expect_steps(const std::string& parameter) {
  const std::string name = saved_name(parameter, kSavedSteps);
  if (find(name).defined() || !find(kSavedSteps).defined()) expect(name, kInt64, {});
}

void SavedState::expect(const std::string& name, DType dtype, const Shape& shape) {
  left_.erase(name);
  const Tensor tensor = find(name);
  if (!tensor.defined()) {
    faults_.push_back(fmt::format("{} is missing", core::quote(name)));
  } else if (tensor.dtype() != dtype || tensor.shape() != shape) {
    faults_.push_back(fmt::format("{} is {} {}, but has to be {} {}", core::quote(name),
                                  dtype_name(tensor.dtype()), tensor.shape().to_string(),
                                  dtype_name(dtype), shape.to_string()));
  }
}

Tensor SavedState::find(const std::string& name) const {
  const auto found = given_.find(name);
  return found == given_.end() ? Tensor() : found->second;
}

bool SavedState::has_any(const std::string& parameter) const {
  return std::any_of(rule_.states.begin(), rule_.states.end(),
                     [&](const char* kept) { return find(saved_name(parameter, kept)).defined(); });
}

std::vector<Tensor> SavedState::of(std::size_t parameter) const {
  std::vector<Tensor> states;
  const std::string& name = parameters_[parameter].first;
  if (!has_any(name)) return states;
  for (const char* kept : rule_.states) states.push_back(find(saved_name(name, kept)));
  return states;
}

double SavedState::rate() const { return find(kSavedRate).item<double>(); }

Tensor SavedState::steps(std::size_t parameter) const {
  const std::string& name = parameters_[parameter].first;
  if (!rule_.counts_steps || !has_any(name)) return {};
  const Tensor own = find(saved_name(name, kSavedSteps));
  return own.defined() ? own : find(kSavedSteps);
}

}  // namespace optimizer
}  // namespace v0
}  // namespace loci
