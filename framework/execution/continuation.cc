#include "framework/execution/continuation.h"

#include <cstring>
#include <iterator>

#include "framework/execution/frame.h"
#include "framework/tensor/tensor_impl.h"

namespace loci::execution {
namespace {

const PlanValue& value_of(const Plan& plan, const AwaitedValue& awaited) {
  return plan.values[static_cast<std::size_t>(awaited.value)];
}

// Copies from the frame what it holds for an awaited value.
Tensor read(const Plan& before, const Frame& frame, const AwaitedValue& awaited) {
  const PlanValue& value = value_of(before, awaited);
  Tensor tensor = tensor::make_tensor(value.type.dtype, value.type.shape, Place(), value.name);
  if (value.bytes > 0)
    std::memcpy(tensor::settled_data(tensor), frame.data(awaited.value), value.bytes);
  return tensor;
}

}  // namespace

std::shared_ptr<const Plan> Continuation::next(const Plan& before, const Frame& frame) {
  std::string key = key_of(before, frame);
  if (std::shared_ptr<const Plan> found = find(key)) return found;
  KnownValues values;
  for (const AwaitedValue& awaited : end_.awaited) {
    values.emplace_back(awaited.var, read(before, frame, awaited));
  }
  std::shared_ptr<const Plan> compiled = compile_(before, values);
  insert(std::move(key), compiled);
  return compiled;
}

std::string Continuation::key_of(const Plan& before, const Frame& frame) const {
  std::string key;
  for (const AwaitedValue& awaited : end_.awaited) {
    const std::uint64_t bytes = value_of(before, awaited).bytes;
    if (bytes > 0) key.append(static_cast<const char*>(frame.data(awaited.value)), bytes);
  }
  return key;
}

std::shared_ptr<const Plan> Continuation::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<const Plan>* found = plans_.find(key);
  return found == nullptr ? nullptr : *found;
}

void Continuation::insert(std::string key, const std::shared_ptr<const Plan>& plan) {
  Plans::Entries dropped;  // destroyed once the lock is given back
  const std::lock_guard lock(mutex_);
  if (plans_.find(key) != nullptr) return;  // another thread was first
  plans_.insert(std::move(key), plan);
  if (plan->memory() == nullptr || !plan->memory()->is_over()) return;
  // The older half, so that not each new plan pays for this.
  const auto kept = static_cast<std::ptrdiff_t>((plans_.size() + 1) / 2);
  for (auto old = std::next(plans_.begin(), kept); old != plans_.end();) {
    old = plans_.remove(old, &dropped);
  }
}

// To free memory may call a plugin, which no lock is held for.
void Continuation::drop_idle_frames() {
  std::vector<std::shared_ptr<const Plan>> plans;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& entry : plans_) plans.push_back(entry.value);
  }
  for (const auto& plan : plans) plan->drop_idle_frames();
}

}  // namespace loci::execution
