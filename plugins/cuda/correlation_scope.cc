#include "correlation_scope.h"

#include <atomic>

namespace loci::cuda {
namespace {

constexpr auto kKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;

std::atomic<const CuptiFunctions*> correlating{nullptr};

}  // namespace

void set_correlating(const CuptiFunctions* functions) {
  correlating.store(functions, std::memory_order_release);
}

CorrelationScope::CorrelationScope(std::uint64_t correlation)
    : functions_(correlating.load(std::memory_order_acquire)) {
  if (functions_ == nullptr) return;
  // Work without an id within that of one that has is its too.
  const bool is_pushed = correlation != 0 && functions_->cuptiActivityPushExternalCorrelationId(
                                                 kKind, correlation) == CUPTI_SUCCESS;
  if (!is_pushed) functions_ = nullptr;
}

void CorrelationScope::end() {
  std::uint64_t last = 0;
  functions_->cuptiActivityPopExternalCorrelationId(kKind, &last);
}

}  // namespace loci::cuda
