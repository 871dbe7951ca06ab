#include "framework/eager/generator.h"

#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include "framework/core/config.h"
#include "framework/eager/draw_scope.h"
#include "framework/eager/lanes.h"
#include "framework/eager/placing.h"
#include "framework/eager/relocation.h"
#include "framework/eager/thread_state.h"
#include "framework/eager/work_recorder.h"
#include "framework/tensor/tensor_impl.h"

namespace loci {
namespace eager {

namespace {

// As far as it is known by now.
bool has_failed(const tensor::Uses& uses) {
  if (uses.has_failed()) return true;
  for (const tensor::Ticket& ticket : uses.pending(/*writers_only=*/true)) {
    if (ticket.queue->known_failure(ticket.number) != nullptr) return true;
  }
  return false;
}

std::int64_t next_offset(DrawScope* scope, WorkRecorder* recorder) {
  if (scope != nullptr) return scope->next_offset();
  return recorder != nullptr ? recorder->next_draw() : Generator::instance().next_offset();
}

}  // namespace

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

Tensor Generator::state_at(device::Device& device, const void* site) {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->states.count(&device) == 0) {
    // Those of devices that others have taken the place of keep these open.
    for (auto known = impl_->states.begin(); known != impl_->states.end();) {
      known = known->first->loss().is_lost() ? impl_->states.erase(known) : std::next(known);
    }
  }
  Tensor& state = impl_->states[&device];
  // A copy that has failed once must not fail all draws to come.
  if (!state.defined() || has_failed(state.impl()->storage()->uses)) {
    const Tensor host = Tensor::from<std::uint64_t>({impl_->seed, 0}, Shape{2});
    state = relocate(host, device, {"random state", "", "", transfer::Reason::kLoad}, site);
  }
  return state;
}

Generator::Position Generator::take(std::int64_t count) {
  const std::lock_guard lock(impl_->mutex);
  const Position position{impl_->seed, impl_->offset};
  impl_->offset += count;
  return position;
}

Draw::Draw(OpCall<Tensor>& call, device::Device* guard) {
  for (const OpCall<Tensor>::Slot& slot : call.slots) {
    if (slot.name == "state") return;
  }
  device::Device* place = guard;
  for (const Tensor& value : call.values) {
    if (place == nullptr) place = value.impl()->storage()->device;
  }
  device::Device& device = place == nullptr ? host_device() : *place;
  call.slots.push_back({"state", 1});
  const std::shared_ptr<WorkRecorder> recorder =
      current_lane(thread_state(), Lanes::instance().default_lane(device)).recorder();
  DrawScope* scope = thread_state().draws;
  Tensor state;
  if (scope != nullptr) {
    state = scope->state_at(device, recorder, call.site);
  } else {
    state = recorder != nullptr ? recorder->random_state()
                                : Generator::instance().state_at(device, call.site);
  }
  call.values.push_back(call.keep(state));
  for (const OpCall<Tensor>::NamedAttribute& attribute : call.attributes) {
    if (attribute.name == "offset") return;
  }
  call.attributes.push_back({"offset", next_offset(scope, recorder.get())});
}

}  // namespace eager
}  // namespace loci
