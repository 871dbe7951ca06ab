// mma and ldmatrix.
#include "tools/cuda_double/ptx/instructions/matrix.h"

#include <fmt/format.h>

namespace loci::cuda_double {

const std::vector<OperandSyntax>& matrix_registers(Translator& translator, unsigned operand,
                                                   std::size_t count) {
  const OperandSyntax& registers = translator.operand(operand);
  if (registers.kind != OperandSyntax::Kind::kVector || registers.parts.size() != count) {
    translator.fail(fmt::format("operand {} has to be {} registers in braces", operand + 1, count));
  }
  return registers.parts;
}

void require_whole_warp(const Warp& warp, LaneMask mask) {
  if (mask == kAllLanes) return;
  raise_fault(warp, FaultKind::kMissingLanes, lowest_lane(mask),
              fmt::format("needs all lanes of the warp, and {:#010x} come", mask));
}

void translate_matrix(Translator& translator, Form form) {
  if (!form.take("sync") || !form.take("aligned")) form.unsupported();
  if (form.name() == "mma") return translate_matrix_product(translator, form);
  translate_matrix_load(translator, form);
}

}  // namespace loci::cuda_double
