// membar and fence.
#include "tools/cuda_double/ptx/family.h"
#include "tools/cuda_double/ptx/run/block.h"
#include "tools/cuda_double/ptx/run/grid.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

// The host's accesses are ordered by the barrier of its own; what races see are clocks.
void fence(Warp& warp, const Instruction& instruction, LaneMask /*mask*/) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  Block& block = *warp.block;
  if (block.shared_races != nullptr) {
    if (warp.fence_acquires) block.shared_races->acquire(warp);
    warp.fence_acquires = false;
    warp.strong_write_releases = true;
  }
  const bool is_of_block = instruction.modifiers != 0;
  if (block.clock != nullptr && !is_of_block) block.grid->global_races->fence(*block.clock);
}

}  // namespace

void translate_fence(Translator& translator, Form form) {
  const bool is_proxy = form.has("proxy");
  if (is_proxy) {
    // Other proxies are those of bulk copies and textures, which are not there.
    form.drop_prefix("");
  }
  const bool is_of_block = form.take("cta");
  (void)form.take_one_of({"gl", "gpu", "sys", "cluster"});
  (void)form.take_one_of({"sc", "acq_rel", "acquire", "release"});
  form.finish();
  if (!is_proxy) translator.expect_operands(0);
  translator.build(fence).modifiers(is_of_block ? 1 : 0).flow(DataFlow::kOwn).emit();
}

}  // namespace loci::cuda_double
