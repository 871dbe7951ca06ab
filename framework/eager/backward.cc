#include "framework/eager/backward.h"

#include <algorithm>
#include <atomic>
#include <loci/autograd.hpp>
#include <loci/ops/creation.hpp>
#include <loci/ops/elementwise.hpp>
#include <loci/ops/parts.hpp>
#include <loci/program.hpp>
#include <utility>

#include "framework/autograd/reverse_walk.h"
#include "framework/core/raise.h"
#include "framework/device/device.h"
#include "framework/eager/interceptor.h"
#include "framework/eager/placing.h"
#include "framework/eager/relocation.h"
#include "framework/eager/thread_state.h"
#include "framework/eager/user_call.h"
#include "framework/eager/work_recorder.h"

namespace loci::eager {
namespace {

Tensor form_of(const tensor::TensorImpl& impl) {
  return eager::form_of({impl.dtype(), impl.shape()}, impl.storage()->device);
}

std::string form_text(const ops::TensorType& type, const Place& place) {
  return fmt::format("{} {} at {}", dtype_name(type.dtype), type.shape.to_string(),
                     place.to_string());
}

// A hook returns a tensor that stands for the gradient, and whatever comes next relies on its form.
// `of` says what it is the gradient of.
void check_replacement(const Tensor& replaced, const Tensor& gradient, const std::string& of) {
  const ops::TensorType given{replaced.dtype(), replaced.shape()};
  const ops::TensorType wanted{gradient.dtype(), gradient.shape()};
  if (given == wanted && replaced.place() == gradient.place()) return;
  core::raise(ErrorCode::kInvalidArgument,
              "[backward] a hook returned {}, but the gradient of {} is {}; return one of that "
              "dtype, shape and place (see cast(), reshape() and to()), or an undefined tensor to "
              "leave it as it is",
              form_text(given, replaced.place()), of, form_text(wanted, gradient.place()));
}

// Each replay adds to what is there then: where that lies.
void add_in_place(tensor::TensorImpl& tensor, Gradient& sum, Gradient&& gradient,
                  bool creates_graph) {
  const char* why =
      creates_graph     ? "by backward() with create_graph, which records the sum"
      : sum.is_sparse() ? "but it consists of rows, which would become more"
      : sum.dense.impl().use_count() > 1 || sum.dense.impl()->storage().use_count() > 1
          ? "but others have that gradient too, and would see it change"
          : nullptr;
  if (why != nullptr) {
    core::raise(
        ErrorCode::kUnsupported,
        "[capture] each replay would add to the gradient that '{}' {} had before, {}; clear "
        "it by set_grad({{}}) in what is captured",
        tensor.name(), tensor.shape().to_string(), why);
  }
  gradient.make_dense([&] { return form_of(tensor); });
  const GradMode off(false);
  sum.dense.add_(gradient.dense);
}

// To what the tensor keeps.
void add_gradient(const std::shared_ptr<tensor::TensorImpl>& tensor, Gradient&& gradient,
                  bool creates_graph) {
  Gradient& sum = ensure_history(*tensor).grad;
  if (const auto recorder = recorder_of(thread_state())) {
    recorder->note_gradient(tensor, /*is_read=*/true);
    if (recorder->has_earlier_gradient(*tensor)) {
      return add_in_place(*tensor, sum, std::move(gradient), creates_graph);
    }
  }
  sum.add(std::move(gradient));
  settle(&sum, *tensor);
}

// The tape behind some tensors, as walk_back() sees it.
class Tape {
 public:
  explicit Tape(const BackwardRequest& request)
      : request_(request), creates_graph_(request.creates_graph), mode_(request.creates_graph) {}
  ~Tape() {
    for (Node* node : nodes_) node->visit = {};
  }

  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  // Marks all that lies behind the outputs; with targets only those and what lies in between.
  void mark_needed() {
    for (const Tensor& output : request_.outputs) discover(edge_of(output));
    std::sort(nodes_.begin(), nodes_.end(),
              [](const Node* a, const Node* b) { return a->number() > b->number(); });
    caught_.resize(request_.targets.size());
    if (request_.targets.empty()) return;
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
      bool needed = false;
      for (const Edge& edge : (*node)->edges) {
        needed = needed || (edge.node != nullptr && edge.node->visit.is_needed) || is_target(edge);
      }
      (*node)->visit.is_needed = needed;
    }
  }

