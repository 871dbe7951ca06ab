// Products of halves that read a large matrix once, so that it is not worth converting it in
// memory.
#pragma once

#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/dense_product.h"

namespace loci::kernels {

// Prepares matmul or mul of 16-bit formats as dot products, or as a few rows times a matrix, for
// small products; false where the shape is neither.
bool emplace_half_product(sdk::Prepare& prepare, const Products& shape);

}  // namespace loci::kernels
