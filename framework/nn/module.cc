#include <cxxabi.h>

#include <cstdlib>
#include <loci/autograd.hpp>
#include <loci/nn/module.hpp>
#include <map>
#include <typeinfo>

#include "framework/core/quote.h"
#include "framework/core/raise.h"
#include "framework/tensor/tensor_impl.h"

namespace loci {
inline namespace v0 {
namespace nn {
namespace {

// Lines after the first moved to the right.
std::string indented(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c;
    if (c == '\n') result += "  ";
  }
  return result;
}

std::string class_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  std::string name = text == nullptr ? type.name() : text.get();
  name = name.substr(0, name.find('<'));  // of a template
  const std::size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

}  // namespace

Module::~Module() = default;

Tensor Module::forward(const Tensor&) {
  core::raise(ErrorCode::kUnsupported,
              "[{}] has no forward() of one tensor; call the function that it has instead", type());
}

std::string Module::type() const { return class_name(typeid(*this)); }

std::string Module::arguments() const { return {}; }

std::string Module::to_string() const {
  std::string text = type() + "(";
  const std::string given = arguments();
  if (children_.empty()) return text + given + ")";
  if (!given.empty()) text += "\n  " + given;
  for (const Child& child : children_) {
    text += "\n  (" + child.name + "): " + indented(child.module->to_string());
  }
  return text + "\n)";
}

std::vector<std::pair<std::string, Module*>> Module::named_children() const {
  std::vector<std::pair<std::string, Module*>> children;
  for (const Child& child : children_) children.emplace_back(child.name, child.module);
  return children;
}

void Module::train(bool is_training) {
  is_training_ = is_training;
  for (const Child& child : children_) child.module->train(is_training);
}

void Module::to(const Place& place) {
  const tensor::LettingGo call("Module::to()");
  const NoGrad scope;
  std::map<const tensor::TensorImpl*, Tensor> moved;  // tensors that are shared stay so
  const std::vector<NamedSlot> slots = state_slots();
  for (const NamedSlot& slot : slots) {
    const Tensor& tensor = *slot.tensor;
    Tensor& there = moved[tensor.impl().get()];
    if (there.defined()) continue;
    there = tensor.to(place);
    if (there.impl() != tensor.impl() && tensor.requires_grad()) there.set_requires_grad();
  }
  // The old addresses are looked up first: a slot's old tensor may be gone once it is replaced.
  std::vector<Tensor> replacements;
  for (const NamedSlot& slot : slots) replacements.push_back(moved.at(slot.tensor->impl().get()));
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Tensor& slot = *slots[i].tensor;
    if (slot.impl() != replacements[i].impl()) tensor::note_let_go(*slot.impl()->storage());
    slot = replacements[i];
  }
}

void Module::zero_grad() {
  const tensor::LettingGo call("Module::zero_grad()");
  for (const Tensor& parameter : parameters()) parameter.set_grad({});
}

void Module::set_requires_grad(bool required) {
  for (const Tensor& parameter : parameters()) parameter.set_requires_grad(required);
}

void Module::check_name(const std::string& name) const {
  if (name.empty() || name.find('.') != std::string::npos) {
    core::raise(ErrorCode::kInvalidArgument,
                "[nn] {} is no name for a part of {}; give one without dots that is not empty",
                core::quote(name), type());
  }
  const auto refuse = [&](const char* what) {
    core::raise(ErrorCode::kInvalidArgument, "[nn] {} has a {} {} already; give another name",
                type(), what, core::quote(name));
  };
  for (const Slot& slot : parameters_) {
    if (slot.name == name) refuse("parameter");
  }
  for (const Slot& slot : buffers_) {
    if (slot.name == name) refuse("buffer");
  }
  for (const Child& child : children_) {
    if (child.name == name) refuse("child");
  }
}

void Module::register_parameter(const std::string& name, Tensor& parameter) {
  check_name(name);
  if (!parameter.defined()) return;
  parameter.set_requires_grad();
  parameter.set_name(name);
  parameters_.push_back({name, &parameter});
}

void Module::register_buffer(const std::string& name, Tensor& buffer) {
  check_name(name);
  if (!buffer.defined()) return;
  buffer.set_name(name);
  buffers_.push_back({name, &buffer});
}

void Module::register_child(const std::string& name, Module& child) {
  add_child({name, &child, nullptr});
}

void Module::register_child(const std::string& name, std::shared_ptr<Module> child) {
  if (child == nullptr) {
    core::raise(ErrorCode::kInvalidArgument, "[nn] the child {} of {} is a null pointer",
                core::quote(name), type());
  }
  Module* module = child.get();
  add_child({name, module, std::move(child)});
}

void Module::check_child(const std::string& name, const Module& child) const {
  if (&child == this) {
    core::raise(ErrorCode::kInvalidArgument, "[nn] the child {} of {} has {} below it itself",
                core::quote(name), type(), type());
  }
  for (const Child& below : child.children_) check_child(name, *below.module);
}

void Module::add_child(Child child) {
  check_name(child.name);
  check_child(child.name, *child.module);
  child.module->name_tensors(child.name + ".");
  children_.push_back(std::move(child));
}

void Module::name_tensors(const std::string& prefix) {
  for (const NamedSlot& slot : state_slots()) slot.tensor->set_name(prefix + slot.name);
}

void Module::collect(Slots kind, const std::string& prefix, std::vector<NamedSlot>* found) const {
  for (const Slot& slot : this->*kind) found->push_back({prefix + slot.name, slot.tensor});
  for (const Child& child : children_) {
    child.module->collect(kind, prefix + child.name + ".", found);
  }
}

}  // namespace nn
}  // namespace v0
}  // namespace loci
