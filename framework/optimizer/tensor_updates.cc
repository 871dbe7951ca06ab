#include "framework/optimizer/tensor_updates.h"

#include <algorithm>
#include <loci/autograd.hpp>
#include <loci/creation.hpp>
#include <loci/ops/update.hpp>
#include <utility>

#include "framework/core/raise.h"
#include "framework/eager/thread_state.h"
#include "framework/optimizer/saved_state.h"

namespace loci {
inline namespace v0 {
namespace optimizer {
namespace {

void check_parameter(const char* rule, const Tensor& parameter, std::size_t index) {
  if (!parameter.defined()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[{}] parameter {} is an undefined tensor; was it moved from, or never set?", rule,
                index);
  }
  if (!parameter.is_leaf()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[{}] parameter {} '{}' {} is the result of recorded ops; give the tensors that it "
                "was computed from",
                rule, index, parameter.name(), parameter.shape().to_string());
  }
}

Tensor zeros_like(const Tensor& parameter) {
  return zeros(parameter.shape(), state_dtype(parameter.dtype()));
}

}  // namespace

// In the tensors that are there, so that steps which have been traced see it.
void TensorUpdates::set_rate(double rate) {
  if (std::exchange(rate_, rate) == rate) return;
  const NoGrad scope;
  const eager::Untraced now;
  for (const Shared& shared : shared_) {
    const DeviceGuard guard(shared.place);
    shared.rate.fill_(rate);
  }
}

void TensorUpdates::step(const std::vector<Tensor>& parameters) {
  const NoGrad scope;
  forget_the_dead();
  const std::vector<Update> updates = updates_of(parameters);
  for (const Update& update : updates) prepare(update);
  for (const Update& update : updates) apply(update);
  if (!rule_.counts_steps) return;
  for (const Shared& shared : shared_) {
    const DeviceGuard guard(shared.place);
    increment(shared.steps);
  }
}

std::vector<TensorUpdates::Update> TensorUpdates::updates_of(
    const std::vector<Tensor>& parameters) {
  ++calls_;
  std::vector<Update> updates;
  updates.reserve(parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& parameter = parameters[i];
    check_parameter(rule_.op, parameter, i);
    const std::size_t entry = entry_of(parameter);
    if (std::exchange(entries_[entry].last_call, calls_) == calls_) {
      core::raise(ErrorCode::kInvalidArgument, "[{}] parameter {} '{}' {} is given twice", rule_.op,
                  i, parameter.name(), parameter.shape().to_string());
    }
    Update update{&parameter, entry, parameter.grad_rows(), {}};
    if (!update.rows.defined()) update.gradient = parameter.grad();
    if (update.rows.defined() || update.gradient.defined()) updates.push_back(std::move(update));
  }
  if (updates.empty()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[{}] none of the {} parameters has a gradient; call backward() of a loss that "
                "depends on them first",
                rule_.op, parameters.size());
  }
  return updates;
}

// Parameters come in the same order in every step, so that the search ends where it begins.
std::size_t TensorUpdates::entry_of(const Tensor& parameter) {
  for (std::size_t tried = 0; tried < entries_.size(); ++tried) {
    const std::size_t at = (next_entry_ + tried) % entries_.size();
    if (entries_[at].parameter.lock() != parameter.impl()) continue;
    next_entry_ = at + 1;
    return at;
  }
  entries_.push_back({parameter.impl(), {}});
  next_entry_ = 0;
  return entries_.size() - 1;
}

void TensorUpdates::forget_the_dead() {
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                [](const Entry& entry) { return entry.parameter.expired(); }),
                 entries_.end());
}

// All that an update needs is there before the first one changes anything; and it is there to stay,
// even if the step is traced.
void TensorUpdates::prepare(const Update& update) {
  const eager::Untraced now;
  const Place& place = update.parameter->place();
  const DeviceGuard guard(place);
  std::vector<Tensor>& states = entries_[update.entry].states;
  while (states.size() < rule_.states.size()) states.push_back(zeros_like(*update.parameter));
  if (find_shared(place) == nullptr) shared_.push_back(make_shared(place));
}

TensorUpdates::Shared TensorUpdates::make_shared(const Place& place) const {
  Shared shared{place, full({}, rate_), {}};
  if (!rule_.counts_steps) return shared;
  shared.steps = shared_.empty() ? zeros({}, kInt64) : clone(shared_.front().steps.to(place));
  return shared;
}

const TensorUpdates::Shared* TensorUpdates::find_shared(const Place& place) const {
  for (const Shared& shared : shared_) {
    if (shared.place == place) return &shared;
  }
  return nullptr;
}

void TensorUpdates::apply(const Update& update) {
  const Tensor& parameter = *update.parameter;
  const Shared& shared = *find_shared(parameter.place());
  // The user's own guard says where results are computed; a parameter changes where it is.
  const DeviceGuard guard(parameter.place());
  const bool has_rows = update.rows.defined();
  OpCall<Tensor> call(rule_.op);
  call.input("param", parameter)
      .input("grad", has_rows ? update.rows.values : update.gradient)
      .input("learning_rate", shared.rate)
      .input("rows", update.rows.rows);
  const std::vector<Tensor>& states = entries_[update.entry].states;
  for (std::size_t i = 0; i < states.size(); ++i) call.input(rule_.states[i], states[i]);
  if (rule_.counts_steps) call.input("step", shared.steps);
  for (const auto& [name, value] : rule_.attributes) call.attr(name, value);
  emit_op(call);
}

std::vector<TensorUpdates::Entry>::const_iterator TensorUpdates::find_entry(
    const Tensor& parameter) const {
  return std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.parameter.lock() == parameter.impl();
  });
}

StateDict TensorUpdates::state(const StateDict& parameters) const {
  StateDict kept{{kSavedRate, Tensor::scalar(rate_)}};
  for (const auto& [name, parameter] : parameters) {
    const auto entry = find_entry(parameter);
    if (entry == entries_.end()) continue;
    for (std::size_t i = 0; i < entry->states.size(); ++i) {
      kept.emplace_back(saved_name(name, rule_.states[i]), clone(entry->states[i]).to(Place()));
    }
  }
  if (rule_.counts_steps && !shared_.empty()) {
    kept.emplace_back(kSavedSteps, clone(shared_.front().steps).to(Place()));
  }
  return kept;
}

double TensorUpdates::load(const StateDict& parameters, const StateDict& state) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    check_parameter(rule_.op, parameters[i].second, i);
  }
  const SavedState saved(rule_, parameters, state);
  const NoGrad scope;
  const eager::Untraced now;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    load_states(parameters[i].second, saved.of(i));
  }
  const double rate = saved.rate();
  set_rate(rate);
  if (saved.steps().defined()) load_steps(saved.steps());
  return rate;
}

// Into the tensors that are there, which steps that have been traced know.
void TensorUpdates::load_states(const Tensor& parameter, const std::vector<Tensor>& given) {
  const Place& place = parameter.place();
  const DeviceGuard guard(place);
  std::vector<Tensor>& states = entries_[entry_of(parameter)].states;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (i == states.size()) states.push_back(zeros_like(parameter));
    states[i].copy_(given[i]);
  }
  if (given.empty()) {
    for (const Tensor& old : states) old.fill_(0.0);
  }
  if (find_shared(place) == nullptr) shared_.push_back(make_shared(place));
}

void TensorUpdates::load_steps(const Tensor& given) {
  for (const Shared& shared : shared_) shared.steps.copy_(given);
}

}  // namespace optimizer
}  // namespace v0
}  // namespace loci
