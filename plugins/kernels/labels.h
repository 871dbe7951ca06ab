// Class labels, one for each row.
#pragma once

#include <cstdint>

#include "plugins/kernels/integer_view.h"

namespace loci::kernels {

// Throws Error(kInvalidArgument) that names the first row whose label is neither in [0, classes)
// nor `ignore_index`.
void check_labels(const char* op, const IntegerView& labels, std::int64_t rows,
                  std::int64_t classes, std::int64_t ignore_index);

}  // namespace loci::kernels
