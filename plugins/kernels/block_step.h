// One elementwise op on a block of elements, by the portable kernel of that op.
#pragma once

#include <cstdint>
#include <loci/plugin/fused_elementwise.hpp>
#include <loci/plugin/kernel.hpp>
#include <memory>
#include <vector>

namespace loci::kernels {

// An operand as a step's kernel sees it: a block of elements, or one that stands for all of them.
struct BlockOperand {
  loci_dtype dtype;
  bool is_single;
};

// The kernel of a step's op, which prepares the step for blocks of any length.
class BlockStep {
 public:
  // `step` outlives this. Throws Error(LOCI_CODE_UNSUPPORTED) if there is no kernel.
  BlockStep(const sdk::FusedStep& step, std::vector<BlockOperand> operands);

  // For blocks of so many elements, at least one. Throws as the kernel does, and
  // Error(LOCI_CODE_UNSUPPORTED) if it wants a workspace.
  [[nodiscard]] sdk::PreparedPart prepare(sdk::Prepare& around, std::int64_t count) const;

  // Returns true if the result may lie in the memory of that operand.
  [[nodiscard]] bool may_replace(std::uint32_t operand) const;

  // Returns about what an element costs one thread.
  [[nodiscard]] std::int64_t picoseconds() const;

 private:
  const sdk::FusedStep& step_;
  std::vector<BlockOperand> operands_;
  const sdk::KernelDef* def_;
};

}  // namespace loci::kernels
