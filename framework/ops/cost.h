// The costs of operators: the parts that cost functions share.
#pragma once

#include <cstdint>

#include "framework/ops/infer_context.h"

namespace loci::ops {

// All functions need static shapes, and inference that has run. What does not fit into 63 bits
// becomes the largest number that does.

// Bytes of all inputs and outputs; an argument of which only the metadata is read counts nothing,
// and state that is updated counts twice, as read and as written.
[[nodiscard]] std::int64_t argument_bytes(const InferContext& ctx);

// Nothing is computed: all inputs are read, all outputs written.
[[nodiscard]] Cost move_cost(const InferContext& ctx);
// Nothing is computed: what is written is read somewhere in the inputs.
[[nodiscard]] Cost copy_cost(const InferContext& ctx);

// `flops` for each element of all outputs.
[[nodiscard]] Cost elementwise_cost(const InferContext& ctx, std::int64_t flops = 1);

// `flops` for each element of the input.
[[nodiscard]] Cost reduction_cost(const InferContext& ctx, std::string_view input,
                                  std::int64_t flops = 1);

// a * b for a, b >= 0, at most the largest int64.
[[nodiscard]] std::int64_t saturating_product(std::int64_t a, std::int64_t b);

}  // namespace loci::ops
