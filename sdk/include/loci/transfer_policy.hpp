// A policy says what happens when a run copies values between places.
#pragma once

#include <cstdint>
#include <loci/export.hpp>
#include <memory>

namespace loci {
namespace transfer {
class Budget;
}

inline namespace v0 {

// About the copies that placement brings about: inputs that lie elsewhere, values that an operator
// or a branch reads on the host, an operator whose place has no kernel, state written back to its
// home. Never about feeds, fetches, the first load of a parameter to its device, and copies that
// were asked for, such as Tensor::to() and item(). One rule for programs and for ops on tensors.
struct TransferPolicy {
  enum class Kind : std::uint8_t { kAllow, kLog, kForbid, kSynchronousBudget };

  static TransferPolicy allow() { return {}; }
  // Each is logged as a warning.
  static TransferPolicy log() { return {Kind::kLog, 0}; }
  // The first one throws Error(kPolicy) before it is made: run(), or the call of an op.
  static TransferPolicy forbid() { return {Kind::kForbid, 0}; }
  // The host may wait for that many of them; the next one for which it waited throws
  // Error(kPolicy). A copy that an op on tensors enqueues is counted when it is made, so that the
  // error is thrown where the op's result is waited for.
  static TransferPolicy synchronous(std::uint64_t most) { return {Kind::kSynchronousBudget, most}; }

  Kind kind = Kind::kAllow;
  std::uint64_t budget = 0;
};

// The policy of what the current thread runs while it lives; the budget is the guard's own. Nests;
// the innermost holds.
class LOCI_PUBLIC TransferGuard {
 public:
  explicit TransferGuard(const TransferPolicy& policy);
  ~TransferGuard();
  TransferGuard(const TransferGuard&) = delete;
  TransferGuard& operator=(const TransferGuard&) = delete;

 private:
  TransferGuard* outer_;
  TransferPolicy policy_;
  std::shared_ptr<transfer::Budget> budget_;  // null unless it counts

  friend struct TransferGuardAccess;
};

}  // namespace v0
}  // namespace loci
