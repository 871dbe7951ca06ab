#include "plugins/cpu/onednn/accelerated.h"

#include <utility>

#include "plugins/kernels/kernel_list.h"

namespace loci::cpu::onednn {
namespace {

struct Prepared {
  void launch(const sdk::Launch& launch) const { execution.run(launch); }
  Execution execution;
};

std::unique_ptr<sdk::Kernel> portable_kernel(const sdk::OpDesc& op) {
  static const kernels::KernelDefs defs = kernels::portable_kernels();
  for (const sdk::KernelDef& def : defs) {
    if (def.op == op.name()) return def.create(op);
  }
  throw sdk::Error(LOCI_CODE_INTERNAL, "[" + std::string(op.name()) + "] has no portable kernel");
}

}  // namespace

Accelerated::Accelerated(const sdk::OpDesc& op) : portable_(portable_kernel(op)) {}

void Accelerated::prepare(sdk::Prepare& prepare) const {
  try {
    if (auto execution = build(prepare.op())) {
      prepare.set_workspace(execution->workspace_bytes());
      prepare.set_memory(execution->memory_bytes());
      prepare.emplace<Prepared>(*std::move(execution));
      return;
    }
  } catch (const dnnl::error& error) {
    if (error.status != dnnl_unimplemented) throw;
  }
  portable_->prepare(prepare);
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
