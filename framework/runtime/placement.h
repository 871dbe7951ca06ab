// The place of each operator, and why.
#pragma once

#include <cstdint>
#include <loci/executor.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "framework/device/device.h"
#include "framework/program/program_impl.h"
#include "framework/runtime/kernel.h"

namespace loci::runtime {

enum class PlaceReason : std::uint8_t {
  kDefault,      // the executor's place
  kUserGuard,    // a DeviceGuard
  kNoKernel,     // the executor's place has no kernel for it
  kSmallerCopy,  // a cast, there because fewer bytes are copied
};
std::string_view place_reason_name(PlaceReason reason);  // "user_guard"

// Where an operator runs.
struct Placement {
  device::Device* device = nullptr;
  PlaceReason reason = PlaceReason::kDefault;
  std::string detail;  // for kNoKernel: the refusals
  KernelChoice kernel;
};

// Counts fallbacks while a program is placed, and reports them once.
class FallbackLog {
 public:
  void add(const std::string& type, const std::string& why);
  // One warning with the counts and the top reasons, if there were any.
  void warn(const Place& place) const;

 private:
  struct Entry {
    std::string type;
    std::string why;
    std::int64_t count;
  };
  std::vector<Entry> entries_;
};

// Places one operator: its guard if it has one, else the executor's device if a kernel exists
// there, else the CPU as the policy allows. Throws Error(kUnsupported) if no kernel accepts, and
// where the guard's place has none; Error(kPolicy) if it would have to fall back and the policy is
// kError.
Placement place_operator(const program::Operator& op, const OpDesc& desc, device::Device& preferred,
                         FallbackPolicy policy, FallbackLog* fallbacks);

}  // namespace loci::runtime
