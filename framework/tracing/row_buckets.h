// Rows of tensors that are filled up to a bucket, what captured and compiled functions share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <loci/tensor.hpp>
#include <vector>

#include "framework/program/row_buckets.h"

namespace loci::tracing {

using program::BucketUser;

[[noreturn]] void refuse_rows(std::size_t input, const Shape& shape, const Shape& first,
                              const BucketUser& user);
// Throws Error(kInvalidArgument) unless all inputs have the same number of rows.
template <class ShapeOf>
void check_rows(std::size_t inputs, const ShapeOf& shape_of, const BucketUser& user) {
  for (std::size_t i = 0; i < inputs; ++i) {
    const Shape& shape = shape_of(i);
    const bool fits = shape.rank() > 0 && shape_of(0).rank() > 0 && shape[0] == shape_of(0)[0];
    if (!fits) refuse_rows(i, shape, shape_of(0), user);
  }
}

// The first `rows` of results that have those of the bucket. Throws as program::check_result().
[[nodiscard]] std::vector<Tensor> cut_rows(const std::vector<Tensor>& results, std::int64_t bucket,
                                           std::int64_t rows, const BucketUser& user);

}  // namespace loci::tracing
