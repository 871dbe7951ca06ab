#include "framework/program/row_buckets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "framework/core/raise.h"

namespace loci::program {

void check_buckets(const std::vector<std::int64_t>& buckets, const BucketUser& user) {
  if (buckets.empty()) return;
  const bool ascend =
      std::adjacent_find(buckets.begin(), buckets.end(), std::greater_equal<>()) == buckets.end();
  if (buckets.front() >= 1 && ascend) return;
  core::raise(ErrorCode::kInvalidArgument,
              "[{}] {}::buckets are {}; give extents of 1 or more, ascending", user.name,
              user.options, fmt::join(buckets, ", "));
}

std::optional<std::int64_t> bucket_of(const std::vector<std::int64_t>& buckets, std::int64_t rows) {
  const auto bucket = std::lower_bound(buckets.begin(), buckets.end(), rows);
  if (bucket == buckets.end()) return std::nullopt;
  return *bucket;
}

std::string unproven(const std::string& reason, const BucketUser& user) {
  return fmt::format(
      "it is not filled up to a bucket, because its rows are not proven independent: {}; say "
      "{}::rows_are_independent if each row of each result hangs on the same row of the inputs "
      "alone, or leave buckets out",
      reason, user.options);
}

std::string too_many_rows(const std::vector<std::int64_t>& buckets) {
  return fmt::format("it has more rows than the largest bucket, {}", buckets.back());
}

void check_result(std::size_t index, const Shape& shape, std::int64_t bucket,
                  const BucketUser& user) {
  if (shape.rank() > 0 && shape[0] == bucket) return;
  core::raise(ErrorCode::kInvalidArgument,
              "[{}] result {} is {}, and the inputs have {} rows: with buckets, each result has a "
              "row for each row of the inputs; reduce outside of it, or leave {}::buckets out",
              user.name, index, shape.to_string(), bucket, user.options);
}

}  // namespace loci::program
