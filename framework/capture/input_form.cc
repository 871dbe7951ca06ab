#include "framework/capture/input_form.h"

#include <fmt/format.h>

#include "framework/core/raise.h"
#include "framework/device/device_manager.h"
#include "framework/eager/thread_state.h"

namespace loci::capture {
namespace {

Place place_of(const std::vector<Tensor>& inputs, const device::Device* guard) {
  if (guard != nullptr) return guard->place();
  for (const Tensor& input : inputs) {
    if (!input.place().is_host()) return input.place();
  }
  return {};
}

}  // namespace

std::string describe(const std::vector<InputForm>& inputs) {
  std::string text;
  for (const InputForm& input : inputs) {
    text += fmt::format("{}{}{} at {}", text.empty() ? "" : ", ", dtype_name(input.dtype),
                        input.shape.to_string(), input.place.to_string());
  }
  return text;
}

std::string key_of(const CallForm& form) {
  return fmt::format("{}|{}|{}|{}", form.place.to_string(), fmt::ptr(form.guard), form.records,
                     describe(form.inputs));
}

CallForm form_of(const std::vector<Tensor>& inputs, const Place* place) {
  eager::ThreadState& thread = eager::thread_state();
  CallForm form;
  form.inputs.reserve(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& input = inputs[i];
    if (!input.defined()) {
      core::raise(ErrorCode::kInvalidArgument,
                  "[captured function] input {} is an undefined tensor; was it moved from, or "
                  "never set?",
                  i);
    }
    form.inputs.push_back({input.dtype(), input.shape(), input.place()});
  }
  form.guard = eager::guarded_device(thread);
  form.records = thread.records;
  form.place = place != nullptr ? device::DeviceManager::instance().resolve(*place, Place())
                                : place_of(inputs, form.guard);
  return form;
}

}  // namespace loci::capture
