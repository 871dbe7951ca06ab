#include "framework/optimizer/tensor_updates.h"

#include <algorithm>
#include <loci/autograd.hpp>
#include <loci/creation.hpp>
#include <map>
#include <utility>

#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/eager/beside_captures.h"
#include "framework/eager/thread_state.h"
#include "framework/optimizer/saved_state.h"
#include "framework/program/guard_text.h"

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

// State of parameters is where they are; the user has put nothing there with a guard.
program::GuardTextScope among(const Place& parameters) {
  return program::GuardTextScope(program::guard_text(parameters, program::Standing::kFound));
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
    const program::GuardTextScope there = among(shared.place);
    shared.rate.fill_(rate);
  }
}

void TensorUpdates::step(const std::vector<Tensor>& parameters) {
  const NoGrad scope;
  forget_the_dead();
  const std::vector<Update> updates = updates_of(parameters);
  for (const Update& update : updates) prepare(update);
  if (rule_.counts_steps) {
    std::vector<std::size_t> updated;
    updated.reserve(updates.size());
    for (const Update& update : updates) updated.push_back(update.entry);
    count_from_now(updated);
  }
  for (const Update& update : updates) apply(update);
  if (rule_.counts_steps) advance(updates);
}

// Counts of one place are made together, and once, even if the step is traced or captured.
void TensorUpdates::count_from_now(const std::vector<std::size_t>& entries) {
  std::vector<std::pair<Tensor, std::vector<StepCount*>>> missing;  // by the first of a place
  for (const std::size_t index : entries) {
    Entry& entry = entries_[index];
    if (entry.count.list != nullptr) continue;
    const Tensor parameter(entry.parameter.lock());
    auto at = std::find_if(missing.begin(), missing.end(), [&](const auto& of_place) {
      return of_place.first.place() == parameter.place();
    });
    if (at == missing.end()) at = missing.insert(at, {parameter, {}});
    at->second.push_back(&entry.count);
  }
  const eager::Untraced now;
  for (const auto& [first, counts] : missing) {
    const eager::BesideCaptures once(first);
    const auto list =
        std::make_shared<CountList>(first.place(), static_cast<std::int64_t>(counts.size()));
    std::int64_t at = 0;
    for (StepCount* count : counts) *count = {list, at++};
  }
}

void TensorUpdates::advance(const std::vector<Update>& updates) {
  for (const Update& update : updates) {
    const StepCount& count = entries_[update.entry].count;
    count.list->advance(count.at);
  }
  for (const Update& update : updates) entries_[update.entry].count.list->flush();
}

void TensorUpdates::tell_of_rounding(DType parameter, std::string_view name) {
  if (dtype_size(parameter) != 2 || std::exchange(has_told_of_rounding_, true)) return;
  core::log(
      core::Module::kOperator, core::Level::kWarn,
      "[{}] updates '{}', which is {}: a step below about {} of an element is rounded away, so "
      "that training may move nothing; keep parameters in float32 (master weights) and cast "
      "them to {} where they are computed with (mixed precision)",
      rule_.op, name, dtype_name(parameter), parameter == kBFloat16 ? "0.4 %" : "0.05 %",
      dtype_name(parameter));
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
// even if the step is traced or captured.
void TensorUpdates::prepare(const Update& update) {
  const eager::Untraced now;
  const eager::BesideCaptures once(*update.parameter);
  const Place& place = update.parameter->place();
  const program::GuardTextScope there = among(place);
  tell_of_rounding(update.parameter->dtype(), update.parameter->name());
  std::vector<Tensor>& states = entries_[update.entry].states;
  while (states.size() < rule_.states.size()) states.push_back(zeros_like(*update.parameter));
  if (find_shared(place) == nullptr) shared_.push_back(make_shared(place));
}

TensorUpdates::Shared TensorUpdates::make_shared(const Place& place) const {
  return {place, full({}, rate_)};
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
  const program::GuardTextScope there = among(parameter.place());
  const bool has_rows = update.rows.defined();
  OpCall<Tensor> call(rule_.op);
  call.input("param", parameter)
      .input("grad", has_rows ? update.rows.values : update.gradient)
      .input("learning_rate", shared.rate)
      .input("rows", update.rows.rows);
  const Entry& entry = entries_[update.entry];
  for (std::size_t i = 0; i < entry.states.size(); ++i) {
    call.input(rule_.states[i], entry.states[i]);
  }
  if (rule_.counts_steps) {
    call.input("step", entry.count.list->counts()).attr("counter", entry.count.at);
  }
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
  std::map<const CountList*, std::vector<std::int64_t>> counts;
  for (const auto& [name, parameter] : parameters) {
    const auto entry = find_entry(parameter);
    if (entry == entries_.end()) continue;
    for (std::size_t i = 0; i < entry->states.size(); ++i) {
      kept.emplace_back(saved_name(name, rule_.states[i]), clone(entry->states[i]).to(Place()));
    }
    const CountList* list = entry->count.list.get();
    if (list == nullptr || entry->states.empty()) continue;
    const auto [values, is_new] = counts.try_emplace(list);
    if (is_new) values->second = list->values();
    kept.emplace_back(saved_name(name, kSavedSteps),
                      Tensor::scalar(values->second[static_cast<std::size_t>(entry->count.at)]));
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
  if (rule_.counts_steps) load_counts(parameters, saved);
  const double rate = saved.rate();
  set_rate(rate);
  return rate;
}

// Into the tensors that are there, which steps that have been traced know.
void TensorUpdates::load_states(const Tensor& parameter, const std::vector<Tensor>& given) {
  const Place& place = parameter.place();
  const program::GuardTextScope there = among(place);
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

// A parameter that the state does not know has made 0 steps.
void TensorUpdates::load_counts(const StateDict& parameters, const SavedState& saved) {
  std::vector<std::size_t> stepped;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (saved.steps(i).defined()) stepped.push_back(entry_of(parameters[i].second));
  }
  count_from_now(stepped);
  std::map<const CountList*, std::vector<std::int64_t>> counts;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const StepCount& count = entries_[entry_of(parameters[i].second)].count;
    if (count.list == nullptr) continue;
    const auto [values, is_new] = counts.try_emplace(count.list.get());
    if (is_new) values->second = count.list->values();
    const Tensor steps = saved.steps(i);
    values->second[static_cast<std::size_t>(count.at)] =
        steps.defined() ? steps.item<std::int64_t>() : 0;
  }
  for (const auto& [list, values] : counts) list->set(values);
}

}  // namespace optimizer
}  // namespace v0
}  // namespace loci
