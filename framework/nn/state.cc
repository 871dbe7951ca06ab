// The tensors of modules.
#include <loci/nn/module.hpp>
#include <unordered_set>

namespace loci {
inline namespace v0 {
namespace nn {
namespace {

// Each tensor once, by its first name.
template <class Slots>
StateDict distinct(const Slots& slots) {
  StateDict named;
  std::unordered_set<const tensor::TensorImpl*> seen;
  for (const auto& slot : slots) {
    if (seen.insert(slot.tensor->impl().get()).second) named.emplace_back(slot.name, *slot.tensor);
  }
  return named;
}

}  // namespace

StateDict Module::named_parameters() const {
  std::vector<NamedSlot> slots;
  collect(&Module::parameters_, "", &slots);
  return distinct(slots);
}

StateDict Module::named_buffers() const {
  std::vector<NamedSlot> slots;
  collect(&Module::buffers_, "", &slots);
  return distinct(slots);
}

std::vector<Tensor> Module::parameters() const {
  std::vector<Tensor> parameters;
  for (auto& [name, parameter] : named_parameters()) parameters.push_back(parameter);
  return parameters;
}

void Module::collect_state(const std::string& prefix, std::vector<NamedSlot>* found) const {
  for (const Slot& slot : parameters_) found->push_back({prefix + slot.name, slot.tensor});
  for (const Slot& slot : buffers_) found->push_back({prefix + slot.name, slot.tensor});
  for (const Child& child : children_) {
    child.module->collect_state(prefix + child.name + ".", found);
  }
}

std::vector<Module::NamedSlot> Module::state_slots() const {
  std::vector<NamedSlot> slots;
  collect_state("", &slots);
  return slots;
}

StateDict Module::state_dict() const {
  StateDict state;
  for (const NamedSlot& slot : state_slots()) {
    state.emplace_back(slot.name, slot.tensor->detach().set_name(slot.name));
  }
  return state;
}

}  // namespace nn
}  // namespace v0
}  // namespace loci
