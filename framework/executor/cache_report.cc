#include <loci/inspect.hpp>

#include "framework/executor/executor_impl.h"

namespace loci {
inline namespace v0 {
namespace inspect {

Caches caches(const Executor& executor) {
  const executor::PlanCache& plans = executor.impl()->plans();
  const execution::PlanMemory& memory = *plans.memory();
  const dispatch::KernelCache& kernels = executor.impl()->kernels();
  Caches caches;
  caches.plans = plans.size();
  caches.plan_bytes = memory.plans;
  caches.frame_bytes = memory.frames;
  caches.shared_bytes = memory.shared;
  caches.most_plan_bytes = memory.limit();
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
