#include "framework/eager/relocation.h"

#include "framework/eager/copy_node.h"
#include "framework/eager/lanes.h"
#include "framework/eager/placing.h"
#include "framework/eager/thread_state.h"
#include "framework/memory/node_pool.h"

namespace loci::eager {
namespace {

device::Device* space_of(device::Device& device) {
  return device.uses_host_memory() ? nullptr : &device;
}

// Copies within a place stay in line with its ops; others go beside them.
Lane& lane_of_copy(device::Device* from, device::Device* to) {
  ThreadState& thread = thread_state();
  Lanes& lanes = Lanes::instance();
  device::Device& driver = to != nullptr ? *to : (from != nullptr ? *from : host_device());
  Lane& standard = lanes.default_lane(driver);
  Lane& current = current_lane(thread, standard);
  if (from == to || &current != &standard) return current;
  return lanes.copy_lane(driver, to != nullptr ? Direction::kToDevice : Direction::kFromDevice);
}

Tensor make_target(const Tensor& like, device::Device& device, const Lane& lane) {
  const tensor::TensorImpl& impl = *like.impl();
  device::Device* space = space_of(device);
  auto storage = memory::make_pooled<tensor::Storage>();
  storage->bytes = impl.bytes();
  if (space == nullptr) {
    storage->provide();
  } else {
    storage->buffer =
        memory::device_allocator(*space).allocate(impl.bytes(), lane.stream(), "tensor");
    storage->data = storage->buffer.data();
    storage->place = space->place();
    storage->device = space;
    storage->home = const_cast<Lane*>(&lane);
  }
  Tensor target(memory::make_pooled<tensor::TensorImpl>(impl.dtype(), impl.shape(), storage));
  if (!impl.name().empty()) target.set_name(impl.name());
  return target;
}

void submit_copy(const Tensor& from, const Tensor& to, const transfer::Labels& labels, Lane& lane,
                 const void* site) {
  if (from.bytes() == 0) return;
  Task task;
  task.arguments.push_back(from.impl());
  task.arguments.push_back(to.impl());
  task.labels = labels;
  if (*task.labels.variable == '\0' && !from.name().empty()) {
    task.labels.variable = transfer::intern(from.name());
  }
  task.site = site;
  lane.submit(task);
}

}  // namespace

void copy_elements(const Tensor& from, const Tensor& to, const void* site,
                   const transfer::Labels& labels) {
  Lane& lane = lane_of_copy(from.impl()->storage()->device, to.impl()->storage()->device);
  submit_copy(from, to, labels, lane, site);
}

Tensor duplicate(const Tensor& tensor, const void* site) {
  device::Device* space = tensor.impl()->storage()->device;
  Lane& lane = lane_of_copy(space, space);
  Tensor target = make_target(tensor, space != nullptr ? *space : host_device(), lane);
  submit_copy(tensor, target, {}, lane, site);
  return target;
}

Tensor relocate(const Tensor& tensor, device::Device& device, const transfer::Labels& labels,
                const void* site) {
  device::Device* from = tensor.impl()->storage()->device;
  if (from == space_of(device)) return tensor;
  Lane& lane = lane_of_copy(from, space_of(device));
  Tensor target = make_target(tensor, device, lane);
  submit_copy(tensor, target, labels, lane, site);
  if (thread_state().records) record_copy(tensor, target);
  return target;
}

Relocated::Relocated(const CallPlan& plan, const TensorRef* values, const void* site) {
  std::size_t count = 0;
  for (const PlannedInput& input : plan.inputs) count += input.value >= 0 ? 1 : 0;
  for (std::size_t i = 0; i < count; ++i) values_.push_back(values[i]);
  moved_.reserve(count);  // which values_ refers to
  const char* consumer = plan.schema->name().c_str();
  const auto move = [&](std::int32_t value, device::Device& device, transfer::Reason reason) {
    TensorRef& given = values_[static_cast<std::size_t>(value)];
    moved_.push_back(relocate(given, device, {"", "", consumer, reason}, site));
    given = moved_.back();
  };
  for (const PlannedInput& input : plan.inputs) {
    if (input.value < 0) continue;
    if (input.residence == ops::Residence::kDevice) {
      move(input.value, *plan.device, transfer::Reason::kPrepareData);
    } else if (input.residence == ops::Residence::kHost) {
      move(input.value, host_device(), transfer::Reason::kHostRead);
    }
  }
}

}  // namespace loci::eager
