#include "framework/tracing/tracer.h"

#include <fmt/format.h>

#include <algorithm>
#include <loci/autograd.hpp>
#include <loci/ops.hpp>

#include "framework/core/raise.h"
#include "framework/eager/thread_state.h"
#include "framework/program/builder.h"
#include "framework/program/guard_text.h"
#include "framework/tensor/scope_impl.h"

namespace loci::tracing {
namespace {

const char* const kAbsence =
    "it is traced, and stands for what a run will compute; return it from the function, or, for a "
    "decision that hangs on it, use cond(), case_of(), switch_case(), while_loop() or where()";

// The tensor without what is recorded of it: a scope holds data.
Tensor storage_of(const Tensor& tensor) {
  const tensor::TensorImpl& impl = *tensor.impl();
  return Tensor(std::make_shared<tensor::TensorImpl>(impl.dtype(), impl.shape(), impl.storage(),
                                                     impl.offset()));
}

}  // namespace

Tracer::Tracer(const TraceOptions& options, Purpose purpose)
    : options_(options), purpose_(purpose), previous_(eager::thread_state().interceptor) {
  eager::thread_state().interceptor = this;
}

Tracer::~Tracer() {
  eager::thread_state().interceptor = previous_;
  for (Leaf& leaf : leaves_) {
    if (leaf.is_kept) eager::ensure_history(*leaf.tensor).grad = std::move(leaf.before);
    if (leaf.is_changed) {
      eager::ensure_history(*leaf.tensor).requires_grad = leaf.outside.requires_grad;
    }
  }
}

std::vector<Tensor> Tracer::run(const TensorFunction& fn, const std::vector<Tensor>& examples) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    if (!examples[i].defined()) {
      core::raise(ErrorCode::kInvalidArgument, "[trace] example {} is an undefined tensor", i);
    }
    inputs.push_back(add_input(examples[i], i));
  }
  std::vector<Tensor> outputs = fn(inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) add_output(outputs[i], i);
  return outputs;
}

// A tensor for a variable: its form, and no elements.
Tensor Tracer::stand_in(const Variable& variable, const Spot& spot) {
  auto storage = std::make_shared<tensor::Storage>();
  storage->place = spot.place;
  storage->absence = kAbsence;
  Tensor made(
      std::make_shared<tensor::TensorImpl>(variable.dtype(), variable.shape(), std::move(storage)));
  made.set_name(variable.name());
  known_.insert_or_assign(made.impl().get(), Known{variable, made.impl(), spot.is_said});
  return made;
}

Tensor Tracer::add_input(const Tensor& example, std::size_t index) {
  Shape shape = example.shape();
  if (options_.symbolic_batch && shape.rank() > 0) shape.set(0, kDynamicDim);
  std::string name = index < options_.input_names.size() ? options_.input_names[index]
                     : example.name().empty()            ? fmt::format("input_{}", index)
                                                         : example.name();
  program::VarDesc desc;
  desc.name = block().find(name) == program::kNoVar ? name : program_.impl()->unique_name(name);
  desc.type = {example.dtype(), shape};
  desc.is_data = true;
  inputs_.emplace_back(program_.impl(), block().add_var(std::move(desc)));
  program_.impl()->touch();
  if (usual_place_.is_host()) usual_place_ = example.place();
  Tensor made = stand_in(inputs_.back(), {example.place()});
  known_.at(made.impl().get()).is_input = true;
  const Leaf& leaf = add_leaf(made.impl(), example.impl(), static_cast<int>(inputs_.size()) - 1);
  if (leaf.outside.is_result) record(made, Requires::kYes, "an input");
  if (leaf.outside.requires_grad) eager::ensure_history(*made.impl()).requires_grad = true;
  return made;
}

void Tracer::add_output(const Tensor& tensor, std::size_t index) {
  if (!tensor.defined()) {
    core::raise(ErrorCode::kInvalidArgument, "[trace] the function returned an undefined tensor");
  }
  const Variable variable = result_of(tensor);
  if (index < options_.output_names.size()) variable.rename(options_.output_names[index]);
  outputs_.push_back(variable);
}

