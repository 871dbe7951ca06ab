#include "plugins/sim/launch_cost.h"

#include <algorithm>
#include <string_view>

namespace loci::sim {
namespace {

double elements(const sdk::Arg& arg) {
  return arg.present() && arg.has_dims() ? static_cast<double>(sdk::numel_of(arg.dims())) : 0;
}

// The extent that a matrix product sums over.
double inner_extent(const sdk::OpDesc& op) {
  const sdk::Arg x = op.input(0);
  if (op.name() == "mul") {
    double extent = 1;
    const auto first = static_cast<int>(op.attributes().integer("x_num_col_dims"));
    for (int axis = first; axis < x.rank(); ++axis) extent *= static_cast<double>(x.dim(axis));
    return extent;
  }
  const bool transposed = x.rank() > 1 && op.attributes().boolean("transpose_x");
  return static_cast<double>(x.dim(x.rank() - (transposed ? 2 : 1)));
}

// conv2d: image, filter -> result; conv2d_grad_input: filter, the result's gradient, image;
// conv2d_grad_filter: image, the result's gradient, filter. A filter is [out, in / groups, h, w].
double convolution(const sdk::OpDesc& op) {
  const bool forward = op.name() == "conv2d";
  const sdk::Arg filter = op.input(forward ? 1 : op.name() == "conv2d_grad_input" ? 0 : 2);
  const sdk::Arg result = forward ? op.output(0) : op.input(1);
  if (!filter.has_dims() || filter.rank() == 0 || filter.dim(0) == 0) return 0;
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
  if (product && desc.input(0).has_dims() && desc.input(0).rank() > 0) {
    return 2 * elements(desc.output(0)) * inner_extent(desc);
  }
  if (name.substr(0, 6) == "conv2d") return convolution(desc);
  return largest_argument(op);
}

}  // namespace loci::sim
