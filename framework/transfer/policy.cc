#include "framework/transfer/policy.h"

#include <fmt/format.h>

#include <loci/transfer_policy.hpp>

#include "framework/core/log.h"
#include "framework/core/quote.h"
#include "framework/core/raise.h"

namespace loci {
inline namespace v0 {
namespace {

thread_local TransferGuard* innermost = nullptr;

}  // namespace

// What the core reads of a guard.
struct TransferGuardAccess {
  static const TransferPolicy& policy(const TransferGuard& guard) { return guard.policy_; }
  static std::uint64_t& waited(TransferGuard& guard) { return guard.waited_; }
};

TransferGuard::TransferGuard(const TransferPolicy& policy) : outer_(innermost), policy_(policy) {
  innermost = this;
}

TransferGuard::~TransferGuard() { innermost = outer_; }

}  // namespace v0

namespace transfer {
namespace {

using Kind = TransferPolicy::Kind;

// What a run on a device cannot do without, and what the user asked for, trips no policy.
bool is_implicit(Reason reason) {
  return reason == Reason::kPrepareData || reason == Reason::kHostRead ||
         reason == Reason::kWriteBack;
}

TransferGuard* guard_for(Reason reason) { return is_implicit(reason) ? innermost : nullptr; }

std::string describe(const Place& from, const Place& to, std::uint64_t bytes,
                     const Labels& labels) {
  std::string text = fmt::format("{} ({} bytes) from {} to {}", core::quote(labels.variable), bytes,
                                 from.to_string(), to.to_string());
  if (*labels.consumer != '\0') text += fmt::format(" for {}", labels.consumer);
  return text + fmt::format(" ({})", reason_name(labels.reason));
}

}  // namespace

void check_allowed(const Place& from, const Place& to, std::uint64_t bytes, const Labels& labels) {
  TransferGuard* guard = guard_for(labels.reason);
  if (guard == nullptr) return;
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
}

void charge(const Row& row) {
  TransferGuard* guard = row.host_waited ? guard_for(row.labels.reason) : nullptr;
  if (guard == nullptr) return;
  const TransferPolicy& policy = TransferGuardAccess::policy(*guard);
  if (policy.kind != Kind::kSynchronousBudget) return;
  if (++TransferGuardAccess::waited(*guard) <= policy.budget) return;
  core::raise(ErrorCode::kPolicy,
              "[transfer] the host waited for {} copies between places, and the policy allows {}; "
              "the last is {}; put the operators where their inputs are, or raise the budget",
              TransferGuardAccess::waited(*guard), policy.budget,
              describe(row.from, row.to, row.bytes, row.labels));
}

}  // namespace transfer
}  // namespace loci
