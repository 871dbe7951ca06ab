#include "plugins/cpu/packed_layout.h"

#include <string>

#include "plugins/cpu/layout_table.h"
#include "plugins/cpu/onednn/elements.h"
#include "plugins/kernels/packed_product.h"

namespace loci::cpu {

std::uint32_t intern(const sdk::Host& host, const PackedLayout& layout) {
  const kernels::PackedMatrix& matrix = layout.matrix;
  const std::string text = "packed " + onednn::Elements::native(matrix.dtype).text() + " [" +
                           std::to_string(matrix.k) + ", " + std::to_string(matrix.n) + "] by " +
                           std::to_string(layout.row) + ", " + std::to_string(layout.column) +
                           " in panels of " + std::to_string(matrix.width) + " by " +
                           std::to_string(matrix.block);
  return LayoutTable<PackedLayout>::instance().intern(host, text, matrix.bytes(), layout);
}

bool relayout_packed(const sdk::RelayoutCall& call) {
  const auto layout = LayoutTable<PackedLayout>::instance().find(call.target.layout);
  if (!layout) return false;
  kernels::pack(layout->matrix, call.source.data, layout->row, layout->column, call.target.data);
  return true;
}

}  // namespace loci::cpu
