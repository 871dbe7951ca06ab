#include "framework/dispatch/new_code.h"

#include <fmt/format.h>

#include <mutex>
#include <unordered_set>

#include "framework/core/abi/error.h"
#include "framework/core/digest.h"
#include "framework/ops/op_registry.h"

namespace loci::dispatch {
namespace {

std::uint64_t digest_of(const loci_kernel_def& def, const OpDesc& op) {
  const std::string type(core::from_abi(op.abi().op));
  const bool is_random = ops::op_registry().get(type).is_random();
  return core::digest_of(fmt::format("{}:{}", static_cast<const void*>(&def),
                                     is_random ? op.form() : op.signature(/*ranks_only=*/false)));
}

}  // namespace

bool is_new_code(const loci_kernel_def& def, const OpDesc& op) {
  static std::mutex mutex;
  static auto& known = *new std::unordered_set<std::uint64_t>;
  const std::uint64_t digest = digest_of(def, op);
  const std::lock_guard lock(mutex);
  return known.size() < kMostKnownKernels && known.insert(digest).second;
}

}  // namespace loci::dispatch
