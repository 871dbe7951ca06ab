#include "framework/tracing/row_buckets.h"

#include "framework/core/raise.h"

namespace loci::tracing {

void refuse_rows(std::size_t input, const Shape& shape, const Shape& first,
                 const BucketUser& user) {
  core::raise(ErrorCode::kInvalidArgument,
              "[{}] input {} is {}, and input 0 {}: with buckets, dimension 0 of all inputs has "
              "the same extent; let the function take others from outside",
              user.name, input, shape.to_string(), first.to_string());
}

std::vector<Tensor> cut_rows(const std::vector<Tensor>& results, std::int64_t bucket,
                             std::int64_t rows, const BucketUser& user) {
  std::vector<Tensor> cut;
  cut.reserve(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Tensor& result = results[i];
    if (!result.defined()) {
      cut.emplace_back();
      continue;
    }
    program::check_result(i, result.shape(), bucket, user);
    cut.push_back(result.rows(0, rows));
  }
  return cut;
}

}  // namespace loci::tracing
