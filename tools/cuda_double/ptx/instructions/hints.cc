// Hints only make a device faster: prefetch, discard's kin, policies of caches, register counts.
#include "tools/cuda_double/ptx/family.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

void do_nothing(Warp& /*warp*/, const Instruction& /*instruction*/, LaneMask /*mask*/) {}

void no_policy(Warp& warp, const Instruction& instruction, LaneMask mask) {
  auto* result = warp.result<std::uint64_t>(instruction);
  for_each_lane(mask, [&](std::uint32_t lane) { result[lane] = 0; });
}

}  // namespace

void translate_prefetch(Translator& translator, Form form) {
  if (form.name() == "createpolicy") {
    translator.build(no_policy).result(0, ScalarType::kB64).emit();
    return;
  }
  translator.build(do_nothing).flow(DataFlow::kOwn).emit();
}

// Kernels of a stream run one after the other here, so there is nothing to wait for. That a kernel
// would wait is what orders it.
void translate_grid_dependency(Translator& translator, Form form) {
  if (form.take("wait")) {
    translator.function().waits_for_grids = true;
  } else if (!form.take("launch_dependents")) {
    form.unsupported();
  }
  form.finish();
  translator.expect_operands(0);
  translator.build(do_nothing).flow(DataFlow::kOwn).emit();
}

}  // namespace loci::cuda_double
