// Parameters of the kernels of cross_entropy.cu; for both sides of a launch.
#pragma once

#include <cstdint>

namespace loci::cuda {

// Rows of `classes` elements. A label is a class for each row, or as many weights as classes.
struct CrossEntropyArguments {
  const void* x;      // scores, or the softmax of them
  const void* label;  // weights like x, or int32 or int64
  const void* grad;   // of the loss; gradients only
  void* out;          // like x; none of cross_entropy
  void* loss;         // one for each row; none of gradients
  std::int64_t rows;
  std::int64_t classes;
  std::int64_t ignore_index;
  bool are_labels_int64;
};

}  // namespace loci::cuda