Variable Tracer::result_of(const Tensor& tensor) {
  const Known& found = known(tensor);
  Variable variable = found.variable;
  // An input or a tensor from outside is no result of the program.
  bool is_taken = found.is_input || found.is_captured;
  for (const Variable& other : outputs_) is_taken = is_taken || other.id() == variable.id();
  if (is_taken) variable = known(assign(tensor)).variable;
  if (variable.program() != program_.impl()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[trace] the function returns '{}', which belongs to a branch or loop; return it "
                "from that first",
                tensor.name());
  }
  return variable;
}

Traced Tracer::finish() { return {program_, scope_, inputs_, outputs_}; }

Tracer::Known& Tracer::known(const Tensor& tensor) {
  const auto found = known_.find(tensor.impl().get());
  if (found == known_.end()) return capture(tensor);
  if (!found->second.is_outdated) return found->second;
  core::raise(
      ErrorCode::kInvalidArgument,
      "[trace] '{}' {} shares its memory with a tensor from outside that an op has changed in "
      "place since, and is what that was; take detach() or the view after the change, or "
      "clone() it before",
      tensor.name(), tensor.shape().to_string());
}

// A tensor from outside becomes a persistable variable in its own storage. Runs read the elements,
// and not the trace: where it is made within the capture of a graph, they may change after it.
Tracer::Known& Tracer::capture(const Tensor& tensor) {
  const bool is_absent = tensor.impl()->storage()->absence.load() != nullptr;
  if (is_absent && purpose_ != Purpose::kForms) {
    tensor::require_elements(*tensor.impl(), "the trace");
  }
  const std::string name =
      tensor.name().empty() || block().find(tensor.name()) != program::kNoVar
          ? program_.impl()->unique_name(tensor.name().empty() ? "captured" : tensor.name())
          : tensor.name();
  program::VarDesc desc;
  desc.name = name;
  desc.type = {tensor.dtype(), tensor.shape()};
  desc.persistable = true;
  desc.trainable = eager::requires_grad(tensor);
  // It stays where it is: an executor would move it into a storage of its own.
  desc.guard = program::guard_text(tensor.place(), program::Standing::kFound);
  const Variable variable(program_.impl(), block().add_var(std::move(desc)));
  program_.impl()->reserve_name(name);
  program_.impl()->touch();
  scope_.impl()->put(name, storage_of(tensor));
  captured_.push_back(tensor.impl());
  Known& made = known_[tensor.impl().get()];
  made.variable = variable;
  made.tensor = tensor.impl();
  made.is_captured = true;
  if (is_floating(tensor.dtype())) (void)leaf_of(tensor);
  return made;
}

std::vector<Variable> Tracer::append(const OpCall<Tensor>& call, const Spot& spot) {
  if (++calls_ > options_.max_operators) {
    core::raise(ErrorCode::kInvalidArgument,
                "[trace] the function has called {} ops and goes on; if its loop never ends while "
                "it is traced, because its condition is a tensor, use while_loop(), else raise "
                "TraceOptions::max_operators",
                options_.max_operators);
  }
  OpCall<Variable> written{std::string(call.type)};
  std::size_t next = 0;
  for (const OpCall<Tensor>::Slot& slot : call.slots) {
    std::vector<Variable> variables;
    for (std::size_t i = 0; i < slot.count; ++i) {
      variables.push_back(known(call.values[next++]).variable);
    }
    written.inputs_of(std::string(slot.name), std::move(variables));
  }
  for (const OpCall<Tensor>::NamedAttribute& attribute : call.attributes) {
    written.attr(std::string(attribute.name), attribute.value);
  }
  const program::GuardTextScope there(guard_for(spot));
  return emit_op(written);
}

