#include "framework/eager/relocation.h"

#include <algorithm>
#include <utility>

#include "framework/eager/call_scope.h"
#include "framework/eager/copy_node.h"
#include "framework/eager/placing.h"
#include "framework/eager/queues.h"
#include "framework/eager/thread_state.h"
#include "framework/eager/work_recorder.h"
#include "framework/memory/node_pool.h"
#include "framework/transfer/input_reason.h"

namespace loci::eager {
namespace {

device::Device* space_of(device::Device& device) {
  return device.uses_host_memory() ? nullptr : &device;
}

// Copies within a place stay in line with its ops; others go beside them.
Queue& queue_of_copy(device::Device* from, device::Device* to) {
  ThreadState& thread = thread_state();
  Queues& queues = Queues::instance();
  device::Device& driver = to != nullptr ? *to : (from != nullptr ? *from : host_device());
  Queue& standard = queues.default_queue(driver);
  Queue& current = current_queue(thread, standard);
  if (from == to || &current != &standard) return current;
  return queues.copy_queue(driver, to != nullptr ? Direction::kToDevice : Direction::kFromDevice);
}

std::shared_ptr<tensor::Storage> make_uncaptured(std::uint64_t bytes, const char* name,
                                                 device::Device* space, Queue& queue) {
  auto storage = memory::make_pooled<tensor::Storage>();
  storage->bytes = bytes;
  if (*name != '\0') storage->name = name;
  if (space == nullptr) {
    storage->provide();
    return storage;
  }
  storage->buffer = memory::device_allocator(*space).allocate(bytes, queue.stream(), storage->name);
  storage->data = storage->buffer.data();
  storage->place = space->place();
  storage->device = space;
  storage->home = &queue;
  return storage;
}

Tensor make_target(const Tensor& like, const char* name, device::Device& device, Queue& queue) {
  const tensor::TensorImpl& impl = *like.impl();
  device::Device* space = space_of(device);
  std::shared_ptr<tensor::Storage> storage;
  if (const auto recorder = queue.recorder()) {
    storage = make_storage(*recorder, space, impl.bytes(), queue, *name != '\0' ? name : "tensor");
  } else {
    storage = make_uncaptured(impl.bytes(), name, space, queue);
  }
  Tensor target(memory::make_pooled<tensor::TensorImpl>(impl.dtype(), impl.shape(), storage));
  if (!impl.name().empty()) target.set_name(impl.name());
  return target;
}

transfer::Labels named(const transfer::Labels& labels, const Tensor& tensor) {
  transfer::Labels result = labels;
  if (*result.variable == '\0' && !tensor.name().empty()) {
    result.variable = transfer::intern(tensor.name());
  }
  return result;
}

transfer::Permit ask_for(const Tensor& tensor, device::Device* target,
                         const transfer::Labels& labels) {
  return transfer::permit({tensor.impl()->storage()->device, nullptr}, {target, nullptr},
                          tensor.bytes(), labels);
}

void submit_copy(const Tensor& from, const Tensor& to, const transfer::Labels& labels,
                 transfer::Permit permit, Queue& queue, const void* site) {
  if (from.bytes() == 0) return;
  Task task;
  task.arguments.push_back(from.impl());
  task.arguments.push_back(to.impl());
  task.labels = labels;
  task.permit = std::move(permit);
  task.operator_label = CallScope::innermost_label();
  task.site = thread_state().user_site(site);
  queue.submit(task);
}

// With the permit, and labels that name the variable.
Tensor bring(const Tensor& tensor, device::Device& device, const transfer::Labels& labels,
             transfer::Permit permit, const void* site) {
  Queue& queue = queue_of_copy(tensor.impl()->storage()->device, space_of(device));
  Tensor target = make_target(tensor, labels.variable, device, queue);
  submit_copy(tensor, target, labels, std::move(permit), queue, site);
  if (thread_state().records) record_copy(tensor, target, labels);
  return target;
}

// Where an input of that residence is read; null for one that may lie anywhere.
device::Device* reader_of(const CallPlan& plan, const PlannedInput& input) {
  switch (input.residence) {
    case ops::Residence::kDevice: return plan.device;
    case ops::Residence::kHost: return &host_device();
    default: return nullptr;
  }
}

}  // namespace

void copy_elements(const Tensor& from, const Tensor& to, const void* site,
                   const transfer::Labels& labels) {
  tensor::require_current_context(*from.impl(), "copy");
  tensor::require_current_context(*to.impl(), "copy");
  device::Device* target = to.impl()->storage()->device;
  Queue& queue = queue_of_copy(from.impl()->storage()->device, target);
  const transfer::Labels all = named(labels, from);
  submit_copy(from, to, all, ask_for(from, target, all), queue, site);
}

Tensor duplicate(const Tensor& tensor, const void* site) {
  loci::tensor::require_current_context(*tensor.impl(), "copy");
  device::Device* space = tensor.impl()->storage()->device;
  Queue& queue = queue_of_copy(space, space);
  const transfer::Labels labels = named({}, tensor);
  Tensor target =
      make_target(tensor, labels.variable, space != nullptr ? *space : host_device(), queue);
  submit_copy(tensor, target, labels, {}, queue, site);
  return target;
}

Tensor relocate(const Tensor& tensor, device::Device& device, const transfer::Labels& labels,
                const void* site) {
  loci::tensor::require_current_context(*tensor.impl(), "to");
  device::Device* space = space_of(device);
  if (tensor.impl()->storage()->device == space) return tensor;
  const transfer::Labels all = named(labels, tensor);
  return bring(tensor, device, all, ask_for(tensor, space, all), site);
}

Relocated::Relocated(const CallPlan& plan, const TensorRef* values, const void* site)
    : plan_(plan), site_(site) {
  Moves moves;
  for (const PlannedInput& input : plan.inputs) {
    if (input.value >= 0) values_.push_back(values[values_.size()]);
  }
  for (const PlannedInput& input : plan.inputs) {
    if (input.value >= 0) ask_to_move(input, moves);
  }
  ask_to_return();
  moved_.reserve(moves.size());  // which values_ refers to
  for (Move& move : moves) {
    TensorRef& value = values_[move.value];
    if (move.copy == moved_.size()) {
      moved_.push_back(bring(value, *move.target, move.labels, std::move(move.permit), site));
    }
    value = moved_[move.copy];
  }
}

void Relocated::ask_to_move(const PlannedInput& input, Moves& moves) const {
  device::Device* reader = reader_of(plan_, input);
  const auto value = static_cast<std::size_t>(input.value);
  const Tensor& tensor = values_[value];
  if (reader == nullptr || tensor.impl()->storage()->device == space_of(*reader)) return;
  std::size_t copies = 0;
  for (const Move& other : moves) {
    const Tensor& moved = values_[other.value];
    if (moved.impl() == tensor.impl() && other.target == reader) {
      moves.push_back({value, reader, {}, {}, other.copy});
      return;
    }
    copies = std::max(copies, other.copy + 1);
  }
  transfer::Labels labels;
  labels.consumer = plan_.schema->name().c_str();
  labels.reason = transfer::input_reason(
      {input.residence == ops::Residence::kHost, plan_.asked != nullptr, /*is_fed=*/false});
  if (tensor.name().empty()) labels.variable = input.name;
  labels = named(labels, tensor);
  moves.push_back({value, reader, labels, ask_for(tensor, space_of(*reader), labels), copies});
}

transfer::Labels Relocated::return_labels(const PlannedOutput& output) const {
  return {output.name, plan_.schema->name().c_str(), "", transfer::Reason::kFallback};
}

void Relocated::ask_to_return() {
  if (plan_.asked == nullptr) return;
  device::Device* space = plan_.device->uses_host_memory() ? nullptr : plan_.device;
  for (const PlannedOutput& output : plan_.outputs) {
    const bool stays = output.is_absent || output.updates >= 0;
    returns_.push_back(stays ? transfer::Permit()
                             : transfer::permit({space, nullptr}, {space_of(*plan_.asked), nullptr},
                                                output.bytes, return_labels(output)));
  }
}

void Relocated::bring_back(TensorList& results) {
  device::Device* space = space_of(*plan_.asked);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].defined() || results[i].impl()->storage()->device == space) continue;
    results[i] = bring(results[i], *plan_.asked, return_labels(plan_.outputs[i]),
                       std::move(returns_[i]), site_);
  }
}

}  // namespace loci::eager
