#include "kernels/move/part.h"

#include <algorithm>

namespace loci::cuda {

Bounds::Bounds(const sdk::OpDesc& op, std::uint32_t slot, const std::vector<std::int64_t>& fixed)
    : is_input_(op.has_input(slot)), input_(is_input_ ? op.input_index(slot) : 0) {
  std::copy(fixed.begin(), fixed.end(), fixed_.begin());
}

std::int64_t Bounds::at(const sdk::Launch& launch, std::size_t i) const {
  if (!is_input_) return fixed_[i];
  const loci_view& view = launch.input_view(input_);
  return view.dtype == LOCI_DTYPE_I64 ? static_cast<const std::int64_t*>(view.data)[i]
                                      : static_cast<const std::int32_t*>(view.data)[i];
}

Part::Part(sdk::Dims whole, std::int64_t element_bytes, const std::vector<std::int64_t>& axes,
           const std::vector<std::int64_t>& steps)
    : dense_(sdk::dense_strides(whole, element_bytes)), count_(axes.size()) {
  whole_.rank = whole.size();
  std::copy(whole.begin(), whole.end(), whole_.extents.begin());
  for (std::size_t i = 0; i < count_; ++i) {
    axes_[i] = {sdk::axis_index(axes[i], whole.size()), steps.empty() ? 1 : steps[i]};
  }
}

sdk::Strides Part::strides() const {
  sdk::Strides strides = dense_;
  for (std::size_t i = 0; i < count_; ++i) strides[axes_[i].axis] *= axes_[i].step;
  return strides;
}

std::int64_t Part::offset(const sdk::Launch& launch, const Bounds& starts) const {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const auto [axis, step] = axes_[i];
    const std::int64_t start = starts.at(launch, i);
    offset += sdk::slice_range(whole_.extents[axis], start, 0, step).start * dense_[axis];
  }
  return offset;
}

sdk::DimList Part::extents(const sdk::Launch& launch, const Bounds& starts,
                           const Bounds& ends) const {
  sdk::DimList extents = whole_;
  for (std::size_t i = 0; i < count_; ++i) {
    const auto [axis, step] = axes_[i];
    extents.extents[axis] =
        sdk::slice_range(whole_.extents[axis], starts.at(launch, i), ends.at(launch, i), step)
            .count;
  }
  return extents;
}

}  // namespace loci::cuda