TensorList Tracer::call(OpCall<Tensor>& call) {
  const Spot spot = result_spot(call);
  const std::vector<Variable> variables = append(call, spot);
  const program::Operator& op = variables.front().program()->main().ops.back();
  const std::string& call_name = op.type();
  const bool stops = !eager::thread_state().records;
  const Requires wanted = op.schema->gradient_fn() ? requires_of(call) : Requires::kNo;
  TensorList results;
  std::size_t next = 0;
  for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
    const ops::OutputSlot& schema = op.schema->outputs()[slot];
    for (std::size_t i = 0; i < op.outputs[slot].size(); ++i) {
      const Variable& variable = variables[next++];
      if (const Impl state = captured_state(variable)) {
        outdate_views(state);
        results.push_back(Tensor(state));
        continue;
      }
      if (stops) variable.set_stop_gradient(true);
      results.push_back(stand_in(variable, spot));
      record(results.back(), wanted, call_name);
    }
    if (op.outputs[slot].empty() && schema.arity == ops::Arity::kOptional) results.emplace_back();
  }
  return results;
}

Tracer::Impl Tracer::captured_state(const Variable& variable) const {
  if (!variable.persistable()) return nullptr;
  for (const Impl& tensor : captured_) {
    const Variable& known = known_.at(tensor.get()).variable;
    if (known.id() == variable.id() && known.program() == variable.program()) return tensor;
  }
  return nullptr;
}

Tensor Tracer::to(const Tensor& tensor, const Place& place) {
  if (tensor.place() == place) return tensor;
  const program::GuardTextScope there(program::guard_text(place, program::Standing::kMoved));
  return assign(tensor);
}

Tensor Tracer::detach(const Tensor& tensor) {
  const NoGrad scope;
  return view(tensor, assign(tensor));
}

Tensor Tracer::view(const Tensor& base, const Tensor& result) {
  known(base).shares_memory = true;
  known(result).shares_memory = true;
  const auto of = std::find_if(views_.begin(), views_.end(), [&](const auto& view) {
    return view.first == result.impl() || view.first == base.impl();
  });
  views_.emplace_back(result.impl(), of == views_.end() ? base.impl() : of->second);
  return result;
}

// They would have the new elements, and stand for the old ones.
void Tracer::outdate_views(const Impl& changed) {
  for (const auto& [view, of] : views_) {
    if (of == changed) known_.at(view.get()).is_outdated = true;
  }
}

void Tracer::replace(const Tensor& self, const Tensor& value) {
  Known& changed = known(self);
  const char* why = changed.is_input ? "is an input of the function, whose caller would not see it"
                    : changed.is_captured   ? "was made outside of the function"
                    : changed.shares_memory ? "shares its memory with a view"
                                            : nullptr;
  if (why != nullptr) {
    core::raise(ErrorCode::kInvalidArgument,
                "[trace] '{}' {} is changed in place, but it {}; compute a new tensor and return "
                "it, or change it outside of what is traced",
                self.name(), self.shape().to_string(), why);
  }
  const Variable replacement = known(value).variable;
  if (replacement.program() != changed.variable.program()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[trace] '{}' {} is changed in place within a branch or loop, but was made outside "
                "of it; return its new value from there",
                self.name(), self.shape().to_string());
  }
  if (replacement.dtype() != self.dtype() || replacement.shape() != self.shape()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[trace] a change in place gives {} {}, but '{}' is {} {}",
                dtype_name(replacement.dtype()), replacement.shape().to_string(), self.name(),
                dtype_name(self.dtype()), self.shape().to_string());
  }
  known(self).variable = replacement;
  known(self).may_require = known(value).may_require;
  self.impl()->storage()->version.fetch_add(1, std::memory_order_relaxed);
  const std::shared_ptr<eager::Node> node = eager::edge_of(value).node;
  if (node != nullptr || eager::edge_of(self).node != nullptr) {
    eager::set_node(self, node, eager::edge_of(value).output);
  }
}

}  // namespace loci::tracing
