#include "framework/eager/placing.h"

#include <fmt/format.h>

#include "framework/core/raise.h"
#include "framework/device/device_manager.h"
#include "framework/eager/thread_state.h"
#include "framework/tensor/tensor_impl.h"

namespace loci::eager {
namespace {

[[noreturn]] void refuse(const OpCall<Tensor>& call, const CallForm& form) {
  for (const device::Device* space : form.spaces) {
    if (space != nullptr && space->loss().is_lost()) space->require_reach();
  }
  std::string text;
  for (std::size_t slot = 0; slot < form.values.size(); ++slot) {
    for (const std::int32_t index : form.values[slot]) {
      const Tensor& value = call.values[static_cast<std::size_t>(index)];
      text += fmt::format("{}{} '{}' {}{} at {}", text.empty() ? "" : ", ",
                          form.schema->inputs()[slot].name, value.name(), dtype_name(value.dtype()),
                          value.shape().to_string(), value.place().to_string());
    }
  }
  core::raise(ErrorCode::kInvalidArgument,
              "[{}] its tensors are at different places: {}; move one with to(place), or say where "
              "the op runs with a DeviceGuard",
              form.schema->name(), text);
}

}  // namespace

device::Device& host_device() {
  ThreadState& thread = thread_state();
  if (thread.host == nullptr) thread.host = &device::DeviceManager::instance().get(Place());
  return *thread.host;
}

device::Device& place_of(const OpCall<Tensor>& call, const CallForm& form, device::Device* guard) {
  if (guard != nullptr) return *guard;
  device::Device* found = nullptr;
  bool is_bound_to_host = false;  // by a tensor that is more than a number
  for (std::size_t slot = 0; slot < form.values.size(); ++slot) {
    const ops::Residence residence = form.schema->inputs()[slot].residence;
    if (residence == ops::Residence::kHost) continue;
    for (const std::int32_t index : form.values[slot]) {
      const auto value = static_cast<std::size_t>(index);
      device::Device* space = form.spaces[value];
      if (space == nullptr) {
        is_bound_to_host = is_bound_to_host || (residence == ops::Residence::kDevice &&
                                                call.values[value]->numel() != 1);
      } else if (found == nullptr) {
        found = space;
      } else if (found != space) {
        refuse(call, form);
      }
    }
  }
  if (found != nullptr && is_bound_to_host) refuse(call, form);
  return found == nullptr ? host_device() : *found;
}

}  // namespace loci::eager
