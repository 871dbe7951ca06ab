#include "plugins/kernels/labels.h"

#include <string>

namespace loci::kernels {

void check_labels(const char* op, const IntegerView& labels, std::int64_t rows,
                  std::int64_t classes, std::int64_t ignore_index) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t label = labels[row];
    if ((label >= 0 && label < classes) || label == ignore_index) continue;
    throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                     "[" + std::string(op) + "] the label of row " + std::to_string(row) + " is " +
                         std::to_string(label) + "; it has to be in [0, " +
                         std::to_string(classes) + ") or the ignore_index, " +
                         std::to_string(ignore_index));
  }
}

}  // namespace loci::kernels
