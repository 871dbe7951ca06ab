// Inputs of many extents in programs or graphs of a few: dimension 0 is filled up to a bucket, and
// results are cut. What all who do that say of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <loci/shape.hpp>
#include <optional>
#include <string>
#include <vector>

namespace loci::program {

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

// Why inputs are not filled up, where there is no proof.
[[nodiscard]] std::string unproven(const std::string& reason, const BucketUser& user);
// Likewise of more rows than in any bucket.
[[nodiscard]] std::string too_many_rows(const std::vector<std::int64_t>& buckets);

// Checks a result to be cut. Throws Error(kInvalidArgument) unless it has the bucket's rows.
void check_result(std::size_t index, const Shape& shape, std::int64_t bucket,
                  const BucketUser& user);

}  // namespace loci::program
