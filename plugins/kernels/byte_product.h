// Products of bytes where the processor multiplies and adds four at a time (VNNI).
#pragma once

#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/dense_product.h"

namespace loci::kernels {

// Returns true if this processor has such an instruction, best_isa() the vectors for it, and the
// compiler that built this a way to say it: g++ has.
bool multiplies_bytes();

// Prepares matmul or mul of 8-bit integers, which wrap; false for a small product, and where the
// processor multiplies no bytes.
bool emplace_byte_product(sdk::Prepare& prepare, const Products& shape);

}  // namespace loci::kernels
