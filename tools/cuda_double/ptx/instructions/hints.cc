// What only makes a device faster: prefetch, discard's kin, policies of caches, register counts.
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

}  // namespace loci::cuda_double
