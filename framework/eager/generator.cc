#include "framework/eager/generator.h"

#include <map>
#include <mutex>
#include <utility>

#include "framework/core/config.h"
#include "framework/eager/placing.h"
#include "framework/eager/relocation.h"
#include "framework/tensor/tensor_impl.h"

namespace loci {
namespace eager {

struct Generator::Impl {
  std::mutex mutex;
  std::uint64_t seed = core::seed();
  std::int64_t offset = 0;
  std::map<device::Device*, Tensor> states;
};

Generator::Generator() : impl_(std::make_unique<Impl>()) {}
Generator::~Generator() = default;

void Generator::seed(std::uint64_t seed) { move_to({seed, 0}); }

Generator::Position Generator::position() const {
  const std::lock_guard lock(impl_->mutex);
  return {impl_->seed, impl_->offset};
}

void Generator::move_to(const Position& position) {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->seed != position.seed) impl_->states.clear();
  impl_->seed = position.seed;
  impl_->offset = position.offset;
}

Tensor Generator::state_at(device::Device& device) {
  const std::lock_guard lock(impl_->mutex);
  Tensor& state = impl_->states[&device];
  if (!state.defined()) {
    const Tensor host = Tensor::from<std::uint64_t>({impl_->seed, 0}, Shape{2});
    state = relocate(host, device, {"random state", "", "", transfer::Reason::kLoad}, nullptr);
  }
  return state;
}

std::int64_t Generator::next_offset() {
  const std::lock_guard lock(impl_->mutex);
  return impl_->offset++;
}

Draw::Draw(OpCall<Tensor>& call, device::Device* guard) {
  for (const OpCall<Tensor>::Slot& slot : call.slots) {
    if (slot.name == "state") return;
  }
  device::Device* place = guard;
  for (const Tensor& value : call.values) {
    if (place == nullptr) place = value.impl()->storage()->device;
  }
  call.slots.push_back({"state", 1});
  Tensor state = Generator::instance().state_at(place == nullptr ? host_device() : *place);
  call.values.push_back(call.keep(state));
  for (const OpCall<Tensor>::NamedAttribute& attribute : call.attributes) {
    if (attribute.name == "offset") return;
  }
  call.attributes.push_back({"offset", Generator::instance().next_offset()});
}

}  // namespace eager
}  // namespace loci
