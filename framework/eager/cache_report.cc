#include <loci/inspect.hpp>

#include "framework/eager/call_plan.h"

namespace loci {
inline namespace v0 {
namespace inspect {

Caches imperative_caches() {
  const dispatch::KernelCache& kernels = eager::kernel_cache();
  Caches caches;
  caches.kernels = kernels.size();
  caches.kernel_bytes = kernels.bytes();
  caches.most_kernel_bytes = kernels.most_bytes();
  for (const auto& [kernel, work] : kernels.preparing()) {
    caches.preparations.push_back({kernel, work.count, work.declined, work.nanoseconds});
  }
  return caches;
}

}  // namespace inspect
}  // namespace v0
}  // namespace loci
