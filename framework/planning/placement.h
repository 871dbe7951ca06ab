// The place of each operator, and why.
#pragma once

#include <cstdint>
#include <loci/executor.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "framework/device/device.h"
#include "framework/dispatch/bound_op.h"
#include "framework/execution/place_reason.h"
#include "framework/program/program_impl.h"

namespace loci::planning {

// Where an operator runs.
struct Placement {
  device::Device* device = nullptr;
  execution::PlaceReason reason = execution::PlaceReason::kDefault;
  std::string detail;  // for kNoKernel: the refusals
  dispatch::Binding kernel;
};

// Counts fallbacks while a program is placed, its blocks included, and reports them once.
class FallbackLog {
 public:
  void add(const std::string& type, const Place& place, const std::string& why);
  void add(const FallbackLog& other);
  // One warning for a place, with the counts and the top reasons of what `caller` has not been told
  // of yet, if there is any: FallbackNotes tells who that is.
  void warn(std::uint64_t caller) const;

 private:
  struct Entry {
    std::string type;
    Place place;
    std::string why;
    std::int64_t count;
  };
  static void warn(const std::string& place, std::vector<Entry> sorted);
  std::vector<Entry> entries_;
};

// Where operators without a guard run, and what happens if there is no kernel for one.
struct PlacementPolicy {
  device::Device* preferred = nullptr;
  FallbackPolicy fallback = FallbackPolicy::kWarn;
};

// Why it is asked to run there.
execution::PlaceReason request_reason(const program::Operator& op);

// Where an operator is asked to run: its guard's place, else the preferred one. Throws
// Error(kUnavailable) where there is no such device.
device::Device& requested_device(const program::Operator& op, device::Device& preferred);

// Places one operator and binds its kernel: by its guard if it has one, else at the executor's
// device if a kernel takes it there, else on the CPU as the policy allows. Throws what
// dispatch::bind_op() throws.
Placement place_operator(const program::Operator& op, const dispatch::OpDesc& desc,
                         const PlacementPolicy& policy, dispatch::KernelCache* kernels,
                         FallbackLog* fallbacks);

}  // namespace loci::planning
