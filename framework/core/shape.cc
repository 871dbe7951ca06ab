#include <fmt/ranges.h>

#include <limits>
#include <loci/shape.hpp>

#include "framework/core/raise.h"

namespace loci {
inline namespace v0 {

namespace {

[[noreturn]] void refuse_rank() {
  core::raise(ErrorCode::kInvalidArgument, "[shape] a tensor has at most {} dimensions",
              Shape::kMaxRank);
}

int checked_rank(std::size_t dims) {
  if (dims > static_cast<std::size_t>(Shape::kMaxRank)) refuse_rank();
  return static_cast<int>(dims);
}

void check_extent(std::int64_t extent) {
  if (extent >= kDynamicDim) return;
  core::raise(ErrorCode::kInvalidArgument,
              "[shape] extent {} is negative; only -1 (not known yet) may be", extent);
}

}  // namespace

Shape::Shape(std::initializer_list<std::int64_t> dims)
    : Shape(dims.begin(), checked_rank(dims.size())) {}

Shape::Shape(const std::vector<std::int64_t>& dims)
    : Shape(dims.data(), checked_rank(dims.size())) {}

Shape::Shape(const std::int64_t* dims, int rank) {
  for (int i = 0; i < rank; ++i) push_back(dims[i]);
}

void Shape::set(int axis, std::int64_t extent) {
  if (axis < 0 || axis >= rank_) {
    core::raise(ErrorCode::kInvalidArgument, "[shape] axis {} is not in [0, {})", axis, rank_);
  }
  check_extent(extent);
  dims_[static_cast<std::size_t>(axis)] = extent;
}

void Shape::push_back(std::int64_t extent) {
  if (rank_ == kMaxRank) refuse_rank();
  check_extent(extent);
  dims_[static_cast<std::size_t>(rank_++)] = extent;
}

bool Shape::is_static() const noexcept {
  for (const std::int64_t extent : *this) {
    if (extent < 0) return false;
  }
  return true;
}

std::int64_t Shape::numel() const {
  // A zero anywhere makes the product zero, however large the rest is.
  for (const std::int64_t extent : *this) {
    if (extent == 0) return 0;
  }
  std::int64_t product = 1;
  for (const std::int64_t extent : *this) {
    if (extent < 0) {
      core::raise(ErrorCode::kInvalidArgument, "[shape] {} has an extent that is not known yet",
                  to_string());
    }
    if (product > std::numeric_limits<std::int64_t>::max() / extent) {
      core::raise(ErrorCode::kInvalidArgument, "[shape] {} has more elements than fit in 63 bits",
                  to_string());
    }
    product *= extent;
  }
  return product;
}

std::string Shape::to_string() const {
  return fmt::format("[{}]", fmt::join(begin(), end(), ", "));
}

}  // namespace v0
}  // namespace loci
