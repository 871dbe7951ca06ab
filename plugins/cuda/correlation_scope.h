// Whose work the driver is given.
#pragma once

#include <cstdint>

#include "cupti_library.h"

namespace loci::cuda {

// Set while a profile is recorded. CUPTI has one client in a process.
void set_correlating(const CuptiFunctions* functions);

// What this thread enqueues while it lives belongs to the host's correlation id, in the records of
// CUPTI. Costs a load where no profile is recorded.
class CorrelationScope {
 public:
  explicit CorrelationScope(std::uint64_t correlation);
  ~CorrelationScope() {
    if (functions_ != nullptr) end();
  }
  CorrelationScope(const CorrelationScope&) = delete;
  CorrelationScope& operator=(const CorrelationScope&) = delete;

 private:
  void end();

  const CuptiFunctions* functions_;
};

}  // namespace loci::cuda
