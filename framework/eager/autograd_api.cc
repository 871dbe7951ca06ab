#include <loci/autograd.hpp>
#include <utility>

#include "framework/core/raise.h"
#include "framework/eager/backward.h"
#include "framework/eager/interceptor.h"
#include "framework/eager/thread_state.h"
#include "framework/eager/user_call.h"
#include "framework/eager/work_recorder.h"
#include "framework/tensor/tensor_impl.h"

namespace loci {
namespace eager {
namespace {

const std::shared_ptr<tensor::TensorImpl>& checked_impl(const Tensor& tensor) {
  if (tensor.defined()) return tensor.impl();
  core::raise(ErrorCode::kInvalidArgument,
              "[autograd] this tensor is undefined; make one with Tensor::empty() or from()");
}

void check_question(const Tensor& tensor, const char* question) {
  checked_impl(tensor);
  if (Interceptor* interceptor = thread_state().interceptor) [[unlikely]] {
    interceptor->check_question(tensor, question);
  }
}

void check_watch(const Tensor& tensor, const char* call) {
  if (Interceptor* interceptor = thread_state().interceptor) [[unlikely]] {
    interceptor->check_watch(tensor, call);
  }
}

// A captured function calls the hook once, and the leaf would have it for ever.
void check_hook(const Tensor& leaf) {
  const bool is_made = leaf.impl()->storage()->absence.load() == tensor::kBeingCaptured;
  if (is_made || recorder_of(thread_state()) == nullptr) return;
  core::raise(
      ErrorCode::kUnsupported,
      "[capture] register_hook() of '{}' {} is called once and by no replay, but the tensor "
      "keeps the hook; call it before what is captured",
      leaf.name(), leaf.shape().to_string());
}

void read_gradient(const Tensor& tensor) {
  checked_impl(tensor);
  if (Interceptor* interceptor = thread_state().interceptor) [[unlikely]] {
    return interceptor->read_gradient(tensor);
  }
  note_gradient(tensor.impl(), /*is_read=*/true);
}

ops::TensorType type_of(const Tensor& tensor) { return {tensor.dtype(), tensor.shape()}; }

}  // namespace
}  // namespace eager

inline namespace v0 {

bool Tensor::requires_grad() const {
  eager::check_question(*this, "requires_grad()");
  return eager::requires_grad(*this);
}

const Tensor& Tensor::set_requires_grad(bool required) const {
  const auto& impl = eager::checked_impl(*this);
  if (!is_leaf()) {
    core::raise(
        ErrorCode::kInvalidArgument,
        "[autograd] '{}' {} is the result of recorded ops, which says whether it requires a "
        "gradient; detach() it first",
        name(), shape().to_string());
  }
  if (required && !is_floating(dtype())) {
    core::raise(ErrorCode::kInvalidArgument,
                "[autograd] '{}' is {}; only floating tensors have gradients", name(),
                dtype_name(dtype()));
  }
  if (eager::Interceptor* interceptor = eager::thread_state().interceptor) {
    interceptor->change_requirement(*this, required);
  }
  if (required || impl->recorded() != nullptr) {
    eager::ensure_history(*impl).requires_grad = required;
  }
  return *this;
}

bool Tensor::is_leaf() const {
  eager::check_question(*this, "is_leaf()");
  const eager::History* history = eager::history_of(*impl());
  return history == nullptr || history->node == nullptr;
}

void Tensor::backward(const Tensor& gradient, bool retain_graph, bool create_graph) const {
  const eager::UserCall call(__builtin_return_address(0));
  eager::checked_impl(*this);
  eager::BackwardRequest request;
  request.outputs = {*this};
  request.weights = {gradient};
  request.retains_graph = retain_graph;
  request.creates_graph = create_graph;
  eager::backward(request);
}

Tensor Tensor::grad() const {
  eager::read_gradient(*this);
  eager::History* history = eager::history_of(*impl());
  if (history == nullptr) return {};
  history->grad.make_dense(
      [this] { return eager::form_of(eager::type_of(*this), impl()->storage()->device); });
  return history->grad.dense;
}

SparseRows Tensor::grad_rows() const {
  eager::read_gradient(*this);
  eager::History* history = eager::history_of(*impl());
  if (history == nullptr || !history->grad.is_sparse()) return {};
  history->grad.join_rows();
  return history->grad.rows.front();
}

void Tensor::set_grad(const Tensor& gradient) const {
  const tensor::LettingGo call("Tensor::set_grad()");
  const auto& impl = eager::checked_impl(*this);
  if (eager::Interceptor* interceptor = eager::thread_state().interceptor) {
    interceptor->keep_gradient(*this);
  } else {
    eager::note_gradient(impl, /*is_read=*/false);
  }
  if (!gradient.defined()) {
    if (impl->recorded() != nullptr) eager::history_of(*impl)->grad = {};
    return;
  }
  if (gradient.dtype() != dtype() || gradient.shape() != shape()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[autograd] a gradient of {} {} does not fit '{}', which is {} {}",
                dtype_name(gradient.dtype()), gradient.shape().to_string(), name(),
                dtype_name(dtype()), shape().to_string());
  }
  eager::ensure_history(*impl).grad = {gradient, {}};
}

void Tensor::retain_grad() const {
  const auto& impl = eager::checked_impl(*this);
  const eager::History* history = eager::history_of(*impl);
  if (history == nullptr || history->node == nullptr) return;  // a leaf keeps its own anyway
  eager::check_watch(*this, "retain_grad()");
  history->node->watches.push_back({history->output, nullptr, impl});
}

void Tensor::register_hook(std::function<Tensor(const Tensor&)> hook) const {
  const auto& impl = eager::checked_impl(*this);
  if (!eager::requires_grad(*this)) {
    core::raise(ErrorCode::kInvalidArgument,
                "[autograd] '{}' {} requires no gradient, so a hook would never be called", name(),
                shape().to_string());
  }
  eager::check_watch(*this, "register_hook()");
  eager::History& history = *eager::history_of(*impl);
  if (history.node == nullptr) {
    eager::check_hook(*this);
    history.hooks.push_back(std::move(hook));
  } else {
    history.node->watches.push_back({history.output, std::move(hook), {}});
  }
}

std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& weights, bool retain_graph, bool create_graph) {
  const eager::UserCall call(__builtin_return_address(0));
  for (const Tensor& output : outputs) eager::checked_impl(output);
  for (const Tensor& input : inputs) eager::checked_impl(input);
  if (inputs.empty()) return {};
  return eager::backward({outputs, weights, inputs, retain_graph, create_graph});
}

bool is_grad_enabled() { return eager::thread_state().records; }

GradMode::GradMode(bool enabled)
    : previous_(std::exchange(eager::thread_state().records, enabled)) {}
GradMode::~GradMode() { eager::thread_state().records = previous_; }

}  // namespace v0
}  // namespace loci
