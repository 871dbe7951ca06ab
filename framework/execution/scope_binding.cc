#include "framework/execution/scope_binding.h"

#include <algorithm>

#include "framework/core/log.h"
#include "framework/execution/persistables.h"
#include "framework/transfer/packing.h"
#include "framework/transfer/replication.h"

namespace loci::execution {
namespace {

// One line, however many they are.
void warn_of_pulled(const std::vector<Pulled>& pulled) {
  if (pulled.empty()) return;
  const Pulled& first = pulled.front();
  core::log(core::Module::kExecutor, core::Level::kWarn,
            "'{}'{} had been brought to {} and is pulled to {} for {}: programs of both places "
            "change it, so that it is copied whenever they take turns; give each place a scope of "
            "its own, or put the operators at one place",
            first.variable,
            pulled.size() == 1 ? std::string() : fmt::format(" (and {} more)", pulled.size() - 1),
            first.from.to_string(), first.to.to_string(), first.consumer);
}

template <class Form>
bool is_fresh(const std::shared_ptr<const Form>& form, const Tensor& constant) {
  return form != nullptr && tensor::is_current(*form, *constant.impl()->storage());
}

}  // namespace

bool ScopeBinding::bind(tensor::ScopeImpl& scope) {
  if (scope_ == &scope && scope_version_ == scope.version()) {
    // Ops on the tensors themselves may still be under way.
    for (const Variable& variable : variables_) variable.tensor.impl()->storage()->uses.wait();
    refresh();
    return true;
  }
  scope_ = nullptr;
  if (!find_variables(scope)) return false;
  refresh();
  memory_.sort();
  scope_ = &scope;
  scope_version_ = scope.version();
  return true;
}

bool ScopeBinding::is_up_to_date(const tensor::ScopeImpl& scope) const {
  if (scope_ != &scope || scope_version_ != scope.version()) return false;
  for (const Variable& variable : variables_) {
    if (variable.replica != nullptr && !is_fresh(variable.replica, variable.tensor)) return false;
  }
  for (std::size_t i = 0; i < replicas_.size(); ++i) {
    if (!is_fresh(replicas_[i], variables_[plan_.replicas[i].persistable].at_home())) return false;
  }
  for (std::size_t i = 0; i < packed_.size(); ++i) {
    if (!is_fresh(packed_[i], variables_[plan_.packed[i].persistable].at_home())) return false;
  }
  return true;
}

bool ScopeBinding::find_variables(tensor::ScopeImpl& scope) {
  variables_.clear();
  written_.clear();
  memory_.clear();
  replicas_.assign(plan_.replicas.size(), nullptr);
  packed_.assign(plan_.packed.size(), nullptr);
  std::vector<Pulled> pulled;
  for (const PlanPersistable& persistable : plan_.persistables) {
    const Tensor tensor = resolve_persistable(plan_, persistable, scope, &pulled);
    if (!tensor.defined()) return false;
    void* data = tensor::settled_data(tensor);
    memory_.add(data, tensor.bytes());
    if (tensor.place() == persistable.home) point(persistable.value, data);
    variables_.push_back({tensor, nullptr});
    if (persistable.is_written) written_.push_back(tensor.impl()->storage().get());
  }
  warn_of_pulled(pulled);
  return true;
}

// A replica has a packed form of its own.
void ScopeBinding::refresh() {
  refresh_homes();
  refresh_replicas();
  refresh_packed();
}

void ScopeBinding::refresh_homes() {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const PlanPersistable& persistable = plan_.persistables[i];
    Variable& variable = variables_[i];
    if (variable.tensor.place() == persistable.home) [[likely]]
      continue;
    if (is_fresh(variable.replica, variable.tensor)) continue;
    const transfer::Labels labels{transfer::intern(persistable.name), "",
                                  first_user(plan_, persistable.value),
                                  transfer::Reason::kPrepareData};
    variable.replica = transfer::replica(variable.tensor, persistable.home, labels);
    point(persistable.value, tensor::settled_data(variable.replica->tensor));
    forget_forms(i);
  }
}

// Forgets what was made of the variable at home: another tensor, with its own versions, is there.
void ScopeBinding::forget_forms(std::size_t persistable) {
  for (std::size_t i = 0; i < replicas_.size(); ++i) {
    if (plan_.replicas[i].persistable == persistable) replicas_[i] = nullptr;
  }
  for (std::size_t i = 0; i < packed_.size(); ++i) {
    if (plan_.packed[i].persistable == persistable) packed_[i] = nullptr;
  }
}

void ScopeBinding::refresh_replicas() {
  for (std::size_t i = 0; i < replicas_.size(); ++i) {
    const PlanReplica& plan = plan_.replicas[i];
    const Tensor& constant = variables_[plan.persistable].at_home();
    if (is_fresh(replicas_[i], constant)) [[likely]]
      continue;
    replicas_[i] = transfer::replica(constant, plan.place, plan.labels);
    point(plan.value, tensor::settled_data(replicas_[i]->tensor));
  }
}

void ScopeBinding::refresh_packed() {
  for (std::size_t i = 0; i < packed_.size(); ++i) {
    const PlanPacked& plan = plan_.packed[i];
    const Tensor& constant = variables_[plan.persistable].at_home();
    if (is_fresh(packed_[i], constant)) [[likely]]
      continue;
    packed_[i] = transfer::packed(constant, plan.packing);
    point(plan.value, packed_[i]->buffer.data());
  }
}

void ScopeBinding::count_changes() {
  for (tensor::Storage* storage : written_)
    storage->version.fetch_add(1, std::memory_order_relaxed);
}

void ScopeBinding::fail(const std::shared_ptr<device::Failure>& failure) const {
  for (const std::string& name : plan_.written) {
    const Tensor tensor = scope_->find(name);
    if (tensor.defined()) tensor.impl()->storage()->uses.fail(failure);
  }
}

}  // namespace loci::execution
