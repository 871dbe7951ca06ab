// fused_elementwise: steps on blocks that stay in the first cache.
//
// Each step is computed by the kernel of its own op, prepared for a block, so that a fused program
// has the bits of the plain one.
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/fused_elementwise.hpp>
#include <memory>

#include "plugins/kernels/block_program.h"
#include "plugins/kernels/kernel_list.h"

namespace loci::kernels {
namespace {

// A launch runs the program of an operator. Its threads have blocks of scratch on their stacks.
struct PreparedBlocks {
  void launch(const sdk::Launch& launch) const { program->run(launch); }
  std::unique_ptr<const BlockProgram> program;
};

class FusedElementwise final : public sdk::Kernel {
 public:
  explicit FusedElementwise(const sdk::OpDesc& op) : expression_(sdk::read_fused_expression(op)) {}

  void prepare(sdk::Prepare& prepare) const override {
    auto program = std::make_unique<const BlockProgram>(prepare, expression_);
    prepare.set_workspace(program->workspace_bytes());
    prepare.set_memory(program->memory_bytes());
    prepare.emplace<PreparedBlocks>(std::move(program));
  }

 private:
  sdk::FusedExpression expression_;
};

// Each step of 16 bits would be converted there and back by itself: 1.3 times the time of the
// single ops, which convert as they read from far.
constexpr std::uint64_t kFusedBits =
    sdk::kAllBits & ~(LOCI_DTYPE_BIT(LOCI_DTYPE_F16) | LOCI_DTYPE_BIT(LOCI_DTYPE_BF16));

// The first output may take the memory of any input: see BlockProgram.
std::vector<loci_alias> first_output_anywhere() {
  std::vector<loci_alias> aliases;
  for (std::uint32_t i = 0; i < sdk::kMostFusedInputs; ++i) aliases.push_back({i, 0});
  return aliases;
}

}  // namespace

void add_fused_elementwise(KernelDefs& kernels) {
  kernels.push_back({.op = "fused_elementwise",
                     .name = kPortable,
                     .dtypes = kFusedBits,
                     .create = sdk::make_kernel<FusedElementwise>,
                     .aliases = first_output_anywhere()});
}

}  // namespace loci::kernels
