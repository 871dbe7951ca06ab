#include "framework/ops/batch_rules.h"

#include <algorithm>
#include <utility>

#include "framework/ops/reduction_rules.h"

namespace loci::ops {
namespace {

template <class Slots>
bool carries_only_in(const BatchContext& ctx, const Slots& slots) {
  bool only = true;
  ctx.for_each_carrying([&](std::string_view slot, const Shape&) {
    only = only && std::find(slots.begin(), slots.end(), slot) != slots.end();
  });
  return only;
}

}  // namespace

bool element_rows(BatchContext& ctx) {
  bool aligned = true;
  ctx.for_each_carrying([&](std::string_view, const Shape& shape) {
    for (const std::vector<TensorType>& slot : ctx.types().outputs()) {
      for (const TensorType& type : slot) aligned = aligned && type.shape.rank() == shape.rank();
    }
  });
  return aligned;
}

bool only_carry(const BatchContext& ctx, std::initializer_list<std::string_view> slots) {
  return carries_only_in(ctx, slots);
}

BatchRule rows_of(std::vector<std::string_view> slots) {
  return [slots = std::move(slots)](BatchContext& ctx) { return carries_only_in(ctx, slots); };
}

BatchRule rows_beside_axis(std::string_view slot) {
  return
      [slot](BatchContext& ctx) { return ctx.types().axis("axis", ctx.shape(slot).rank()) != 0; };
}

bool rows_beside_axes(BatchContext& ctx) {
  const int rank = ctx.shape("x").rank();
  return rank > 0 && !reduced_axes(ctx.types(), rank).front();
}

bool rows_in_order(BatchContext& ctx) { return ctx.carries("x"); }

}  // namespace loci::ops
