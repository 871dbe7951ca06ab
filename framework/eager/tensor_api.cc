// Copies of tensors to other places.
#include <loci/tensor.hpp>

#include "framework/core/raise.h"
#include "framework/device/device_manager.h"
#include "framework/eager/host_read.h"
#include "framework/eager/interceptor.h"
#include "framework/eager/placing.h"
#include "framework/eager/queues.h"
#include "framework/eager/relocation.h"
#include "framework/eager/thread_state.h"
#include "framework/transfer/transfer.h"

namespace loci {
inline namespace v0 {

Tensor Tensor::empty(const Shape& shape, DType dtype, const Place& place) {
  Tensor made = tensor::make_tensor(dtype, shape, place, "tensor");
  tensor::Storage& storage = *made.impl()->storage();
  if (storage.device == nullptr) return made;
  // Work of the default stream may still use the memory: whoever uses it on another waits.
  eager::Queue& queue = eager::Queues::instance().default_queue(*storage.device);
  tensor::Tickets none;
  storage.uses.enter({&queue, queue.mark()}, /*writes=*/true, &none);
  storage.home = &queue;
  return made;
}

Tensor Tensor::to(const Place& place) const {
  const void* site = __builtin_return_address(0);
  if (eager::Interceptor* interceptor = eager::thread_state().interceptor) {
    return interceptor->to(*this, place);
  }
  if (!place.is_host()) {
    auto& devices = device::DeviceManager::instance();
    device::Device& device = devices.get(devices.resolve(place, this->place()));
    Tensor copy = eager::relocate(*this, device, {}, site);
    if (eager::thread_state().is_serial) tensor::wait_unless_captured(*copy.impl()->storage());
    return copy;
  }
  device::Device* from = defined() ? impl()->storage()->device : nullptr;
  if (this->place() == place || from == nullptr) return *this;
  Tensor copy = eager::relocate(*this, eager::host_device(), {}, site);
  if (eager::thread_state().is_serial) tensor::wait_unless_captured(*copy.impl()->storage());
  return copy;
}

Tensor Tensor::to_host() const {
  (void)place();  // refuses an undefined one
  if (place().is_host()) {
    tensor::await_for_user(*impl(), "to_host() or to_vector()");
    return *this;
  }
  tensor::require_current_context(*impl(), "to_host() or to_vector()");
  if (tensor::awaits_replay(*impl()->storage())) [[unlikely]]
    return eager::read_before_replay(*this);
  tensor::require_elements(*impl(), "to_host() or to_vector()");
  eager::await_elements(*impl());
  return transfer::to_place(*this, Place(), {.reason = transfer::Reason::kExplicit});
}

}  // namespace v0
}  // namespace loci
