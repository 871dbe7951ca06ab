#include <loci/scope.hpp>
#include <utility>

#include "framework/core/context.h"
#include "framework/core/raise.h"
#include "framework/core/suggest.h"
#include "framework/memory/intern.h"
#include "framework/tensor/scope_impl.h"
#include "framework/tensor/tensor_impl.h"

namespace loci {
namespace tensor {
namespace {

void check_entry(const std::string& name, const Tensor& tensor) {
  if (name.empty()) {
    core::raise(ErrorCode::kInvalidArgument, "[scope] a name is empty; give the tensor one");
  }
  if (!tensor.defined()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[scope] the tensor for '{}' is undefined; give it a value first", name);
  }
}

// The context's own: it ends with it, and no one else's use.
struct GlobalScope {
  static constexpr auto kContextSlot = core::ContextSlot::kScope;
  Scope scope;
};

bool same_form(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && a.place() == b.place();
}

Tensor copy_of(const Tensor& value, const std::string& name) {
  Tensor copy = make_tensor(value.dtype(), value.shape(), value.place(), memory::intern(name));
  copy.copy_(value);
  return copy;
}

}  // namespace

Tensor ScopeImpl::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  return found == entries_.end() ? Tensor() : found->second.tensor;
}

void ScopeImpl::require_current_context(std::string_view user) const {
  if (use_.is_current()) return;
  core::refuse_other_context(user, "the scope", use_.context(),
                             "enter its context with a ContextGuard, or use a scope of this one");
}

template <class Edit>
void ScopeImpl::replace(const std::string& name, Tensor tensor, const Edit& edit) {
  require_current_context("scope");
  check_entry(name, tensor);
  loci::tensor::require_current_context(*tensor.impl(), "scope");
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[name];
  std::swap(entry.tensor, tensor);  // what was there is released after the lock
  edit(&entry.history);
  if (tensor.defined()) note_let_go(*tensor.impl()->storage());
  const bool same = tensor.defined() && same_form(tensor, entry.tensor) &&
                    settled_data(tensor) == settled_data(entry.tensor);
  if (!same) version_.fetch_add(1, std::memory_order_acq_rel);
}

void ScopeImpl::put(const std::string& name, Tensor tensor) {
  replace(name, std::move(tensor), [](History* history) { *history = {}; });
}

void ScopeImpl::make(const std::string& name, Tensor tensor) {
  replace(name, std::move(tensor), [](History* history) { *history = {/*made=*/true, 0}; });
}

void ScopeImpl::move(const std::string& name, Tensor tensor) {
  const LettingGo call("a run, which moved the variable to another place");
  replace(name, std::move(tensor), [](History* history) { ++history->moves; });
}

ScopeImpl::History ScopeImpl::history(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  return found == entries_.end() ? History() : found->second.history;
}

void ScopeImpl::erase(const std::string& name) {
  const LettingGo call("Scope::erase()");
  Tensor previous;
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end()) return;
  previous = std::move(found->second.tensor);
  entries_.erase(found);
  note_let_go(*previous.impl()->storage());
  version_.fetch_add(1, std::memory_order_acq_rel);
}

std::vector<std::string> ScopeImpl::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  names.reserve(entries_.size());
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

}  // namespace tensor

inline namespace v0 {

Scope::Scope() : impl_(std::make_shared<tensor::ScopeImpl>()) {}

Tensor Scope::find(const std::string& name) const {
  Tensor found = impl_->find(name);
  if (!found.defined()) {
    core::raise(ErrorCode::kNotFound, "[scope] there is no tensor '{}'{}", name,
                core::suggest(name, impl_->names()));
  }
  return found;
}

bool Scope::has(const std::string& name) const { return impl_->find(name).defined(); }

void Scope::set(const std::string& name, const Tensor& value) const {
  tensor::check_entry(name, value);
  impl_->require_current_context("scope");
  tensor::require_current_context(*value.impl(), "scope");
  const tensor::LettingGo call("Scope::set()");
  const Tensor present = impl_->find(name);
  if (present.defined() && present.dtype() == value.dtype() && present.shape() == value.shape()) {
    present.copy_(value);
  } else {
    impl_->put(name, tensor::copy_of(value, name));
  }
}

void Scope::erase(const std::string& name) const { impl_->erase(name); }

std::vector<std::string> Scope::names() const { return impl_->names(); }

Scope global_scope() { return core::in_context<tensor::GlobalScope>().scope; }

}  // namespace v0
}  // namespace loci
