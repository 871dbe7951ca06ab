#include "tools/cuda_double/ptx/instructions/memory_form.h"

namespace loci::cuda_double {
namespace {

StateSpace take_space(Form& form) {
  if (form.take("global")) return StateSpace::kGlobal;
  if (form.take("shared") || form.take("shared::cta") || form.take("shared::cluster")) {
    return StateSpace::kShared;
  }
  if (form.take("local")) return StateSpace::kLocal;
  if (form.take("const")) return StateSpace::kConst;
  if (form.take("param") || form.take("param::entry") || form.take("param::func")) {
    return StateSpace::kParam;
  }
  return StateSpace::kGeneric;
}

}  // namespace

MemoryForm take_memory_form(Form& form) {
  MemoryForm result;
  result.space = take_space(form);
  (void)form.take("weak");
  const bool is_mmio = form.take("mmio");
  result.strong = form.take("volatile") || form.take("relaxed") || is_mmio;
  if (form.take("acquire")) result.strong = result.acquires = true;
  if (form.take("release")) result.strong = result.releases = true;
  if (form.take("acq_rel")) result.strong = result.acquires = result.releases = true;
  (void)form.take_one_of({"cta", "cluster", "gpu", "sys"});
  (void)form.take_one_of({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  (void)form.take("nc");
  for (const std::string_view level : {"L1::", "L2::", "level::"}) form.drop_prefix(level);
  return result;
}

std::uint32_t memory_modifiers(const MemoryForm& form) {
  return static_cast<std::uint32_t>(form.space) | (form.strong ? kStrong : 0U) |
         (form.acquires ? kAcquires : 0U) | (form.releases ? kReleases : 0U);
}

}  // namespace loci::cuda_double
