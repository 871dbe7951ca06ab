#include "kernels/axes.h"

namespace opencl {

using loci::sdk::Dims;

void Axes::push_back(std::int64_t extent, std::int64_t x_stride, std::int64_t y_stride) {
  if (extent == 1) return;
  const auto x = static_cast<std::uint64_t>(x_stride);
  const auto y = static_cast<std::uint64_t>(y_stride);
  const std::uint64_t last = rank == 0 ? 0 : rank - 1;
  if (rank > 0 && x == strides[0][last] * extents[last] && y == strides[1][last] * extents[last]) {
    extents[last] *= static_cast<std::uint64_t>(extent);
    return;
  }
  extents[rank] = static_cast<std::uint64_t>(extent);
  strides[0][rank] = x;
  strides[1][rank] = y;
  ++rank;
}

namespace {

// A dense operand, walked from its last axis to its first.
class Walk {
 public:
  explicit Walk(Dims dims) : dims_(dims) {}
  // The stride of the next axis; 0 if it repeats.
  std::int64_t next() {
    const std::int64_t extent = axis_ < dims_.size() ? dims_[dims_.size() - 1 - axis_] : 1;
    ++axis_;
    const std::int64_t stride = extent == 1 ? 0 : dense_;
    dense_ *= extent;
    return stride;
  }

 private:
  Dims dims_;
  std::size_t axis_ = 0;
  std::int64_t dense_ = 1;
};

}  // namespace

Axes broadcast_axes(Dims x, Dims y, Dims out) {
  Axes axes;
  Walk x_walk(x);
  Walk y_walk(y);
  for (std::size_t i = out.size(); i-- > 0;) {
    const std::int64_t x_stride = x_walk.next();
    axes.push_back(out[i], x_stride, y_walk.next());
  }
  return axes;
}

ReduceAxes reduce_axes(Dims dims, const std::vector<bool>& reduced) {
  ReduceAxes axes;
  std::int64_t from = 1;
  std::int64_t to = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    (reduced[i] ? axes.reduced : axes.kept).push_back(dims[i], from);
    axes.back.push_back(dims[i], reduced[i] ? 0 : to);
    from *= dims[i];
    if (reduced[i]) axes.count *= dims[i];
    if (!reduced[i]) to *= dims[i];
  }
  return axes;
}

}  // namespace opencl
