#include "framework/eager/recent_calls.h"

#include <cstring>
#include <type_traits>
#include <utility>

#include "framework/core/thread_team.h"
#include "framework/device/device_manager.h"
#include "framework/tensor/tensor_impl.h"

namespace loci::eager {
namespace {

constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15;

void mix(std::uint64_t* hash, std::uint64_t value) {
  *hash = (*hash ^ value) * kMix;
  *hash ^= *hash >> 29;
}

void mix_attribute(std::uint64_t* hash, const Attribute& attribute) {
  std::visit(
      [hash](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::string>) {
          mix(hash, value.size());
        } else if constexpr (std::is_same_v<T, double>) {
          std::uint64_t bits = 0;
          std::memcpy(&bits, &value, sizeof(bits));
          mix(hash, bits);
        } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
          for (const std::int64_t element : value) {
            mix(hash, static_cast<std::uint64_t>(element));
          }
        } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
          mix(hash, static_cast<std::uint64_t>(value));
        } else {
          mix(hash, value.size());
        }
      },
      attribute);
}

// Names are short, and string_view's == is not inlined.
bool is_same(const std::string& known, std::string_view name) {
  return known.size() == name.size() && std::memcmp(known.data(), name.data(), name.size()) == 0;
}

}  // namespace

std::size_t RecentCalls::position(const OpCall<Tensor>& call) {
  // Types differ in their first, middle and last letters, or else in length, mostly.
  const std::string_view type = call.type;
  const auto letter = [&](std::size_t at) {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(type[at]));
  };
  std::uint64_t hash = letter(0) | letter(type.size() / 2) << 8U | letter(type.size() - 1) << 16U |
                       static_cast<std::uint64_t>(type.size()) << 24U;
  for (const Tensor& value : call.values) {
    const tensor::TensorImpl& impl = *value.impl();
    // Without a multiplication that has to wait for the one before.
    std::uint64_t form = static_cast<std::uint64_t>(impl.dtype()) * 64 +
                         static_cast<std::uint64_t>(impl.shape().rank()) +
                         reinterpret_cast<std::uintptr_t>(impl.storage()->device);
    for (const std::int64_t extent : impl.shape()) {
      form = (form << 5U) + form + static_cast<std::uint64_t>(extent);
    }
    mix(&hash, form);
  }
  for (const OpCall<Tensor>::NamedAttribute& attribute : call.attributes) {
    mix_attribute(&hash, attribute.value);
  }
  return hash % kEntries;
}

bool RecentCalls::matches(const Entry& entry, const OpCall<Tensor>& call,
                          const device::Device* guard) {
  if (entry.plan == nullptr || entry.guard != guard || !is_same(entry.type, call.type) ||
      entry.slots.size() != call.slots.size() || entry.arguments.size() != call.values.size() ||
      entry.attributes.size() != call.attributes.size()) {
    return false;
  }
  const core::Context& here = core::Context::current();
  for (std::size_t i = 0; i < entry.arguments.size(); ++i) {
    const tensor::TensorImpl& impl = *call.values[i]->impl();
    const Argument& known = entry.arguments[i];
    // One of another context may be alike: whoever plans the call refuses it.
    if (&impl.storage()->use.context() != &here) return false;
    if (known.device != impl.storage()->device || known.dtype != impl.dtype() ||
        known.shape != impl.shape()) {
      return false;
    }
  }
  for (std::size_t i = 0; i < entry.slots.size(); ++i) {
    const Slot& known = entry.slots[i];
    if (known.count != call.slots[i].count || !is_same(known.name, call.slots[i].name))
      return false;
  }
  for (std::size_t i = 0; i < entry.attributes.size(); ++i) {
    const auto& [name, value] = entry.attributes[i];
    if (!is_same(name, call.attributes[i].name) || value != call.attributes[i].value) return false;
  }
  return true;
}

const std::shared_ptr<const CallPlan>& RecentCalls::find(const OpCall<Tensor>& call,
                                                         const device::Device* guard) const {
  if (width_ != core::process_width() || call.type.empty()) return none_;
  const Entry& entry = entries_[position(call)];
  return matches(entry, call, guard) ? entry.plan : none_;
}

void RecentCalls::insert(const OpCall<Tensor>& call, const device::Device* guard,
                         std::shared_ptr<const CallPlan> plan) {
  if (width_ != core::process_width()) [[unlikely]] {
    width_ = 0;  // nothing is found until there are entries again
    entries_.clear();
    entries_.resize(kEntries);
    width_ = core::process_width();
  }
  if (device::DeviceManager::reopenings() != reopenings_) [[unlikely]]
    forget_lost();
  Entry& entry = entries_[position(call)];
  entry = {};
  entry.type = std::string(call.type);
  entry.guard = guard;
  for (const OpCall<Tensor>::Slot& slot : call.slots) {
    entry.slots.push_back({std::string(slot.name), slot.count});
  }
  for (const Tensor& value : call.values) {
    const tensor::TensorImpl& impl = *value.impl();
    entry.arguments.push_back({impl.dtype(), impl.shape(), impl.storage()->device});
  }
  for (const OpCall<Tensor>::NamedAttribute& attribute : call.attributes) {
    entry.attributes.emplace_back(std::string(attribute.name), attribute.value);
  }
  entry.plan = std::move(plan);
}

void RecentCalls::forget_lost() {
  reopenings_ = device::DeviceManager::reopenings();
  for (Entry& entry : entries_) {
    if (entry.plan != nullptr && entry.plan->device->loss().is_lost()) entry = {};
  }
}

}  // namespace loci::eager
