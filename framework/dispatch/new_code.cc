#include "framework/dispatch/new_code.h"

#include <mutex>
#include <string>
#include <unordered_map>

#include "framework/core/digest.h"
#include "framework/core/key_bytes.h"

namespace loci::dispatch {
namespace {

struct Known {
  std::mutex mutex;
  std::unordered_map<std::uint64_t, bool> has_run;  // by code
};

// Never destroyed, since kernels run until the process ends.
Known& known() {
  static auto& all = *new Known();
  return all;
}

std::uint64_t id_of(const loci_kernel_def& def, const OpDesc& op) {
  std::string code = op.is_random() ? op.form() : op.signature(/*ranks_only=*/false);
  core::append_bytes(&def, &code);
  return core::digest_of(code);
}

}  // namespace

Code prepared_code(const loci_kernel_def& def, const OpDesc& op) {
  const std::uint64_t id = id_of(def, op);
  const std::lock_guard lock(known().mutex);
  const auto found = known().has_run.find(id);
  if (found != known().has_run.end()) return {id, false, found->second};
  if (known().has_run.size() >= kMostKnownKernels) return {id, false, true};
  known().has_run.emplace(id, false);
  return {id, true, false};
}

void note_code_has_run(std::uint64_t code) {
  const std::lock_guard lock(known().mutex);
  const auto found = known().has_run.find(code);
  if (found != known().has_run.end()) found->second = true;
}

}  // namespace loci::dispatch
