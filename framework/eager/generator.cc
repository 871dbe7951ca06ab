#include "framework/eager/generator.h"

#include <iterator>
#include <loci/creation.hpp>
#include <map>
#include <mutex>
#include <utility>

#include "framework/core/config.h"
#include "framework/eager/draw_scope.h"
#include "framework/eager/placing.h"
#include "framework/eager/queues.h"
#include "framework/eager/relocation.h"
#include "framework/eager/thread_state.h"
#include "framework/eager/work_recorder.h"
#include "framework/tensor/tensor_impl.h"

namespace loci {
namespace eager {

namespace {

// Returns true if one of the writers has failed, as far as is known by now.
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

std::int64_t take_numbers(WorkRecorder& recorder, std::int64_t count) {
  const std::int64_t first = recorder.next_draw();
  for (std::int64_t i = 1; i < count; ++i) (void)recorder.next_draw();
  return first;
}

// The state with `offset` as a third element, or added to the one that it has.
Tensor shifted(const Tensor& state, std::int64_t offset, const Place& place) {
  const auto filled = [&](std::int64_t count, std::int64_t value) {
    return full({count}, static_cast<double>(value), kUInt64, place);
  };
  const auto joined = [](const Tensor& first, const Tensor& last) {
    OpCall<Tensor> call("concat");
    call.inputs_of("x", {first, last}).attr("axis", std::int64_t{0});
    return call.result();
  };
  if (state.shape() == Shape{2}) return joined(state, filled(1, offset));
  if (offset == 0) return state;
  OpCall<Tensor> sum("elementwise_add");
  sum.input("x", state).input("y", joined(filled(2, 0), filled(1, offset)));
  return sum.result();
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

Tensor take_draws(device::Device& device, std::int64_t count, const void* site) {
  ThreadState& thread = thread_state();
  const std::shared_ptr<WorkRecorder> recorder =
      current_queue(thread, Queues::instance().default_queue(device)).recorder();
  if (thread.draws != nullptr) {
    const Tensor state = thread.draws->state_at(device, recorder, site);
    return shifted(state, thread.draws->take(count), device.place());
  }
  if (recorder != nullptr) {
    const Tensor state = recorder->random_state();
    return shifted(state, take_numbers(*recorder, count), device.place());
  }
  const Generator::Position at = Generator::instance().take(count);
  return Tensor::from<std::uint64_t>({at.seed, 0, static_cast<std::uint64_t>(at.offset)}, {3});
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
      current_queue(thread_state(), Queues::instance().default_queue(device)).recorder();
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
