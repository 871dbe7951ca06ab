#include "framework/execution/core_forks.h"

#include "framework/core/environment.h"

namespace loci::execution {

CoreForksPolicy core_forks_policy() {
  constexpr auto kUsual = static_cast<std::uint64_t>(CoreForksPolicy::kMeasured);
  return static_cast<CoreForksPolicy>(core::configured_number("CORE_FORKS").value_or(kUsual));
}

}  // namespace loci::execution
