#include "tools/conformance/convolution.h"

#include "tools/conformance/window.h"

namespace loci::conformance {
namespace {

WindowRow row_of(const Convolution& op, std::size_t d) {
  const int axis = static_cast<int>(d) + 2;
  return {op.x[axis], op.filter[axis], op.options.strides[d], op.options.dilations[d]};
}

auto placed(const Convolution& op, std::size_t d) {
  return place_windows(row_of(op, d), op.options.paddings, d, op.options.padding_algorithm);
}

}  // namespace

Shape result_shape(const Convolution& op) {
  return {op.x[0], op.filter[0], placed(op, 0).count, placed(op, 1).count};
}

WindowStart window_start(const Convolution& op) {
  return {{placed(op, 0).before, placed(op, 1).before}};
}

Expected convolution(const Convolution& op, const Arrays& in) {
  Sums sums(in[0].dtype, result_shape(op));
  for_each_product(op, [&](const Index& x, const Index& filter, const Index& out) {
    sums.add(out, in[0].at(x) * in[1].at(filter));
  });
  if (op.bias) {
    const Shape shape = result_shape(op);
    for (std::size_t o = 0; o < static_cast<std::size_t>(shape.numel()); ++o) {
      const Index index = index_of(shape, o);
      sums.add(index, in[2].at({index[1]}));
    }
  }
  return sums.finish();
}

}  // namespace loci::conformance
