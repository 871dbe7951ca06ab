// Class labels, one for each row.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>

namespace loci::kernels {

// Hard labels of a launch: int32 or int64.
class Labels {
 public:
  explicit Labels(const loci_view& view)
      : data_(view.data), is_long_(view.dtype == LOCI_DTYPE_I64) {}

  [[nodiscard]] std::int64_t operator[](std::int64_t row) const {
    return is_long_ ? static_cast<const std::int64_t*>(data_)[row]
                    : static_cast<const std::int32_t*>(data_)[row];
  }

 private:
  const void* data_;
  bool is_long_;
};

// Throws Error(kInvalidArgument) that names the first row whose label is neither in [0, classes)
// nor `ignore_index`.
void check_labels(const char* op, const Labels& labels, std::int64_t rows, std::int64_t classes,
                  std::int64_t ignore_index);

}  // namespace loci::kernels
