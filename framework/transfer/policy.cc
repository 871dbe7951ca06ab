#include "framework/transfer/policy.h"

#include <fmt/format.h>

#include <atomic>
#include <loci/transfer_policy.hpp>
#include <utility>

#include "framework/core/log.h"
#include "framework/core/quote.h"
#include "framework/core/raise.h"

namespace loci {
namespace transfer {

// How often the host may wait, and has waited. Copies that are made later may outlive the guard.
class Budget {
 public:
  explicit Budget(std::uint64_t most) : most_(most) {}

  // Counts one more, and gives how many that makes.
  std::uint64_t count() { return waited_.fetch_add(1, std::memory_order_relaxed) + 1; }
  [[nodiscard]] std::uint64_t most() const { return most_; }

 private:
  const std::uint64_t most_;
  std::atomic<std::uint64_t> waited_{0};
};

}  // namespace transfer

inline namespace v0 {
namespace {

thread_local TransferGuard* innermost = nullptr;

}  // namespace

// The core reads a guard through this.
struct TransferGuardAccess {
  static const TransferPolicy& policy(const TransferGuard& guard) { return guard.policy_; }
  static const std::shared_ptr<transfer::Budget>& budget(const TransferGuard& guard) {
    return guard.budget_;
  }
};

TransferGuard::TransferGuard(const TransferPolicy& policy) : outer_(innermost), policy_(policy) {
  if (policy.kind == TransferPolicy::Kind::kSynchronousBudget) {
    budget_ = std::make_shared<transfer::Budget>(policy.budget);
  }
  innermost = this;
}

TransferGuard::~TransferGuard() { innermost = outer_; }

}  // namespace v0

namespace transfer {
namespace {

using Kind = TransferPolicy::Kind;

// Copies that a run on a device cannot do without, or that the user asked for, trip no policy.
bool is_implicit(Reason reason) {
  return reason == Reason::kPrepareData || reason == Reason::kHostRead ||
         reason == Reason::kFallback || reason == Reason::kWriteBack;
}

const TransferGuard* guard_for(Reason reason) { return is_implicit(reason) ? innermost : nullptr; }

std::string describe(const Place& from, const Place& to, std::uint64_t bytes,
                     const Labels& labels) {
  std::string text = fmt::format("{} ({} bytes) from {} to {}", core::quote(labels.variable), bytes,
                                 from.to_string(), to.to_string());
  if (*labels.consumer != '\0') {
    text += fmt::format(" for {}", labels.consumer);
  } else if (*labels.producer != '\0') {
    text += fmt::format(" by {}", labels.producer);  // that brings back what it has written
  }
  return text + fmt::format(" ({})", reason_name(labels.reason));
}

}  // namespace

Permit check_allowed(const Place& from, const Place& to, std::uint64_t bytes,
                     const Labels& labels) {
  const TransferGuard* guard = guard_for(labels.reason);
  if (guard == nullptr) return {};
  const Kind kind = TransferGuardAccess::policy(*guard).kind;
  if (kind == Kind::kLog) {
    core::log(core::Module::kTransfer, core::Level::kWarn, "copies {}",
              describe(from, to, bytes, labels));
  } else if (kind == Kind::kForbid) {
    core::raise(ErrorCode::kPolicy,
                "[transfer] the policy forbids to copy {}; put the operators where their inputs "
                "are, or allow transfers",
                describe(from, to, bytes, labels));
  }
  return Permit(TransferGuardAccess::budget(*guard));
}

void charge(const Row& row, const Permit& permit) {
  Budget* budget = row.host_waited ? permit.budget() : nullptr;
  if (budget == nullptr) return;
  const std::uint64_t waited = budget->count();
  if (waited <= budget->most()) return;
  core::raise(ErrorCode::kPolicy,
              "[transfer] the host waited for {} copies between places, and the policy allows {}; "
              "the last is {}; put the operators where their inputs are, or raise the budget",
              waited, budget->most(), describe(row.from, row.to, row.bytes, row.labels));
}

}  // namespace transfer
}  // namespace loci
