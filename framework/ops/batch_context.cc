#include "framework/ops/batch_context.h"

#include <utility>

#include "framework/core/raise.h"

namespace loci::ops {
namespace {

// How many rows there are; kDynamicDim if the inputs that carry them do not agree in it.
std::int64_t row_count(const BatchContext& ctx) {
  bool agrees = true;
  std::int64_t rows = kDynamicDim;
  ctx.for_each_carrying([&](std::string_view, const Shape& shape) {
    const std::int64_t own = shape.rank() > 0 ? shape[0] : kDynamicDim;
    agrees = agrees && own != kDynamicDim && (rows == kDynamicDim || rows == own);
    rows = own;
  });
  return agrees ? rows : kDynamicDim;
}

// The host reads them to choose extents, or what runs, for all rows at once.
bool carries_on_host(const BatchContext& ctx) {
  bool found = false;
  const OpSchema& schema = ctx.types().schema();
  ctx.for_each_carrying([&](std::string_view slot, const Shape&) {
    const auto index = static_cast<std::size_t>(schema.input_index(slot));
    found = found || schema.inputs()[index].residence == Residence::kHost;
  });
  return found;
}

bool has_row_for_each(const BatchContext& ctx, std::int64_t rows) {
  const InferContext& types = ctx.types();
  for (std::size_t slot = 0; slot < types.outputs().size(); ++slot) {
    if (ctx.is_whole(slot)) continue;
    if (!types.schema().outputs()[slot].updates.empty()) return false;
    for (const TensorType& type : types.outputs()[slot]) {
      const bool fits = type.shape.rank() > 0 && type.shape.is_static() &&
                        (rows == kDynamicDim || type.shape[0] == rows);
      if (!fits) return false;
    }
  }
  return true;
}

}  // namespace

BatchContext::BatchContext(const InferContext& types, std::vector<std::vector<Carried>> carrying)
    : types_(types), carrying_(std::move(carrying)), whole_(types.schema().outputs().size()) {}

Carried BatchContext::carried(std::string_view slot, std::size_t index) const {
  const int position = types_.schema().input_index(slot);
  if (position < 0) {
    core::raise(ErrorCode::kInternal, "[{}] a rule of rows reads '{}', which is no input",
                types_.schema().name(), slot);
  }
  const std::vector<Carried>& arguments = carrying_[static_cast<std::size_t>(position)];
  return index < arguments.size() ? arguments[index] : Carried::kNothing;
}

bool BatchContext::carries(std::string_view slot, std::size_t index) const {
  return carried(slot, index) != Carried::kNothing;
}

bool BatchContext::is_index(std::string_view slot, std::int64_t count) const {
  return carried(slot, 0) != Carried::kRows && count > 0;
}

bool BatchContext::carries_any() const {
  bool found = false;
  for_each_carrying([&](std::string_view, const Shape&) { found = true; });
  return found;
}

void BatchContext::leave_whole(std::string_view output) {
  const int position = types_.schema().output_index(output);
  if (position < 0) {
    core::raise(ErrorCode::kInternal, "[{}] a rule of rows speaks of '{}', which is no output",
                types_.schema().name(), output);
  }
  whole_[static_cast<std::size_t>(position)] = true;
}

bool is_batch_independent(BatchContext& ctx) {
  const BatchRule& rule = ctx.types().schema().batch_rule();
  if (rule == nullptr || carries_on_host(ctx)) return false;
  const std::int64_t rows = row_count(ctx);
  if (ctx.carries_any() && rows == kDynamicDim) return false;
  return rule(ctx) && has_row_for_each(ctx, rows);
}

}  // namespace loci::ops
