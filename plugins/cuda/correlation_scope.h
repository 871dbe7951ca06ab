// Whose work the driver is given.
#pragma once

#include <cstdint>

#include "cupti_library.h"

namespace loci::cuda {

// Set while a profile is recorded. CUPTI has one client in a process.
void set_correlating(const CuptiFunctions* functions);

[[nodiscard]] bool is_correlating();
// All that this thread enqueues until end_correlation() belongs to that id. False where no profile
// is recorded, or CUPTI refuses: the end must not be called then.
bool begin_correlation(std::uint64_t external);
void end_correlation();

// All that this thread enqueues while it lives belongs to the host's correlation id, in the records
// of CUPTI. Costs a load where no profile is recorded.
class CorrelationScope {
 public:
  explicit CorrelationScope(std::uint64_t correlation);
  ~CorrelationScope() {
    if (is_begun_) end_correlation();
  }
  CorrelationScope(const CorrelationScope&) = delete;
  CorrelationScope& operator=(const CorrelationScope&) = delete;

 private:
  bool is_begun_;
};

}  // namespace loci::cuda
