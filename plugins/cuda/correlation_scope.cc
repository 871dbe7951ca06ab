#include "correlation_scope.h"

#include <atomic>

namespace loci::cuda {
namespace {

constexpr auto kKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;

std::atomic<const CuptiFunctions*> correlating{nullptr};
std::atomic<const CuptiFunctions*> latest{nullptr};  // that was not null

}  // namespace

void set_correlating(const CuptiFunctions* functions) {
  if (functions != nullptr) latest.store(functions, std::memory_order_release);
  correlating.store(functions, std::memory_order_release);
}

bool is_correlating() { return correlating.load(std::memory_order_acquire) != nullptr; }

bool begin_correlation(std::uint64_t external) {
  const CuptiFunctions* functions = correlating.load(std::memory_order_acquire);
  return functions != nullptr &&
         functions->cuptiActivityPushExternalCorrelationId(kKind, external) == CUPTI_SUCCESS;
}

// Also behind the end of a profile, whose functions stay.
void end_correlation() {
  std::uint64_t last = 0;
  latest.load(std::memory_order_acquire)->cuptiActivityPopExternalCorrelationId(kKind, &last);
}

// Work without an id within that of one that has is its too.
CorrelationScope::CorrelationScope(std::uint64_t correlation)
    : is_begun_(correlation != 0 && begin_correlation(correlation)) {}

}  // namespace loci::cuda
