#include "plugins/cpu/onednn/accelerated.h"

#include <utility>

#include "plugins/cpu/onednn/packed_layouts.h"
#include "plugins/kernels/widened.h"

namespace loci::cpu::onednn {
namespace {

struct Prepared {
  void launch(const sdk::Launch& launch) const { execution.run(launch); }
  Execution execution;
};

}  // namespace

std::optional<Execution> Accelerated::build_if_good(const sdk::OpDesc& op,
                                                    const Elements& elements) const {
  try {
    return build(op, elements);
  } catch (const dnnl::error& error) {
    if (error.status != dnnl_unimplemented) throw;
    return std::nullopt;
  }
}

std::optional<Execution> Accelerated::build_best(const sdk::OpDesc& op) const {
  const loci_dtype dtype = op.input(0).dtype();
  if (has_native(dtype)) {
    if (auto native = build_if_good(op, Elements::native(dtype))) return native;
  }
  if (dtype == LOCI_DTYPE_F32 || !is_worth_widening()) return std::nullopt;
  return build_if_good(op, Elements::widened(dtype));
}

Execution Accelerated::prepare_execution(sdk::Prepare& prepare) const {
  auto execution = build_best(prepare.op());
  if (!execution) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED,
                     "oneDNN has only its reference implementation for it, or none, in " +
                         Elements::native(prepare.op().input(0).dtype()).text());
  }
  for (const Execution::Packed& packed : execution->packed()) {
    prepare.choose_input_layout(packed.index, intern_layout(prepare.host(), packed));
  }
  prepare.set_workspace(execution->workspace_bytes());
  prepare.set_memory(execution->memory_bytes());
  return *std::move(execution);
}

void Accelerated::prepare(sdk::Prepare& prepare) const {
  Execution execution = prepare_execution(prepare);
  if (!execution.elements().are_widened()) {
    prepare.emplace<Prepared>(std::move(execution));
    return;
  }
  std::uint32_t packed_inputs = 0;
  for (const Execution::Packed& packed : execution.packed()) packed_inputs |= 1U << packed.index;
  const std::uint64_t bytes = execution.workspace_bytes();
  kernels::emplace_widened(prepare, {inputs_}, bytes, Prepared{std::move(execution)},
                           packed_inputs);
}

std::string too_small(double amount, double least, std::string_view what) {
  if (amount >= least) return {};
  return "the portable kernel is faster below " + std::to_string(static_cast<std::int64_t>(least)) +
         " " + std::string(what);
}

bool has_elements(const sdk::OpDesc& op, std::uint32_t inputs) {
  for (std::uint32_t slot = 0; slot < inputs; ++slot) {
    if (!op.input(slot).has_dims() || op.input(slot).numel() == 0) return false;
  }
  return op.output(0).has_dims() && op.output(0).numel() != 0;
}

dnnl::memory::dims dims_of(sdk::Arg argument) {
  return {argument.dims().begin(), argument.dims().end()};
}

}  // namespace loci::cpu::onednn
