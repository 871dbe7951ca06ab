// Labels, ids, positions and bounds, in either of the two dtypes of integers that ops take.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>

namespace loci::kernels {

// An argument of int32 or int64.
class IntegerView {
 public:
  explicit IntegerView(const loci_view& view)
      : data_(view.data), is_long_(view.dtype == LOCI_DTYPE_I64) {}

  [[nodiscard]] std::int64_t operator[](std::int64_t i) const {
    return is_long_ ? static_cast<const std::int64_t*>(data_)[i]
                    : static_cast<const std::int32_t*>(data_)[i];
  }

  // Calls visit(ids), of one dtype: for loops that do little else.
  template <class Visit>
  void with_data(const Visit& visit) const {
    if (is_long_) {
      visit(static_cast<const std::int64_t*>(data_));
    } else {
      visit(static_cast<const std::int32_t*>(data_));
    }
  }

 private:
  const void* data_;
  bool is_long_;
};

}  // namespace loci::kernels