  void plant() {
    for (std::size_t i = 0; i < request_.outputs.size(); ++i) {
      Gradient seed;
      seed.add(weight(i));
      arrive(edge_of(request_.outputs[i]), std::move(seed));
    }
  }

  [[nodiscard]] const std::vector<Node*>& steps() const { return nodes_; }

  bool collect(Node* node) {
    const bool is_caught = is_target(*node);
    if (!node->visit.is_needed && !is_caught) return false;
    bool reached = false;
    for (std::size_t i = 0; i < node->visit.arrived.size(); ++i) {
      Gradient& gradient = node->visit.arrived[i];
      if (!gradient.defined()) continue;
      // Calls differentiate dense gradients alone.
      gradient.make_dense(
          [&] { return eager::form_of(node->outputs[i].type, node->outputs[i].device); });
      watch(*node, i, gradient.dense);
      catch_at_target(*node, i, gradient.dense);
      reached = true;
    }
    return reached && node->visit.is_needed;
  }

  void differentiate(Node* node) {
    Gradients parts = node->backward(node->visit.arrived, creates_graph_);
    node->visit.arrived.clear();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].defined()) arrive(node->edges[i], std::move(parts[i]));
    }
  }

  void finish() {
    if (!request_.retains_graph && !creates_graph_) {
      for (Node* node : nodes_) node->release();
    }
    for (auto& [leaf, gradient] : leaves_) finish_leaf(leaf, gradient);
  }

  // The gradients by target, once they are finished.
  std::vector<Tensor> take_caught() { return std::move(caught_); }

 private:
  void discover(const Edge& start) {
    if (start.node != nullptr) {
      roots_.push_back(start.node);
      enter(start.node.get());
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      for (const Edge& edge : nodes_[i]->edges) {
        if (edge.node != nullptr) enter(edge.node.get());
      }
    }
  }

  void enter(Node* node) {
    if (node->visit.walk == this) return;
    if (node->visit.walk != nullptr) {
      core::raise(ErrorCode::kInvalidArgument,
                  "[backward] {} is being gone through by another backward(), on another thread or "
                  "from a hook; let one end before the next",
                  node->name());
    }
    node->visit.walk = this;
    node->visit.arrived.resize(node->outputs.size());
    nodes_.push_back(node);
  }

  [[nodiscard]] bool is_target(const Edge& edge) const {
    return std::any_of(request_.targets.begin(), request_.targets.end(), [&](const Tensor& target) {
      const Edge end = edge_of(target);
      return end.node == edge.node && end.output == edge.output && end.leaf == edge.leaf &&
             end.defined();
    });
  }

  // Returns true if one of its outputs is a target.
  [[nodiscard]] bool is_target(const Node& node) const {
    return std::any_of(request_.targets.begin(), request_.targets.end(),
                       [&](const Tensor& target) { return edge_of(target).node.get() == &node; });
  }

  Tensor weight(std::size_t index) {
    const Tensor& output = request_.outputs[index];
    if (!edge_of(output).defined()) {
      core::raise(ErrorCode::kInvalidArgument,
                  "[backward] nothing is recorded of '{}' {}: no tensor that requires a gradient "
                  "took part in it, or it was computed under NoGrad",
                  output.name(), output.shape().to_string());
    }
    if (index < request_.weights.size() && request_.weights[index].defined()) {
      const Tensor& given = request_.weights[index];
      if (given.dtype() != output.dtype() || given.shape() != output.shape()) {
        core::raise(ErrorCode::kInvalidArgument,
                    "[backward] the gradient given for '{}' is {} {}, but that is {} {}",
                    output.name(), dtype_name(given.dtype()), given.shape().to_string(),
                    dtype_name(output.dtype()), output.shape().to_string());
      }
      device::Device* space = output.impl()->storage()->device;
      return relocate(given, space == nullptr ? host_device() : *space,
                      {"backward.gradient", "", "backward", transfer::Reason::kPrepareData},
                      /*site=*/nullptr);
    }
    if (output.numel() != 1) {
      core::raise(ErrorCode::kInvalidArgument,
                  "[backward] '{}' is {}; without a gradient of its own it must have one element, "
                  "such as mean() gives",
                  output.name(), output.shape().to_string());
    }
    const GradMode off(false);
    return full_like(form_of(*output.impl()), 1.0);
  }

  void arrive(const Edge& edge, Gradient&& gradient) {
    if (edge.node != nullptr) {
      edge.node->visit.arrived[edge.output].add(std::move(gradient));
    } else if (edge.leaf != nullptr) {
      arrive_at_leaf(edge.leaf, std::move(gradient));
    }
  }

  void arrive_at_leaf(const std::shared_ptr<tensor::TensorImpl>& leaf, Gradient&& gradient) {
    for (auto& [known, sum] : leaves_) {
      if (known == leaf) return sum.add(std::move(gradient));
    }
    leaves_.emplace_back(leaf, std::move(gradient));
  }

  void watch(Node& node, std::size_t output, Tensor& gradient) const {
    for (const Node::Watch& watch : node.watches) {
      if (watch.output != output) continue;
      if (watch.hook) {
        gradient = hooked(watch.hook, gradient, fmt::format("a result of {}", node.name()));
      } else if (const auto kept = watch.keeps.lock()) {
        Gradient part;
        part.add(gradient);
        add_gradient(kept, std::move(part), creates_graph_);
      }
    }
  }

  void catch_at_target(const Node& node, std::size_t output, const Tensor& gradient) {
    for (std::size_t i = 0; i < request_.targets.size(); ++i) {
      const Edge end = edge_of(request_.targets[i]);
      if (end.node.get() == &node && end.output == output) caught_[i] = gradient;
    }
  }

  void finish_leaf(const std::shared_ptr<tensor::TensorImpl>& leaf, Gradient& gradient) {
    History& history = ensure_history(*leaf);
    for (const Hook& hook : history.hooks) {
      gradient.make_dense([&] { return form_of(*leaf); });
      gradient.dense = hooked(hook, gradient.dense, fmt::format("the leaf '{}'", leaf->name()));
    }
    if (request_.targets.empty()) return add_gradient(leaf, std::move(gradient), creates_graph_);
    for (std::size_t i = 0; i < request_.targets.size(); ++i) {
      if (request_.targets[i].impl() != leaf) continue;
      gradient.make_dense([&] { return form_of(*leaf); });
      caught_[i] = gradient.dense;
    }
  }

  const BackwardRequest& request_;
  bool creates_graph_;
  GradMode mode_;
  std::vector<std::shared_ptr<Node>> roots_;  // which hold all others, whatever hooks do
  std::vector<Node*> nodes_;                  // the latest first, once all are there
  std::vector<std::pair<std::shared_ptr<tensor::TensorImpl>, Gradient>> leaves_;
  std::vector<Tensor> caught_;  // by target
};

}  // namespace

void note_gradient(const std::shared_ptr<tensor::TensorImpl>& tensor, bool is_read) {
  const std::shared_ptr<WorkRecorder> recorder = recorder_of(thread_state());
  if (recorder != nullptr) recorder->note_gradient(tensor, is_read);
}

Tensor hooked(const Hook& hook, const Tensor& gradient, const std::string& of) {
  Tensor replaced;
  {
    const UserCode code;
    replaced = hook(gradient);
  }
  if (!replaced.defined()) return gradient;
  check_replacement(replaced, gradient, of);
  return replaced;
}

void settle(Gradient* gradient, const tensor::TensorImpl& of) {
  if (gradient->dense.defined()) {
    gradient->make_dense([&] { return form_of(of); });
  } else {
    gradient->join_rows();
  }
}

std::vector<Tensor> backward(const BackwardRequest& request) {
  if (Interceptor* interceptor = thread_state().interceptor) return interceptor->backward(request);
  for (const Tensor& output : request.outputs) {
    tensor::require_current_context(*output.impl(), "backward");
  }
  Tape tape(request);
  autograd::walk_back(tape);
  return tape.take_caught();
}

}  // namespace loci::eager
