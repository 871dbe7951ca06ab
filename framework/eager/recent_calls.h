// Plans of the calls that a thread has made lately.
#pragma once

#include <array>
#include <cstdint>
#include <loci/op_call.hpp>
#include <memory>
#include <vector>

#include "framework/eager/call_plan.h"

namespace loci::eager {

// Finds a plan without an allocation or a look-up of names: a call is compared as a whole with the
// latest one of its hash. For one thread in one context.
class RecentCalls {
 public:
  // Null if there is none, or where the process has another number of threads since: kernels are
  // prepared for that. `guard` is null without a DeviceGuard.
  [[nodiscard]] const std::shared_ptr<const CallPlan>& find(const OpCall<Tensor>& call,
                                                            const device::Device* guard) const;
  void insert(const OpCall<Tensor>& call, const device::Device* guard,
              std::shared_ptr<const CallPlan> plan);

 private:
  struct Argument {
    DType dtype;
    Shape shape;
    const device::Device* device;  // null for the host
  };
  struct Slot {
    std::string name;
    std::size_t count;
  };
  struct Entry {
    std::string type;
    const device::Device* guard = nullptr;
    std::vector<Slot> slots;
    std::vector<Argument> arguments;
    std::vector<std::pair<std::string, Attribute>> attributes;
    std::shared_ptr<const CallPlan> plan;
  };
  static constexpr std::size_t kEntries = 512;

  // Forgets plans that would keep devices open that others have replaced.
  void forget_lost();

  static std::size_t position(const OpCall<Tensor>& call);
  static bool matches(const Entry& entry, const OpCall<Tensor>& call, const device::Device* guard);

  std::vector<Entry> entries_;
  std::uint32_t width_ = 0;       // of the process, when they were planned; 0 without entries
  std::uint64_t reopenings_ = 0;  // of devices, when the lost ones were forgotten
  std::shared_ptr<const CallPlan> none_;
};

}  // namespace loci::eager
