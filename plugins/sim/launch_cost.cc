#include "plugins/sim/launch_cost.h"

#include <algorithm>
#include <loci/plugin/matmul.hpp>
#include <string_view>

namespace loci::sim {
namespace {

double elements(const sdk::Arg& arg) {
  return arg.present() && arg.has_dims() ? static_cast<double>(sdk::numel_of(arg.dims())) : 0;
}

bool is_known(const sdk::Arg& arg) { return arg.has_dims() && arg.rank() > 0; }

sdk::MatmulShape product_of(const sdk::OpDesc& op) {
  const sdk::Dims x = op.input(0).dims();
  const sdk::Dims y = op.input(1).dims();
  const auto given = op.attributes();
  if (op.name() == "mul") {
    return sdk::mul_shape(x, y, given.integer("x_num_col_dims"), given.integer("y_num_col_dims"));
  }
  return sdk::matmul_shape(x, y, given.boolean("transpose_x"), given.boolean("transpose_y"));
}

// conv2d: image, filter -> result; conv2d_grad_input: filter, the result's gradient, image;
// conv2d_grad_filter: image, the result's gradient, filter. A filter is [out, in / groups, h, w].
double convolution(const sdk::OpDesc& op) {
  const bool forward = op.name() == "conv2d";
  const sdk::Arg filter = op.input(forward ? 1 : op.name() == "conv2d_grad_input" ? 0 : 2);
  const sdk::Arg result = forward ? op.output(0) : op.input(1);
  if (!is_known(filter) || filter.dim(0) == 0) return 0;
  return 2 * elements(result) * elements(filter) / static_cast<double>(filter.dim(0));
}

double largest_argument(const loci_op_desc& op) {
  double most = 0;
  for (std::uint32_t i = 0; i < op.input_slots[op.input_slot_count]; ++i) {
    most = std::max(most, elements(sdk::Arg(op.inputs[i])));
  }
  for (std::uint32_t i = 0; i < op.output_slots[op.output_slot_count]; ++i) {
    most = std::max(most, elements(sdk::Arg(op.outputs[i])));
  }
  return most;
}

}  // namespace

double flops_of(const loci_op_desc& op) {
  const sdk::OpDesc desc(op);
  const std::string_view name = desc.name();
  const bool product = name == "matmul" || name == "mul";
  if (product && is_known(desc.input(0)) && is_known(desc.input(1))) {
    return 2 * product_of(desc).sizes.multiplications();
  }
  if (name.substr(0, 6) == "conv2d") return convolution(desc);
  return largest_argument(op);
}

}  // namespace loci::sim
