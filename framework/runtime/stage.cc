#include "framework/runtime/stage.h"

#include <algorithm>
#include <cstring>

#include "framework/runtime/frame.h"
#include "framework/tensor/tensor_impl.h"

namespace loci::runtime {
namespace {

// Enough for the batch sizes of a service; a plan that is compiled again costs microseconds per
// operator, as its kernels are kept elsewhere.
constexpr std::size_t kMostStagePlans = 64;

const PlanValue& value_of(const Plan& plan, const AwaitedValue& awaited) {
  return plan.values[static_cast<std::size_t>(awaited.value)];
}

}  // namespace

bool Continuation::matches(const Entry& entry, const Plan& before, const Frame& frame) const {
  const std::byte* key = entry.key.data();
  for (const AwaitedValue& awaited : end_.awaited) {
    const std::uint64_t bytes = value_of(before, awaited).bytes;
    if (bytes > 0 && std::memcmp(key, frame.data(awaited.value), bytes) != 0) return false;
    key += bytes;
  }
  return true;
}

std::shared_ptr<const Plan> Continuation::find(const Plan& before, const Frame& frame) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return matches(entry, before, frame);
  });
  if (found == entries_.end()) return nullptr;
  std::rotate(entries_.begin(), found, found + 1);
  return entries_.front().plan;
}

void Continuation::insert(const Plan& before, const Frame& frame,
                          std::shared_ptr<const Plan> plan) {
  Entry entry;
  entry.plan = std::move(plan);
  for (const AwaitedValue& awaited : end_.awaited) {
    const auto* data = static_cast<const std::byte*>(frame.data(awaited.value));
    entry.key.insert(entry.key.end(), data, data + value_of(before, awaited).bytes);
  }
  const std::lock_guard lock(mutex_);
  if (entries_.size() == kMostStagePlans) entries_.pop_back();
  entries_.insert(entries_.begin(), std::move(entry));
}

Tensor Continuation::read(const Plan& before, const Frame& frame, const AwaitedValue& awaited) {
  const PlanValue& value = value_of(before, awaited);
  const Tensor tensor =
      tensor::make_tensor(value.type.dtype, value.type.shape, Place(), value.name);
  if (value.bytes > 0) std::memcpy(tensor.raw_data(), frame.data(awaited.value), value.bytes);
  return tensor;
}

}  // namespace loci::runtime
