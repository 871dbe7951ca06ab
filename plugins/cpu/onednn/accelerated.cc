#include "plugins/cpu/onednn/accelerated.h"

#include <utility>

#include "plugins/cpu/onednn/packed_layouts.h"

namespace loci::cpu::onednn {
namespace {

struct Prepared {
  void launch(const sdk::Launch& launch) const { execution.run(launch); }
  Execution execution;
};

}  // namespace

void Accelerated::prepare(sdk::Prepare& prepare) const {
  prepare.emplace<Prepared>(prepare_execution(prepare));
}

Execution Accelerated::prepare_execution(sdk::Prepare& prepare) const {
  std::optional<Execution> execution;
  try {
    execution = build(prepare.op());
  } catch (const dnnl::error& error) {
    if (error.status != dnnl_unimplemented) throw;
  }
  if (!execution) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "oneDNN has only its reference implementation for it");
  }
  for (const Execution::Packed& packed : execution->packed()) {
    prepare.choose_input_layout(packed.index, intern_layout(prepare.host(), packed));
  }
  prepare.set_workspace(execution->workspace_bytes());
  prepare.set_memory(execution->memory_bytes());
  return *std::move(execution);
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
