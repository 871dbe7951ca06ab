// Inputs of many extents in programs or graphs of a few: dimension 0 is filled up to a bucket, and
// results are cut. What captured and compiled functions share of that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <loci/tensor.hpp>
#include <optional>
#include <string>
#include <vector>

namespace loci::tracing {

// Who fills up, for messages: "captured function", "CaptureOptions".
struct BucketUser {
  const char* name;
  const char* options;
};

// Throws Error(kInvalidArgument) unless the extents are 1 or more, and ascend.
void check_buckets(const std::vector<std::int64_t>& buckets, const BucketUser& user);
// The smallest bucket with that many rows; none if there are more than in any.
[[nodiscard]] std::optional<std::int64_t> bucket_of(const std::vector<std::int64_t>& buckets,
                                                    std::int64_t rows);

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

// Why inputs are not filled up, where there is no proof.
[[nodiscard]] std::string unproven(const std::string& reason, const BucketUser& user);
// Likewise of more rows than in any bucket.
[[nodiscard]] std::string too_many_rows(const std::vector<std::int64_t>& buckets);

// The first `rows` of results that have those of the bucket. Throws Error(kInvalidArgument) for one
// that has others.
[[nodiscard]] std::vector<Tensor> cut_rows(const std::vector<Tensor>& results, std::int64_t bucket,
                                           std::int64_t rows, const BucketUser& user);

}  // namespace loci::tracing
