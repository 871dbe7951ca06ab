#include "tools/conformance/verify/launch/kernel_life.h"

#include <fmt/format.h>

#include <vector>

#include "tools/conformance/verify/launch/lent_op.h"
#include "tools/conformance/verify/process_state.h"

namespace loci::verify {
namespace {

constexpr int kWarmUp = 2;
// More than the few freed pieces of one size that the allocator of a thread still counts as in use.
constexpr int kLives = 24;

bool succeeds(const KernelMaker& maker, loci_error* error) {
  if (error != nullptr) maker.host.error_release(error);
  return error == nullptr;
}

// False if it cannot be made.
bool live(const KernelMaker& maker, const loci_op_desc& op) {
  const LentOp lent(op);
  loci_kernel* kernel = nullptr;
  if (!succeeds(maker,
                maker.api.create(maker.plugin, maker.def, maker.device, lent.get(), &kernel))) {
    return false;
  }
  std::vector<std::uint32_t> inputs(op.input_slots[op.input_slot_count], LOCI_LAYOUT_PLAIN);
  std::vector<std::uint32_t> outputs(op.output_slots[op.output_slot_count], LOCI_LAYOUT_PLAIN);
  loci_prepared_info info{};
  info.struct_size = sizeof info;
  info.input_layouts = inputs.data();
  info.output_layouts = outputs.data();
  const bool prepared = succeeds(maker, maker.api.prepare(kernel, lent.get(), &info));
  maker.api.destroy(kernel);
  if (prepared) maker.api.destroy_prepared(info.prepared);
  return prepared;
}

}  // namespace

std::string left_by_kernels(const KernelMaker& maker, const loci_op_desc& op,
                            const std::atomic<std::int64_t>& allocations) {
  for (int i = 0; i < kWarmUp; ++i) {
    if (!live(maker, op)) return {};
  }
  const std::int64_t first = allocations;
  std::size_t heap = heap_bytes();
  bool heap_grows = true;
  std::int64_t last = first;
  bool grows = true;
  for (int i = 0; i < kLives && (grows || heap_grows); ++i) {
    live(maker, op);
    const std::size_t heap_now = heap_bytes();
    const std::int64_t now = allocations;
    heap_grows = heap_grows && heap_now > heap;
    grows = grows && now > last;
    heap = heap_now;
    last = now;
  }
  if (grows) {
    return fmt::format("allocations of the host table, {} in {} lives", last - first, kLives);
  }
  return heap_grows ? "memory of the C heap in each of its lives" : "";
}

}  // namespace loci::verify
