#include "framework/ops/cost.h"

#include <limits>

namespace loci::ops {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
  return a > kMost - b ? kMost : a + b;
}

std::int64_t bytes_of(const TensorType& type) {
  return saturating_product(type.shape.numel(), static_cast<std::int64_t>(dtype_size(type.dtype)));
}

std::int64_t output_bytes(const InferContext& ctx) {
  std::int64_t bytes = 0;
  for (const auto& slot : ctx.bounds()) {
    for (const TensorType& type : slot) bytes = saturating_sum(bytes, bytes_of(type));
  }
  return bytes;
}

}  // namespace

std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  return b != 0 && a > kMost / b ? kMost : a * b;
}

std::int64_t argument_bytes(const InferContext& ctx) {
  std::int64_t bytes = 0;
  for (const InputSlot& slot : ctx.schema().inputs()) {
    if (slot.residence == Residence::kMetadata) continue;
    for (std::size_t i = 0; i < ctx.input_count(slot.name); ++i) {
      bytes = saturating_sum(bytes, bytes_of(ctx.input(slot.name, i)));
    }
  }
  return saturating_sum(bytes, output_bytes(ctx));
}

Cost move_cost(const InferContext& ctx) { return {0, argument_bytes(ctx)}; }

Cost copy_cost(const InferContext& ctx) { return {0, saturating_product(output_bytes(ctx), 2)}; }

Cost elementwise_cost(const InferContext& ctx, std::int64_t flops) {
  std::int64_t elements = 0;
  for (const auto& slot : ctx.bounds()) {
    for (const TensorType& type : slot) elements = saturating_sum(elements, type.shape.numel());
  }
  return {saturating_product(elements, flops), argument_bytes(ctx)};
}

Cost reduction_cost(const InferContext& ctx, std::string_view input, std::int64_t flops) {
  return {saturating_product(ctx.shape(input).numel(), flops), argument_bytes(ctx)};
}

}  // namespace loci::ops
